/**
 * Callers that send slowly, read slowly or keep connections for nothing (docs/security.md#slow-and-malformed-clients), on a server
 * whose time limits are about a tenth of the real ones (`server.test.ts` compares the real ones with config/limits.ts). Other callers
 * must not notice them.
 */
import http from 'node:http';
import net from 'node:net';
import { defineEndpoint } from '../../api/http/define-endpoint.js';
import { createServer, listen } from '../../api/http/server.js';
import { limits } from '../../config/limits.js';
import { Joi } from '../../shared/contract/joi.js';
import { until } from '../support/patience.js';
import { GOOD, testApp } from './app-under-test.js';

const ANSWER_BYTES = 8 * 1024 * 1024;
const large = defineEndpoint({
  method: 'get',
  path: '/v1/large',
  operationId: 'large',
  summary: 'More than the buffers of a connection hold',
  tags: ['test'],
  auth: 'none',
  merchantScope: 'none',
  responses: { 200: Joi.any() },
  errors: [],
  handle: () => ({ text: 'x'.repeat(ANSWER_BYTES) }),
});

const bounds = {
  ...limits,
  headersTimeoutMs: limits.headersTimeoutMs / 10,
  requestTimeoutMs: limits.requestTimeoutMs / 16,
  connectionsCheckingIntervalMs: limits.connectionsCheckingIntervalMs / 10,
  keepAliveTimeoutMs: 500,
  socketIdleTimeoutMs: 800,
  mongoOperationMs: 100,
  answerPendingMs: 100,
  answerMarginMs: 100,
  connectionsMax: 400,
  requestsPerSocketMax: 5,
};
const server = createServer(testApp({}, [large]).app, 0, bounds);
let port: number;
beforeAll(async () => {
  port = await listen(server, 0, '127.0.0.1');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

interface Slow {
  readonly socket: net.Socket;
  readonly openedAt: number;
  closedAt?: number;
  text: string;
}

const slow: Slow[] = [];
afterEach(async () => {
  for (const { socket } of slow.splice(0)) socket.destroy();
  await until(async () => (await connections()) === 0);
});

function open(first: string): Promise<Slow> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    const one: Slow = { socket, openedAt: performance.now(), text: '' };
    socket.on('connect', () => {
      socket.write(first);
      resolve(one);
    });
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      one.text += chunk.toString('latin1');
    });
    socket.on('close', () => {
      one.closedAt = performance.now();
    });
    slow.push(one);
  });
}
const openMany = (count: number, first: string) => Promise.all(Array.from({ length: count }, () => open(first)));
const connections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

/** Makes an ordinary request. Returns its duration (ms). */
async function honest(agent: http.Agent): Promise<number> {
  const startedAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    const sent = http.get({ port, agent, path: '/v1/things/query' }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
      response.resume().on('end', resolve);
    });
    sent.on('error', reject);
  });
  return performance.now() - startedAt;
}
/** Returns the sorted durations of ordinary requests (ms). */
async function timesOf(requests: number): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  const times = [];
  for (let index = 0; index < requests; index++) times.push(await honest(agent));
  agent.destroy();
  return times.sort((a, b) => a - b);
}
const at = (share: number, sorted: readonly number[]) => sorted[Math.floor(sorted.length * share)] ?? 0;

const head = (...headers: string[]) =>
  ['POST /v1/echo HTTP/1.1', 'Host: a', `Authorization: ${GOOD}`, ...headers, ''].join('\r\n');

test('three hundred requests with endless headers do not slow down others, and are all closed with 408', async () => {
  await timesOf(50);
  const before = await timesOf(200);
  const many = await openMany(300, 'GET /v1/things/query HTTP/1.1\r\nHost: a\r\n');
  const drip = setInterval(() => {
    for (const { socket } of many) if (socket.writable) socket.write('X-A: b\r\n');
  }, 100);
  const during = await timesOf(200);
  await until(() => many.every(({ closedAt }) => closedAt !== undefined));
  clearInterval(drip);
  // A small multiple of the time before, plus what a busy machine with both ends in one process adds to such small numbers.
  expect(at(0.5, during)).toBeLessThan(at(0.5, before) * 5 + 50);
  expect(at(0.99, during)).toBeLessThan(at(0.99, before) * 5 + 2_000);
  for (const { text } of many) expect(text).toMatch(/^HTTP\/1\.1 408 /);
});

test('bodies that drip are cut off when the whole request has taken too long', async () => {
  const many = await openMany(50, `${head('Content-Type: application/json', 'Content-Length: 1000')}\r\n{`);
  const drip = setInterval(() => {
    for (const { socket } of many) if (socket.writable) socket.write(' ');
  }, 50);
  await until(() => many.every(({ closedAt }) => closedAt !== undefined));
  clearInterval(drip);
  const longest = Math.max(...many.map(({ openedAt, closedAt = 0 }) => closedAt - openedAt));
  expect(longest).toBeGreaterThan(bounds.requestTimeoutMs - 100);
});

test('an unauthenticated request is refused before its body is received', async () => {
  const one = await open(
    'POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
  );
  await until(() => one.text.length > 0);
  expect(one.text).toMatch(/^HTTP\/1\.1 401 /);
});

test('the connection of a caller that does not read its answer is closed when nothing moves', async () => {
  const one = await open('');
  one.socket.pause();
  one.socket.write('GET /v1/large HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(async () => (await connections()) === 0);
  expect(one.text.length).toBeLessThan(ANSWER_BYTES);
});

test('connections without a request, and those that were answered, are closed', async () => {
  const silent = await open('');
  const answered = await open('GET /v1/things/query HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => silent.closedAt !== undefined && answered.closedAt !== undefined);
  expect(answered.text).toMatch(/^HTTP\/1\.1 200 /);
});

test('a connection ends with its fifth answer', async () => {
  const one = await open('GET /v1/things/query HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(8));
  await until(() => one.closedAt !== undefined);
  expect(one.text.match(/HTTP\/1\.1 200 /g)).toHaveLength(5);
  expect(one.text).toMatch(/Connection: close/i);
});

test('connections above the limit are refused; others go on, and new ones are accepted when some have closed', async () => {
  const many = await openMany(bounds.connectionsMax, '');
  await until(async () => (await connections()) === bounds.connectionsMax);
  const tooMany = await open('GET /v1/things/query HTTP/1.1\r\nHost: a\r\n\r\n').catch(() => undefined);
  await until(() => tooMany?.closedAt !== undefined || tooMany === undefined);
  expect(tooMany?.text ?? '').toBe('');
  const [inside] = many;
  inside?.socket.write('GET /v1/things/query HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => /200 OK/.test(inside?.text ?? ''));
  for (const { socket } of many) socket.destroy();
  await until(async () => (await connections()) === 0);
  await honest(new http.Agent());
});
