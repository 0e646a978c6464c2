/** A worker that no longer asks for jobs is replaced, and no other is, on the real Redis. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { limits } from '../../config/limits.js';
import { queuePrefix } from '../../shared/queue/nudges.js';
import { workJobsOf, workPayment } from '../../shared/queue/work-payment.job.js';
import { onJob } from '../../workers/pool.js';
import { type RunningPool, runPool } from '../../workers/run-pool.js';
import { type Line, memoryLog } from '../http/app-under-test.js';
import { passingTime } from '../support/passing-time.js';
import { until } from '../support/patience.js';
import { testRedisPrefix, testRedisUrl } from '../support/services.js';
import { type OpenNudges, openNudges } from './open-nudges.js';

/** Sweeps after which a worker that would be replaced has been. */
const SWEEPS = 3;

const redisPrefix = testRedisPrefix('silent-worker');
const lines: Line[] = [];
const log = memoryLog(lines);
const events: string[] = [];
const metrics = { event: (name: string) => void events.push(name) };
const time = passingTime();
const { duplicate } = Redis.prototype;

let own: OpenNudges;
let queue: Queue;
let running: RunningPool | undefined;
let sweeps = 0;
const stuck: Redis[] = [];

beforeAll(async () => {
  own = await openNudges(redisPrefix, log);
  queue = new Queue('processor', { connection: own.redis, prefix: queuePrefix(redisPrefix, 'processor') });
});
beforeEach(() => {
  lines.length = 0;
  events.length = 0;
});
afterEach(async () => {
  Redis.prototype.duplicate = duplicate;
  await running?.stop();
  running = undefined;
  for (const redis of stuck.splice(0)) Redis.prototype.disconnect.call(redis);
});
afterAll(async () => {
  time.giveBack();
  await queue?.close();
  await own?.close();
});

function run(handle: (paymentId: string) => Promise<void>, { concurrency = 4, redisUrl = testRedisUrl() } = {}) {
  const jobs = workJobsOf('processor').map((job) => onJob(job, ({ paymentId }) => handle(paymentId)));
  const sweep = async () => {
    sweeps += 1;
    return { found: 0, more: false };
  };
  const pool = { name: 'processor', jobs, sweep, close: async () => undefined } as const;
  running = runPool(pool, { redisUrl, redisPrefix, concurrency, log, metrics });
}

const add = (paymentId: string) =>
  own.nudges.add(workPayment.authorize, { paymentId, txId: `txn_${paymentId}`, gen: 1, traceId: 'trace' });

/** Resolves after sweeps that begin when the worker was silent for too long, as far as its process knows. */
async function sweepLater(): Promise<void> {
  time.by(limits.workerSilentMs);
  const before = sweeps;
  await until(() => sweeps >= before + SWEEPS);
}

test('a worker whose waiting connection is stuck is replaced, and the next one works', async () => {
  // What a cluster that fails over can leave behind: no answer ever, and no end.
  let asked = false;
  const connections: Redis[] = [];
  Redis.prototype.duplicate = function (this: Redis, ...args) {
    connections.push(this);
    const redis = duplicate.apply(this, args);
    stuck.push(redis);
    redis.disconnect = () => undefined;
    redis.bzpopmin = () => {
      asked = true;
      return new Promise(() => undefined);
    };
    return redis;
  };
  const worked: string[] = [];
  run(async (paymentId) => void worked.push(paymentId));
  await until(() => asked);
  Redis.prototype.duplicate = duplicate;
  await add('pay_stuck');
  time.by(limits.workerSilentMs);
  await until(() => worked.includes('pay_stuck'));
  expect(events).toEqual(['worker-replaced']);
  expect(lines.filter(({ message }) => message === 'worker.replaced')).toEqual([
    expect.objectContaining({ level: 'warn', pool: 'processor', reason: expect.stringContaining('asks') }),
  ]);
  // The other connection of the stuck worker, which never closes by itself, is not left open.
  expect(connections).toHaveLength(1);
  await until(() => connections[0]?.status === 'end');
});

test('a worker whose slots are all taken for long is not replaced', async () => {
  const worked: string[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  run(
    async (paymentId) => {
      worked.push(paymentId);
      await held;
    },
    { concurrency: 1 },
  );
  await add('pay_slow');
  await until(() => worked.length === 1);
  await add('pay_waiting');
  await until(async () => (await queue.getActiveCount()) === 1 && (await queue.getWaitingCount()) === 0);
  await sweepLater();
  expect(events).toEqual([]);
  release();
  await until(() => worked.length === 2);
});

test('a worker is not replaced while Redis is away', async () => {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(testRedisUrl());
  const front: Server = createServer((socket) => {
    sockets.add(socket);
    const inner = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    socket.pipe(inner).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const url = new URL(testRedisUrl());
  url.host = `127.0.0.1:${(front.address() as AddressInfo).port}`;
  const worked: string[] = [];
  run(async (paymentId) => void worked.push(paymentId), { redisUrl: url.href });
  await add('pay_before');
  await until(() => worked.length === 1);
  front.close();
  for (const socket of sockets) socket.destroy();
  await until(() => lines.some(({ message }) => message === 'redis.unreachable'));
  await sweepLater();
  expect(events).toEqual([]);
});
