/** Broken or hostile input gets a clear error envelope and changes nothing: no 5xx, no stored payment, no repeated value. */
import { gzipSync } from 'node:zlib';
import { limits } from '../../config/limits.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { withValue } from './schema-walk.js';
import { basic, withoutLimits } from './wire-client.js';

let gateway: TestGateway;
beforeAll(async () => {
  // Without worker pools: a refused request needs none.
  gateway = await startGateway({ name: 'bad', pools: [], settings: { ...withoutLimits, RESPONSE_WAIT_MS: '100' } });
});
afterAll(() => gateway?.close());

const ENVELOPE = ['code', 'message', 'type', 'status', 'traceId'];
const stored = () => gateway.database.collection('payments').countDocuments();
let before: number;
beforeEach(async () => {
  before = await stored();
});
afterEach(async () => expect(await stored()).toBe(before));

interface Sent {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

async function send({ body, headers = {}, path = '/v1/payments' }: Sent) {
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: basic(gateway), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, envelope: JSON.parse(text), text, traceId: response.headers.get('x-trace-id') };
}

async function refused(sent: Sent, status: number, code: string, fields?: readonly string[]) {
  const answer = await send(sent);
  expect({ status: answer.status, code: answer.envelope.code }).toEqual({ status, code });
  expect(ENVELOPE.filter((field) => answer.envelope[field] === undefined)).toEqual([]);
  expect([answer.envelope.status, answer.envelope.traceId]).toEqual([status, answer.traceId]);
  if (fields) expect(Object.keys(answer.envelope.params ?? {})).toEqual(fields);
  expect(answer.text.length).toBeLessThan(16_384);
  return answer;
}

const invalid = (sent: Sent, fields?: readonly string[]) => refused(sent, 400, 'request-validation-errors', fields);
const valid = () => JSON.stringify(paymentBody());
/** Returns the valid body as text with one value replaced by text that JSON.stringify would not write. */
const textWith = (path: string, json: string) =>
  JSON.stringify(withValue(paymentBody(), path.split('.'), '@@')).replace('"@@"', json);
const nested = (depth: number, open = '{"a":', close = '}') => `${open.repeat(depth)}1${close.repeat(depth)}`;

describe('the body as bytes', () => {
  test.each([
    ['cut short', valid().slice(0, -5)],
    ['a comma too many', valid().replace(/}$/, ',}')],
    ['single quotes', "{'merchantId': 1001}"],
    ['a comment', `/* hello */ ${valid()}`],
    ['two values', `${valid()}${valid()}`],
    ['a word', 'hello'],
    ['NaN', 'NaN'],
    ['blank', '   '],
    ['an unquoted key', '{merchantId:1001}'],
    ['a line break in a text', valid().replace('INV', 'IN\nV')],
    ['a raw NUL in a text', valid().replace('INV', 'IN\u0000V')],
    ['a leading zero', textWith('merchantId', '01001')],
    ['Infinity', textWith('amount.total', 'Infinity')],
    ['NaN as a number', textWith('amount.total', 'NaN')],
    ['a leading plus', textWith('amount.total', '+1')],
    ['hex', textWith('amount.total', '0x10')],
    ['a bare point', textWith('amount.total', '.5')],
    ['an underscore', textWith('amount.total', '1_000')],
  ])('%s is not JSON', async (_name, body) => {
    await invalid({ body }, ['body']);
  });

  test.each(['null', '[]', '"text"', '1', 'true', '[{}]'])('%s is not an object', async (body) => {
    await invalid({ body }, ['body']);
  });

  test('a missing or empty body is refused', async () => {
    await invalid({}, ['body']);
    await invalid({ body: '' }, ['body']);
  });

  test('a byte order mark, broken UTF-8 and UTF-16 are refused', async () => {
    const bytes = (...parts: (string | number[])[]) =>
      new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as never))));
    await invalid({ body: bytes([0xef, 0xbb, 0xbf], valid()) }, ['body']);
    for (const broken of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xe2, 0x82]]) {
      const [head = '', tail = ''] = valid().split('INV');
      await invalid({ body: bytes(head, broken, tail) }, ['body']);
    }
    await invalid({ body: new Uint8Array(Buffer.from(valid(), 'utf16le')) }, ['body']);
  });

  test.each([
    ['none', ''],
    ['text', 'text/plain'],
    ['form', 'application/x-www-form-urlencoded'],
    ['multipart', 'multipart/form-data; boundary=x'],
    ['xml', 'application/xml'],
    ['json of another name', 'application/vnd.api+json'],
    ['json and more', 'application/jsonx'],
    ['UTF-16', 'application/json; charset=utf-16'],
    ['Latin-1', 'application/json; charset="iso-8859-1"'],
    ['two types', 'application/json, text/plain'],
  ])('content type %s is refused', async (_name, type) => {
    await refused({ body: valid(), headers: { 'content-type': type } }, 415, 'unsupported-media-type');
  });

  test.each(['gzip', 'deflate', 'br', 'GZIP', 'gzip, gzip', 'x-unknown'])(
    'content encoding %s is refused',
    async (encoding) => {
      const body = new Uint8Array(gzipSync(valid()));
      await refused({ body, headers: { 'content-encoding': encoding } }, 415, 'unsupported-media-type');
    },
  );

  test('a body above the size limit is 413, and one at the limit is read', async () => {
    const pad = (bytes: number) => `{"pad":"${'x'.repeat(bytes - 10)}"}`;
    expect(Buffer.byteLength(pad(limits.jsonBodyBytesMax))).toBe(limits.jsonBodyBytesMax);
    await invalid({ body: pad(limits.jsonBodyBytesMax) });
    await refused({ body: pad(limits.jsonBodyBytesMax + 1) }, 413, 'payload-too-large');
    await refused({ body: pad(1_000_000) }, 413, 'payload-too-large');
  });
});

describe('the shape of the body', () => {
  test('deep nesting of objects or lists is refused, anywhere in the body', async () => {
    await invalid({ body: nested(5_000) });
    await invalid({ body: nested(30_000, '[', ']') });
    await invalid({ body: textWith('metadata', nested(20)) });
    await invalid({ body: textWith('items', nested(20, '[', ']')) });
  });

  test('huge lists and very many keys are refused quickly, with a short answer', async () => {
    const startedAt = performance.now();
    await invalid({ body: textWith('items', `[${'1,'.repeat(30_000)}1]`) }, ['items']);
    await invalid({ body: textWith('items', `[${'{},'.repeat(150)}{}]`) });
    const keys = Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":0`);
    await refused({ body: `{${keys.join()}}` }, 413, 'payload-too-large');
    await invalid({ body: `{${keys.slice(0, 8_000).join()}}` });
    await invalid({ body: textWith('metadata', `{${keys.slice(0, 5_000).join()}}`) });
    expect(performance.now() - startedAt).toBeLessThan(50_000);
  });

  test.each([
    '',
    'paymentMethod',
    'paymentMethod.card',
    'amount',
    'amount.details',
    'metadata',
    'paymentMethod.fields',
    'capture',
  ])('__proto__, constructor and prototype in %p are refused', async (place) => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      for (const value of ['{"polluted":"yes"}', '"yes"', 'null', '{"prototype":{"polluted":"yes"}}']) {
        const inner = `{"${key}":${value}}`;
        const body = place === '' ? valid().replace(/}$/, `,"${key}":${value}}`) : textWith(place, inner);
        await invalid({ body });
      }
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('the last value of a repeated key counts', async () => {
    // In both bodies the first value is valid and the last one is not.
    await refused(
      { body: valid().replace('"merchantId":1001', '"merchantId":1001,"merchantId":"x"') },
      400,
      'request-validation-errors',
      ['merchantId'],
    );
    const twice = valid().replace('"invoiceNumber":', '"invoiceNumber":"first","invoiceNumber":"","x":');
    await invalid({ body: twice }, ['invoiceNumber', 'x']);
  });
});

describe('numbers', () => {
  const refusedNumbers = [
    '1e400',
    '-1e400',
    '9007199254740993',
    '1e21',
    '1e-7',
    '-0.01',
    '-1',
    '0',
    '-0',
    '0.001',
    '10.100000000000001',
  ];
  test.each(refusedNumbers)('amount.total %s is refused', async (json) => {
    await refused({ body: textWith('amount.total', json) }, 400, 'payment-invalid-amount', ['amount.total']);
  });

  test.each([
    ...[
      'NaN',
      'Infinity',
      '-Infinity',
      '1e3',
      '1E3',
      '+1',
      ' 1',
      '1 ',
      '1\n',
      '0x10',
      '1,5',
      '1.',
      '.5',
      '1.2.3',
      '-1',
      '--1',
    ],
    ...['١٢', '１２', '1_000', '1n', '$1', '10 USD', '1/2', 'null', 'true', '[]', '1e', '0b1', '9007199254740993'],
  ])('amount.total as text %p is refused', async (text) => {
    await refused({ body: textWith('amount.total', JSON.stringify(text)) }, 400, 'payment-invalid-amount', [
      'amount.total',
    ]);
  });

  test.each([
    '1.5',
    '1e400',
    '9007199254740993',
    '2147483648',
    '-2147483649',
    '1e10',
    '"1.0"',
    '"0x1"',
    '" 1"',
    '"+1"',
    '""',
    '[1001]',
    '{"$gt":0}',
  ])('merchantId %s is refused', async (json) => {
    await invalid({ body: textWith('merchantId', json) }, ['merchantId']);
  });
});

describe('texts', () => {
  const treacherous: [string, string][] = [
    ['half a surrogate pair', '"a\\ud800b"'],
    ['the other half', '"a\\udc00b"'],
    ['halves in the wrong order', '"\\udc00\\ud800"'],
    ['NUL', '"a\\u0000b"'],
    ['a line break', '"a\\r\\nX-Injected: 1"'],
    ['an escape sequence', '"\\u001b[31mred"'],
    ['DEL', '"a\\u007f"'],
    ['C1', '"a\\u0085b"'],
  ];
  const places = ['referenceId', 'invoiceNumber', 'statementDescriptor', 'customerId', 'metadata.key'];

  test.each(treacherous)('%s is refused in every text', async (_name, json) => {
    for (const place of places) {
      const body = place === 'metadata.key' ? textWith('metadata', `{"key":${json}}`) : textWith(place, json);
      const { envelope } = await send({ body });
      expect([place, envelope.status, Object.keys(envelope.params ?? {})]).toEqual([place, 400, [place]]);
    }
  });

  test('dangerous names of fields are refused and not repeated', async () => {
    for (const key of ['\\ud800', 'a\\u0000', '\\u2028', '\\r\\nX: 1', '4242424242424242', 'x'.repeat(5_000)]) {
      const { text } = await invalid({ body: valid().replace(/}$/, `,"${key}":1}`) });
      expect(text).not.toMatch(/4242424242424242|x{100}|[\u2028\ud800]/);
    }
  });
});
