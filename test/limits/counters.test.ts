/** Counting over two processes on a real Redis, and without Redis. */
import { createServer, type Server, type Socket } from 'node:net';
import { type Counters, createCounters } from '../../api/limits/counters.js';
import type { Log, LogFields } from '../../shared/log.js';
import { createProducerRedis, type Redis } from '../../shared/queue/redis.js';
import { testRedisPrefix, testRedisUrl } from '../support/services.js';

const warnings: LogFields[] = [];
const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (_message, fields = {}) => void warnings.push(fields),
  error: () => {},
  with: () => log,
};
const metrics = { event: () => {} };
const opened: Redis[] = [];
let suites = 0;

/** Makes the counters of one process. */
async function processOn(url: string, redisPrefix: string, ready = true): Promise<Counters> {
  const redis = createProducerRedis(url, log);
  opened.push(redis);
  if (ready) await new Promise((resolve) => redis.once('ready', resolve));
  return createCounters({ redis, redisPrefix, log, metrics });
}
const newPrefix = () => testRedisPrefix(`counters-${Date.now()}-${suites++}`);

afterEach(() => {
  for (const redis of opened.splice(0)) redis.disconnect();
  warnings.length = 0;
});

const allowance = { name: 'things', max: 20, windowSeconds: 60 };

test('two processes together let exactly the maximum through, at once and one by one', async () => {
  const prefix = newPrefix();
  const [first, second] = [await processOn(testRedisUrl(), prefix), await processOn(testRedisUrl(), prefix)];
  const [one, two] = [first.counter(allowance), second.counter(allowance)];
  const counts = await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 2 ? one : two).count('a')));
  expect(counts.filter(({ allowed }) => allowed)).toHaveLength(20);
  for (const { resetSeconds, limit } of counts) {
    expect(limit).toBe(20);
    expect(resetSeconds).toBeGreaterThanOrEqual(1);
    expect(resetSeconds).toBeLessThanOrEqual(60);
  }
  expect((await two.count('b')).remaining).toBe(19);
  expect((await one.look('b')).remaining).toBe(19);
  expect(await one.look('a')).toMatchObject({ allowed: false, remaining: 0 });
  expect(warnings).toEqual([]);
});

test('a window ends, and a look counts nothing', async () => {
  const counters = await processOn(testRedisUrl(), newPrefix());
  const counter = counters.counter({ name: 'short', max: 1, windowSeconds: 1 });
  expect(await counter.look('a')).toMatchObject({ allowed: true, remaining: 1 });
  expect((await counter.count('a')).allowed).toBe(true);
  expect(await counter.look('a')).toMatchObject({ allowed: false, resetSeconds: 1 });
  expect((await counter.count('a')).allowed).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  expect((await counter.count('a')).allowed).toBe(true);
});

test('without Redis each process counts by itself, within the maximum, with one warning and no error', async () => {
  const counters = await processOn('redis://127.0.0.1:1', newPrefix(), false);
  const counter = counters.counter(allowance);
  const counts = await Promise.all(Array.from({ length: 50 }, () => counter.count('a')));
  expect(counts.filter(({ allowed }) => allowed)).toHaveLength(20);
  expect(await counter.look('a')).toMatchObject({ allowed: false });
  expect(warnings.filter(({ kind }) => kind === 'things')).toHaveLength(1);
});

test('a Redis that hangs costs one time-out, not one per request', async () => {
  const sockets: Socket[] = [];
  let answering = true;
  // Speaks just enough for a client to become ready, and then falls silent.
  const silent: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (!answering) return;
      const commands = data.toString('latin1').match(/\*\d+\r\n/g)?.length ?? 1;
      const info = '# Server\r\nredis_version:7.0.0\r\nloading:0\r\n';
      const reply = /info/i.test(data.toString('latin1')) ? `$${info.length}\r\n${info}\r\n` : '+OK\r\n';
      socket.write(reply.repeat(commands));
    });
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const counters = await processOn(`redis://127.0.0.1:${port}`, newPrefix());
  answering = false;
  const counter = counters.counter(allowance);
  const tookMs: number[] = [];
  for (let index = 0; index < 10; index++) {
    const startedAt = performance.now();
    expect((await counter.count('a')).allowed).toBe(true);
    tookMs.push(performance.now() - startedAt);
  }
  // The first call waits for Redis. The later ones know that it hangs, also before its connection is given up.
  const [first = 0, ...later] = tookMs;
  expect(first).toBeGreaterThan(300);
  expect(Math.min(...later.slice(0, 2))).toBeLessThan(first / 2);
  expect(Math.min(...later.slice(5))).toBeLessThan(first / 2);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
