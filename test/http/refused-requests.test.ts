/**
 * Requests that reach no route (docs/security.md#slow-and-malformed-clients, docs/security.md#one-host): they get the usual envelope,
 * and no more of them is read.
 */

import http from 'node:http';
import net from 'node:net';
import { defineEndpoint, type UploadedFile } from '../../api/http/define-endpoint.js';
import { createServer, listen } from '../../api/http/server.js';
import { limits } from '../../config/limits.js';
import { Joi } from '../../shared/contract/joi.js';
import { until } from '../support/patience.js';
import { GOOD, testApp } from './app-under-test.js';

const open = {
  tags: ['test'],
  auth: 'none',
  merchantScope: 'none',
  responses: { 200: Joi.any() },
  errors: [],
} as const;
const waiting: ((value: unknown) => void)[] = [];
const slow = defineEndpoint({
  ...open,
  method: 'get',
  path: '/v1/slow',
  operationId: 'slow',
  summary: 'Waits for the test',
  handle: () => new Promise((resolve) => waiting.push(resolve)),
});
const upload = defineEndpoint<unknown, unknown, UploadedFile>({
  ...open,
  method: 'put',
  path: '/v1/upload',
  operationId: 'upload',
  summary: 'Length of a file',
  request: { upload: { part: 'file', bytesMax: 100_000, contentTypes: ['image/png'] } },
  handle: ({ body }) => ({ length: body.bytes.length }),
});

const { app, lines, deps } = testApp({}, [slow, upload]);
const server = createServer(app, 0, limits);
/** A server with short time limits for requests. */
const hastyServer = createServer(app, 0, {
  ...limits,
  headersTimeoutMs: 200,
  requestTimeoutMs: 400,
  connectionsCheckingIntervalMs: 50,
});
const sockets: net.Socket[] = [];
server.on('connection', (socket) => sockets.push(socket));
let port: number;
let hastyPort: number;
beforeAll(async () => {
  port = await listen(server, 0, '127.0.0.1');
  hastyPort = await listen(hastyServer, 0, '127.0.0.1');
});
beforeEach(() => {
  lines.splice(0);
  sockets.splice(0);
});
afterAll(() => {
  for (const each of [server, hastyServer]) {
    each.closeAllConnections();
    each.close();
  }
});

interface Talk {
  readonly socket: net.Socket;
  text: string;
  ended: boolean;
}

function talk(bytes: string | Buffer, at = port): Talk {
  const socket = net.connect(at, '127.0.0.1', () => socket.write(bytes));
  const talked: Talk = { socket, text: '', ended: false };
  socket.on('data', (chunk) => {
    talked.text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  for (const event of ['end', 'close'] as const) {
    socket.on(event, () => {
      talked.ended = true;
    });
  }
  return talked;
}

/** Sends the bytes and returns the only answer, after the server has closed the connection. */
async function ask(bytes: string, at = port) {
  const talked = talk(bytes, at);
  await until(() => talked.ended);
  talked.socket.destroy();
  expect(talked.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  const [head = '', body = ''] = talked.text.split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), head: head.toLowerCase(), body: JSON.parse(body) };
}

const get = (...headers: string[]) => ['GET /v1/things/query HTTP/1.1', ...headers, '', ''].join('\r\n');
const post = (...headers: string[]) =>
  [
    'POST /v1/echo HTTP/1.1',
    'Host: a',
    `Authorization: ${GOOD}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n');

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed-request'],
  ['a broken header', get('Host: a', 'X-A : b'), 400, 'malformed-request'],
  ['no Host', get(), 400, 'malformed-request'],
  ['two Hosts', get('Host: a', 'Host: b'), 400, 'malformed-request'],
  ['the same Host twice', get('Host: a', 'host: a'), 400, 'malformed-request'],
  [
    'headers that are too large',
    get('Host: a', `X-A: ${'x'.repeat(limits.headersBytesMax)}`),
    431,
    'headers-too-large',
  ],
  ['headers that do not end', 'GET /v1/things/query HTTP/1.1\r\nHost: a\r\n', 408, 'request-timeout'],
  ['a body that does not end', post('Content-Length: 10'), 408, 'request-timeout'],
  ['a chunk that is none', `${post('Transfer-Encoding: chunked')}zz\r\n`, 400, 'malformed-request'],
  ['another expectation', post('Expect: 200-ok', 'Content-Length: 2'), 417, 'expectation-failed'],
])(
  '%s is answered with the envelope and a trace id, is logged, and the connection closes',
  async (_name, bytes, status, code) => {
    const answer = await ask(bytes, status === 408 ? hastyPort : port);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(Object.keys(answer.body).sort()).toEqual(['code', 'message', 'status', 'traceId', 'type']);
    for (const header of ['connection: close', 'x-content-type-options: nosniff', 'cache-control: no-store']) {
      expect(answer.head).toContain(header);
    }
    expect(answer.head).toContain(`x-trace-id: ${answer.body.traceId}`);
    await until(() => lines.length > 0);
    expect(lines).toEqual([
      expect.objectContaining({ message: 'request.completed', status, code, traceId: answer.body.traceId }),
    ]);
    expect(await deps.metrics.text()).toContain(`status="${status}"`);
  },
);

test('HTTP/1.0 needs no Host', async () => {
  const talked = talk('GET /v1/things/query HTTP/1.0\r\n\r\n');
  await until(() => talked.ended);
  expect(talked.text).toContain('200 OK');
});

test('a parse error after a request in progress is not sent as the answer to that request', async () => {
  const talked = talk('GET /v1/slow HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n');
  await until(() => talked.ended);
  expect(talked.text).toBe('');
  waiting.pop()?.({});
});

describe('a request body', () => {
  /** Bytes that the kernel and the parser may hold when the limit is reached. */
  const READ_AT_MOST = limits.jsonBodyBytesMax + 4 * 64 * 1024;
  const huge = 206 * 1024 * 1024;
  const inChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const chunk = inChunk('x'.repeat(64 * 1024));
  const put = (header: string) =>
    `PUT /v1/upload HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n${header}\r\n\r\n`;
  const fileHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

  // The parser is loaded with the first file; the kernel buffers everything that arrives meanwhile.
  beforeAll(async () => {
    const body = `${fileHead}x\r\n--b--\r\n`;
    expect((await ask(put(`Content-Length: ${body.length}\r\nConnection: close`) + body)).status).toBe(200);
  });

  /** Sends as long as the server allows. Returns the answer and the number of bytes that the server read. */
  async function sendUntilClosed(head: string, piece: string, onPiece = () => {}) {
    const talked = talk(head);
    await until(() => sockets.length > 0);
    let sent = 0;
    while (!talked.ended && sent < huge) {
      if (!talked.socket.writableNeedDrain) {
        talked.socket.write(piece);
        sent += piece.length;
      }
      onPiece();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => talked.ended);
    talked.socket.destroy();
    return { text: talked.text, read: sockets[0]?.bytesRead ?? Number.NaN };
  }

  test.each([
    ['announced', post(`Content-Length: ${huge}`), 'x'.repeat(64 * 1024), 413],
    ['in chunks', post('Transfer-Encoding: chunked'), chunk, 413],
    ['without credentials', 'POST /v1/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', chunk, 401],
    ['to nowhere', `POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: ${huge}\r\n\r\n`, chunk, 404],
    ['where none belongs', get('Host: a', `Content-Length: ${huge}`), chunk, 200],
    ['as a file', put('Transfer-Encoding: chunked') + inChunk(fileHead), chunk, 413],
    ['as a file, announced', put(`Content-Length: ${huge}`) + fileHead, 'x'.repeat(64 * 1024), 413],
  ])('over the limit (%s) is answered at once and not read', async (_name, head, piece, status) => {
    const { text, read } = await sendUntilClosed(head, piece);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toMatch(/connection: close/i);
    if (status !== 200) expect(text).toContain('"traceId"');
    expect(read).toBeLessThan(READ_AT_MOST);
  });

  test('over the limit that has begun to arrive before the answer is not read either', async () => {
    const answerLate = () => {
      if ((sockets[0]?.bytesRead ?? 0) > 32 * 1024) waiting.pop()?.({});
    };
    const head = `GET /v1/slow HTTP/1.1\r\nHost: a\r\nContent-Length: ${huge}\r\n\r\n`;
    const { text, read } = await sendUntilClosed(head, 'x'.repeat(64 * 1024), answerLate);
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(read).toBeLessThan(READ_AT_MOST);
  });

  test('with Expect: 100-continue is refused with 413 or 401, without "100 Continue"', async () => {
    const { status, head } = await ask(post('Expect: 100-continue', `Content-Length: ${limits.jsonBodyBytesMax + 1}`));
    expect({ status, head }).toEqual({ status: 413, head: expect.stringContaining('connection: close') });
    const unknown = await ask('POST /v1/echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
    expect(unknown).toMatchObject({ status: 401, head: expect.stringContaining('connection: close') });
  });

  test('with Expect: 100-continue is answered with "100 Continue" if it is wanted', async () => {
    const body = '{"merchantId":7}';
    const headers = { authorization: GOOD, 'content-type': 'application/json', expect: '100-continue' };
    const sent = http.request({
      port,
      method: 'POST',
      path: '/v1/echo',
      headers: { ...headers, 'content-length': 16 },
    });
    sent.on('continue', () => sent.end(body));
    const status = await new Promise((resolve) => sent.on('response', (answer) => resolve(answer.statusCode)));
    expect(status).toBe(200);
    sent.destroy();
  });

  test('is refused without closing the connection if it is short', async () => {
    const talked = talk(
      `POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345${get('Host: a', 'Connection: close')}`,
    );
    await until(() => talked.ended);
    expect(talked.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });
});
