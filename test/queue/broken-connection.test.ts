/** What a pool says about how a nudge came, and what it leaves at its end, on the real Redis behind a front that breaks connections. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { limits } from '../../config/limits.js';
import { createLog } from '../../shared/log.js';
import { workJobsOf, workPayment } from '../../shared/queue/work-payment.job.js';
import { onJob, type Pool } from '../../workers/pool.js';
import { type RunningPool, runPool } from '../../workers/run-pool.js';
import { passingTime } from '../support/passing-time.js';
import { until } from '../support/patience.js';
import { testRedisPrefix, testRedisUrl } from '../support/services.js';
import { type OpenNudges, openNudges } from './open-nudges.js';

const log = createLog('test', 'silent');
const metrics = { event: () => undefined };
const redisPrefix = testRedisPrefix('broken-connection');
const open = new Set<Socket>();
const time = passingTime();

let front: Server;
/** Nudges of the test itself, which do not pass the front. */
let own: OpenNudges;
let running: RunningPool | undefined;
/** Value of `handedOutOnce` with which each payment was delivered. */
const delivered = new Map<string, boolean>();

beforeAll(async () => {
  const { hostname, port } = new URL(testRedisUrl());
  front = createServer((socket) => {
    const inner = connect(Number(port), hostname);
    open.add(socket);
    socket.on('error', () => inner.destroy());
    socket.on('close', () => {
      open.delete(socket);
      inner.destroy();
    });
    inner.on('error', () => socket.destroy());
    inner.on('close', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  own = await openNudges(redisPrefix, log);
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(async () => {
  time.giveBack();
  await own?.close();
  front?.close();
});

type Work = (paymentId: string) => Promise<void>;

function run(work: Work = async () => undefined, close: Pool['close'] = async () => undefined) {
  const url = new URL(testRedisUrl());
  url.host = `127.0.0.1:${(front.address() as AddressInfo).port}`;
  const jobs = workJobsOf('processor').map((job) =>
    onJob(job, ({ paymentId }, { handedOutOnce }) => {
      delivered.set(paymentId, handedOutOnce);
      return work(paymentId);
    }),
  );
  const sweep = async () => ({ found: 0, more: false });
  const pool: Pool = { name: 'processor', jobs, sweep, close };
  running = runPool(pool, { redisUrl: url.href, redisPrefix, concurrency: 4, log, metrics });
  return running;
}

let nth = 0;
/** Adds a nudge; returns the payment that it names. */
async function addOne(): Promise<string> {
  nth += 1;
  const paymentId = `pay_${nth}`;
  await own.nudges.add(workPayment.authorize, { paymentId, txId: `txn_${nth}`, gen: 1, traceId: 'trace' });
  return paymentId;
}
/** Whether the next nudge is delivered as handed out once. */
async function isHandedOutOnce(): Promise<boolean> {
  const paymentId = await addOne();
  await until(() => delivered.has(paymentId));
  return delivered.get(paymentId) === true;
}

test('a nudge is handed out once unless the connection broke within a lease; a stopped pool closes all', async () => {
  const pool = run();
  // A first connection counts as never broken.
  expect(await isHandedOutOnce()).toBe(true);
  // A slow machine may take as long as the lease until it delivers.
  await until(async () => {
    for (const socket of open) socket.destroy();
    return !(await isHandedOutOnce());
  });
  time.by(limits.storedClaimLeaseMs);
  expect(await isHandedOutOnce()).toBe(true);
  expect(open.size).toBeGreaterThan(0);
  await pool.stop();
  running = undefined;
  await until(() => open.size === 0);
});

test('a pool that stops closes after all running work has ended, then leaves its connection', async () => {
  const releases = new Map<string, () => void>();
  const ended: string[] = [];
  const work: Work = async (paymentId) => {
    await new Promise<void>((resolve) => releases.set(paymentId, resolve));
    ended.push(paymentId);
  };
  const pool = run(work, async () => void ended.push('closed'));
  const [one, other] = [await addOne(), await addOne()];
  await until(() => releases.size === 2);
  const connections = open.size;
  const stopping = pool.stop();
  running = undefined;
  // The connection on which the pool waits for jobs ends: the pool takes no more of them.
  await until(() => open.size < connections);
  releases.get(other)?.();
  await until(() => ended.length > 0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([other]);
  expect(open.size).toBeGreaterThan(0);
  releases.get(one)?.();
  await stopping;
  expect(ended).toEqual([other, one, 'closed']);
  await until(() => open.size === 0);
});
