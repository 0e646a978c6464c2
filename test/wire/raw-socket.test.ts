/**
 * Requests that only raw bytes can make: those that two parsers would split differently (docs/security.md#slow-and-malformed-clients),
 * duplicate headers, and the forms of the Basic header (docs/security.md#basic-credentials). Each is answered with 4xx or the
 * connection is closed: never 5xx, and never an answer to a second request.
 */
import { limits } from '../../config/limits.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';
import { basic, sendRaw, withoutLimits } from './wire-client.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'raw', pools: [], settings: { ...withoutLimits, RESPONSE_WAIT_MS: '100' } });
});
afterAll(() => gateway?.close());

const stored = () => gateway.database.collection('payments').countDocuments();
const lines = (...all: string[]) => all.join('\r\n');
const smuggled = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

/** Builds a request head with valid credentials. */
const head = (...headers: string[]) =>
  lines(
    'POST /v1/payments HTTP/1.1',
    'Host: a',
    `Authorization: ${basic(gateway)}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  );

describe('requests that two parsers could split differently', () => {
  const body = JSON.stringify(paymentBody());
  const size = Buffer.byteLength(body);
  const chunked = (text: string, ending = '') => `${text.length.toString(16)}${ending}\r\n${text}\r\n0\r\n\r\n`;

  const cases: [string, () => string][] = [
    [
      'length and chunked',
      () => head(`Content-Length: ${size}`, 'Transfer-Encoding: chunked') + chunked(body) + smuggled,
    ],
    ['chunked and length 0', () => head('Transfer-Encoding: chunked', 'Content-Length: 0') + chunked(body) + smuggled],
    ['two lengths that differ', () => head(`Content-Length: ${size}`, 'Content-Length: 0') + body + smuggled],
    ['two lengths that agree', () => head(`Content-Length: ${size}`, `Content-Length: ${size}`) + body],
    ['a list of lengths', () => head(`Content-Length: ${size}, ${size}`) + body],
    ['a length with a sign', () => head(`Content-Length: +${size}`) + body],
    ['a negative length', () => head('Content-Length: -1') + body],
    ['a length in hex', () => head('Content-Length: 0x10') + body],
    ['a length that is too large', () => head('Content-Length: 99999999999999999999999') + body],
    ['a length with a blank in it', () => head('Content-Length: 1 0') + body],
    ['an unknown encoding', () => head('Transfer-Encoding: xchunked') + body],
    ['chunked before another encoding', () => head('Transfer-Encoding: chunked, identity') + chunked(body)],
    ['chunked twice', () => head('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + chunked(body)],
    ['a chunk size that is none', () => `${head('Transfer-Encoding: chunked')}zz\r\n${body}\r\n0\r\n\r\n`],
    ['a chunk shorter than it says', () => `${head('Transfer-Encoding: chunked')}2\r\n${body}\r\n0\r\n\r\n`],
    ['a negative chunk', () => `${head('Transfer-Encoding: chunked')}-1\r\n${body}\r\n0\r\n\r\n`],
    ['bare line feeds', () => head(`Content-Length: ${size}`).replaceAll('\r\n', '\n') + body],
    ['a bare carriage return', () => head(`X-A: b\rContent-Length: ${size}`) + body],
    ['a folded header', () => head('X-A: b', ' c: d', `Content-Length: ${size}`) + body],
    ['a blank before the colon', () => head(`Content-Length : ${size}`) + body],
    ['a header without a colon', () => head('Nonsense', `Content-Length: ${size}`) + body],
    ['a control character in a header', () => head('X-A: b\u0001c', `Content-Length: ${size}`) + body],
    ['NUL in a header', () => head('X-A: b\u0000c', `Content-Length: ${size}`) + body],
    ['no host', () => head(`Content-Length: ${size}`).replace('Host: a\r\n', '') + body],
    ['HTTP/2 by the letter', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/1.2', () => head(`Content-Length: ${size}`).replace('HTTP/1.1', 'HTTP/1.2') + body],
    ['no method', () => ' /v1/payments HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['blanks in the path', () => 'GET /v1/pay ments HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['TLS to a plain port', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['headers beyond their bound', () => head(`X-A: ${'a'.repeat(limits.headersBytesMax)}`)],
  ];

  test.each([
    ['with a length', () => head(`Content-Length: ${size}`, 'Connection: close') + body],
    ['in chunks', () => head('Transfer-Encoding: chunked', 'Connection: close') + chunked(body)],
  ])('the same request, well-formed and %s, is accepted', async (name, bytes) => {
    const before = await stored();
    const { referenceId } = JSON.parse(body);
    const own = bytes().replace(referenceId, name.padEnd(referenceId.length, '.'));
    const answer = await sendRaw(gateway.baseUrl, own, PATIENCE_MS);
    expect({ status: answer.status, answers: answer.answers }).toEqual({ status: 200, answers: 1 });
    expect(await stored()).toBe(before + 1);
  });

  test.each(cases)('%s: the request is refused and the connection closed', async (_name, bytes) => {
    const before = await stored();
    const answer = await sendRaw(gateway.baseUrl, Buffer.from(bytes(), 'latin1'));
    expect({ closed: answer.closed, answers: answer.answers <= 1 }).toEqual({ closed: true, answers: true });
    expect([0, 400, 413, 415, 431]).toContain(answer.status);
    expect(answer.text).not.toContain('"status":"ok"');
    expect(await stored()).toBe(before);
  });

  test('a chunk extension is skipped, and an upgrade is not followed', async () => {
    const before = await stored();
    const bad = '{"merchantId":"x"}';
    const answer = await sendRaw(gateway.baseUrl, head('Transfer-Encoding: chunked') + chunked(bad, ';a=b'));
    expect([answer.status, answer.answers]).toEqual([400, 1]);
    const upgrade = await sendRaw(
      gateway.baseUrl,
      `${head('Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 2')}{}`,
    );
    expect([upgrade.status, upgrade.answers]).toEqual([400, 1]);
    expect(await stored()).toBe(before);
  });

  test('two valid requests on one connection get two answers, in order', async () => {
    const { text, answers } = await sendRaw(gateway.baseUrl, smuggled + smuggled.replace('healthz', 'nothing'));
    expect(answers).toBe(2);
    expect(text.indexOf('200 OK')).toBeLessThan(text.indexOf('404 Not Found'));
  });

  test('a GET with an absolute target or with a body causes no fault', async () => {
    const absolute = await sendRaw(gateway.baseUrl, 'GET http://evil.example/healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    // The server is no proxy: it answers for itself.
    expect(absolute).toMatchObject({ status: 200, answers: 1, text: expect.stringContaining('"status":"ok"') });
    const withBody = await sendRaw(
      gateway.baseUrl,
      `GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello${smuggled}`,
    );
    expect([withBody.status, withBody.answers]).toEqual([200, 2]);
  });

  test('more headers than are read are refused, so that none is left out', async () => {
    const base = head()
      .split('\r\n')
      .filter((line) => line.includes(': ')).length;
    const withHeaders = (count: number) => {
      const more = Array.from({ length: count - base - 1 }, (_, index) => `X-${index}: 1`);
      return sendRaw(gateway.baseUrl, `${head(...more, 'Content-Length: 2')}{}`);
    };
    const most = await withHeaders(limits.headersCountMax);
    // The last header is read: the body is refused, not its absence.
    expect([most.status, most.text.includes('"merchantId"')]).toEqual([400, true]);
    for (const count of [limits.headersCountMax + 1, 300]) {
      const { status, text, answers } = await withHeaders(count);
      expect([count, status, answers]).toEqual([count, 431, 1]);
      expect(text).toContain('The request has more than 100 headers. Send fewer.');
    }
  });

  test('an unknown expectation, TRACE and CONNECT cause no fault', async () => {
    expect((await sendRaw(gateway.baseUrl, `${head('Expect: 200-ok', 'Content-Length: 2')}{}`)).status).toBe(417);
    const trace = await sendRaw(gateway.baseUrl, 'TRACE /v1/payments HTTP/1.1\r\nHost: a\r\nX-Secret: s\r\n\r\n');
    expect(trace.status).toBe(405);
    expect(trace.text).not.toContain('X-Secret');
    const connect = await sendRaw(gateway.baseUrl, 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(connect).toMatchObject({ closed: true, answers: 0 });
  });
});

describe('credentials', () => {
  const read = (...headers: string[]) =>
    sendRaw(
      gateway.baseUrl,
      lines(
        'GET /v1/payments/pay_00000000000000000000000000000000 HTTP/1.1',
        'Host: a',
        'Connection: close',
        ...headers,
        '',
        '',
      ),
    );
  const encode = (text: string | Buffer) => `Authorization: Basic ${Buffer.from(text).toString('base64')}`;

  test('valid credentials are accepted with any case of the scheme and with extra blanks', async () => {
    const token = basic(gateway).slice('Basic '.length);
    for (const header of [
      `Basic ${token}`,
      `basic ${token}`,
      `BASIC   ${token}`,
      `Basic ${token.replace(/=+$/, '')}`,
    ]) {
      expect([header.slice(0, 8), (await read(`Authorization: ${header}`)).status]).toEqual([header.slice(0, 8), 404]);
    }
  });

  test('credentials of any other form are 401 with a challenge, and are not repeated', async () => {
    const { clientId, apiKey, other } = gateway.sandbox;
    const right = `${clientId}:${apiKey}`;
    const token = Buffer.from(right).toString('base64');
    const swapped = apiKey.slice(0, -1) + (apiKey.endsWith('A') ? 'B' : 'A');
    const shapes: [string, string[]][] = [
      ['none', []],
      ['empty', ['Authorization:']],
      ['scheme only', ['Authorization: Basic']],
      ['another scheme', [`Authorization: Bearer ${token}`]],
      ['digest', ['Authorization: Digest username="a"']],
      ['no base64', ['Authorization: Basic !!!!']],
      ['base64url with stray characters', [`Authorization: Basic ${token.slice(0, 20)}*${token.slice(20)}`]],
      ['text in the clear', [`Authorization: Basic ${right}`]],
      ['two tokens', [`Authorization: Basic ${token} ${token}`]],
      ['a tab for the blank', [`Authorization: Basic\t${token}`]],
      ['no colon', [encode(clientId)]],
      ['colon only', [encode(':')]],
      ['no user', [encode(`:${apiKey}`)]],
      ['no key', [encode(`${clientId}:`)]],
      ['user in capitals', [encode(`${clientId.toUpperCase()}:${apiKey}`)]],
      ['a blank behind', [encode(`${right} `)]],
      ['a line break behind', [encode(`${right}\n`)]],
      ['NUL inside', [encode(`${clientId}\u0000:${apiKey}`)]],
      ['a byte order mark', [encode(`\ufeff${right}`)]],
      ['broken UTF-8', [encode(Buffer.concat([Buffer.from(right), Buffer.from([0xff])]))]],
      ['one character wrong', [encode(`${clientId}:${swapped}`)]],
      ['a key of production', [encode(`${clientId}:${apiKey.replace('sk_test_', 'sk_live_')}`)]],
      ['the key of another client', [encode(`${clientId}:${other.apiKey}`)]],
      ['an unknown client', [encode(`cli_${'0'.repeat(32)}:${apiKey}`)]],
      ['an operator for the user', [encode(`{"$ne":1}:${apiKey}`)]],
      ['longer than its bound', [encode(`${right}${'x'.repeat(limits.basicHeaderBytesMax)}`)]],
      ['twice, both right', [encode(right), encode(right)]],
      ['twice, the first right', [encode(right), 'Authorization: Basic x']],
      ['twice, the second right', ['authorization: Basic x', encode(right)]],
      ['the proxy’s header', [`Proxy-Authorization: Basic ${token}`]],
      ['a cookie', [`Cookie: Authorization=Basic ${token}`]],
    ];
    for (const [name, headers] of shapes) {
      const { status, text } = await read(...headers);
      expect([name, status]).toEqual([name, 401]);
      expect([name, /WWW-Authenticate: Basic/i.test(text)]).toEqual([name, true]);
      expect(text).toContain('"code":"unauthorized"');
      expect(text).not.toContain(apiKey);
    }
  });
});

test('the trace id of a caller is never taken as that of the gateway, and header and body agree', async () => {
  for (const inbound of ['caller-trace-0001', 'x', 'a'.repeat(100), '../../etc', '<script>']) {
    const { text } = await sendRaw(
      gateway.baseUrl,
      lines('GET /v1/payments/x HTTP/1.1', 'Host: a', 'Connection: close', `X-Trace-Id: ${inbound}`, '', ''),
    );
    const header = /X-Trace-Id: (\S+)/i.exec(text)?.[1];
    expect(header).toBe(/"traceId":"([^"]+)"/.exec(text)?.[1]);
    expect(header).not.toBe(inbound);
    expect(header).toMatch(/^[0-9a-f]{32}$/);
  }
});
