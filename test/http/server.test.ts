import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { answerLimitMs } from '../../api/http/answer-limit.js';
import { defineEndpoint } from '../../api/http/define-endpoint.js';
import { createServer, drain, listen } from '../../api/http/server.js';
import { limits } from '../../config/limits.js';
import { Joi } from '../../shared/contract/joi.js';
import { until } from '../support/patience.js';
import { GOOD, testApp } from './app-under-test.js';

interface Gate {
  open?: (value: unknown) => void;
  flushed?: (flushed: boolean) => void;
}
const gate: Gate = {};
const openGate = (value: unknown) => gate.open?.(value);
const slow = defineEndpoint({
  method: 'get',
  path: '/v1/slow',
  operationId: 'slow',
  summary: 'Waits for the test',
  tags: ['test'],
  auth: 'none',
  merchantScope: 'none',
  responses: { 200: Joi.any() },
  errors: [],
  async handle(context) {
    context.onFlushed((flushed) => gate.flushed?.(flushed));
    return new Promise((resolve) => {
      gate.open = resolve;
    });
  },
});

const { app, lines } = testApp({}, [slow]);
const server = createServer(app);
let port: number;
beforeAll(async () => {
  port = await listen(server, 0, '127.0.0.1');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends bytes and returns everything received until the server closes, or until it is silent for a moment. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setTimeout(300, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

test('has the bounds of config/limits.ts', () => {
  expect(server).toMatchObject({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeadersCount: limits.headersCountMax + 1,
    maxRequestsPerSocket: limits.requestsPerSocketMax,
    maxConnections: limits.connectionsMax,
    timeout: limits.socketIdleTimeoutMs,
  });
  expect(createServer(app, 60_000).timeout).toBe(answerLimitMs(60_000) + limits.answerMarginMs);
});

const post = (headers: string, body = '') =>
  `POST /v1/echo HTTP/1.1\r\nHost: a\r\nAuthorization: ${GOOD}\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
test.each([
  ['Content-Length and Transfer-Encoding', post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ['two Content-Lengths', post('Content-Length: 4\r\nContent-Length: 5\r\n', '{}{}')],
  ['a list as Content-Length', post('Content-Length: 2, 2\r\n', '{}')],
  ['a negative Content-Length', post('Content-Length: -1\r\n')],
  ['a Content-Length with a sign', post('Content-Length: +2\r\n', '{}')],
  ['a folded header', post('X-A: b\r\n c\r\nContent-Length: 2\r\n', '{}')],
  ['a bare line feed', 'GET /healthz HTTP/1.1\nHost: a\n\n'],
  ['a space before the colon', post('X-A : b\r\nContent-Length: 2\r\n', '{}')],
  ['a NUL in a header', post('X-A: \u0000\r\nContent-Length: 2\r\n', '{}')],
  ['a chunk size that is none', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n')],
  ['an unknown last coding', post('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n')],
  ['two codings named alike', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
  ['no Host', 'GET /v1/things/query HTTP/1.1\r\n\r\n'],
  ['an unknown method', 'BREW /v1/echo HTTP/1.1\r\nHost: a\r\n\r\n'],
])('%s is 400 and the connection closes', async (_name, bytes) => {
  const text = await raw(bytes);
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toMatch(/Connection: close/i);
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test('headers over 16 kB are 431', async () => {
  expect(await raw(`GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(17_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
});

test('a handler is notified that its answer was flushed', async () => {
  const flushed = new Promise<boolean>((resolve) => {
    gate.flushed = resolve;
  });
  const answered = fetch(`http://127.0.0.1:${port}/v1/slow`);
  await until(() => gate.open !== undefined);
  openGate({ done: true });
  expect(await (await answered).json()).toEqual({ done: true });
  expect(await flushed).toBe(true);
});

test('a handler is notified that its caller is gone, and the log line says 499', async () => {
  delete gate.open;
  lines.splice(0);
  const flushed = new Promise<boolean>((resolve) => {
    gate.flushed = resolve;
  });
  const controller = new AbortController();
  const answered = fetch(`http://127.0.0.1:${port}/v1/slow`, { signal: controller.signal }).catch(() => 'gone');
  await until(() => gate.open !== undefined);
  controller.abort();
  expect(await flushed).toBe(false);
  expect(await answered).toBe('gone');
  await until(() => lines.length > 0);
  expect(lines[0]).toMatchObject({ message: 'request.completed', route: '/v1/slow', status: 499 });
  openGate({ unread: 'answer' });
});

test('draining answers requests in flight and accepts no new ones', async () => {
  delete gate.open;
  const state = { draining: false, check: async () => ({ ready: true, mongodb: 'ok' as const, redis: 'ok' as const }) };
  const other = createServer(testApp({ readiness: state }, [slow]).app);
  await listen(other, 0, '127.0.0.1');
  const { port: otherPort } = other.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true });
  const answered = new Promise<http.IncomingMessage>((resolve) => {
    http.get({ agent, port: otherPort, path: '/v1/slow' }, resolve);
  });
  await until(() => gate.open !== undefined);
  state.draining = true;
  const drained = drain(other, 50);
  await expect(fetch(`http://127.0.0.1:${otherPort}/v1/things/query`)).rejects.toThrow();
  openGate({});
  const answer = await answered;
  expect([answer.statusCode, answer.headers['connection']]).toEqual([200, 'close']);
  answer.resume();
  await drained;
  agent.destroy();
});

test('requests and responses have the prototypes of the application before it gets them', async () => {
  const seen: boolean[] = [];
  server.prependOnceListener('request', (request, response) => {
    seen.push(Object.getPrototypeOf(request) === app.request, Object.getPrototypeOf(response) === app.response);
  });
  const answer = await raw('GET /v1/crash HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 500 /);
  expect(seen).toEqual([true, true]);
  // The properties of Express itself are still there.
  expect(Object.keys(app.request)).toEqual([]);
  expect(typeof app.response.json).toBe('function');
});
