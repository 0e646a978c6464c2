/** Nudges of one tick share jobs, on the real Redis: how a pool works on them. */
import { Queue } from 'bullmq';
import { limits } from '../../config/limits.js';
import type { Log, LogFields } from '../../shared/log.js';
import { type Nudges, queuePrefix } from '../../shared/queue/nudges.js';
import { workJobsOf, workPayment } from '../../shared/queue/work-payment.job.js';
import { onJob, type Pool } from '../../workers/pool.js';
import { type RunningPool, runPool } from '../../workers/run-pool.js';
import { testRedisPrefix, testRedisUrl } from '../support/services.js';
import { type OpenNudges, openNudges } from './open-nudges.js';

const lines: [string, LogFields][] = [];
const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
const log: Log = { debug: () => undefined, info: note, warn: note, error: note, with: () => log };
const events: string[] = [];
const metrics = { event: (name: string) => void events.push(name) };
const nudge = (n: number) => ({ paymentId: `pay_${n}`, txId: `txn_${n}`, gen: 1, traceId: 'trace' });
const add = (nudges: Nudges, from: number, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => nudges.add(workPayment.authorize, nudge(from + n))));

let own: OpenNudges;
let redisPrefix: string;
let nudges: Nudges;
let queue: Queue;
let running: RunningPool | undefined;
let nth = 0;

beforeEach(async () => {
  nth += 1;
  lines.length = 0;
  events.length = 0;
  redisPrefix = testRedisPrefix(`bundles-${nth}`);
  own = await openNudges(redisPrefix, log);
  nudges = own.nudges;
  queue = new Queue('processor', { connection: own.redis, prefix: queuePrefix(redisPrefix, 'processor') });
  queue.on('error', () => undefined);
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await queue.close();
  const left = await own.redis.keys(`*${redisPrefix}*`);
  if (left.length > 0) await own.redis.del(...left);
  await own.close();
});

/** Runs a pool whose work is `handle`. */
function run(concurrency: number, handle: (paymentId: string) => Promise<void>) {
  const jobs = workJobsOf('processor').map((job) => onJob(job, ({ paymentId }) => handle(paymentId)));
  const pool: Pool = {
    name: 'processor',
    jobs,
    sweep: async () => ({ found: 0, more: false }),
    close: async () => undefined,
  };
  running = runPool(pool, { redisUrl: testRedisUrl(), redisPrefix, concurrency, log, metrics });
}

/** Notes ids; `all` resolves when `count` different ids were noted. */
function collector(count: number) {
  const seen: string[] = [];
  let done: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const note = (id: string) => {
    seen.push(id);
    if (new Set(seen).size === count) done();
  };
  return { seen, note, all };
}

test('the nudges of a tick travel in few jobs, and each nudge is worked on once', async () => {
  const count = 2 * limits.nudgesPerJobMax + 1;
  await add(nudges, 0, count);
  expect(await queue.getJobCountByTypes('wait')).toBe(3);
  const { seen, note, all } = collector(count);
  run(256, async (id) => note(id));
  await all;
  expect(seen).toHaveLength(count);
});

test('a nudge of a sweep is a job of its own, and is not added twice while it waits', async () => {
  const offer = () => Promise.all([1, 2].map((n) => nudges.addFromSweep(workPayment.authorize, nudge(n))));
  await offer();
  await offer();
  const ids = (await queue.getJobs(['wait', 'prioritized'])).map(({ id }) => id);
  expect(ids.sort()).toEqual([1, 2].map((n) => workPayment.authorize.jobId(nudge(n))));
});

test('nudges of a sweep are taken behind all others, in order, and also by a pool that has nothing else', async () => {
  const offer = (...ns: number[]) => Promise.all(ns.map((n) => nudges.addFromSweep(workPayment.inquire, nudge(n))));
  await offer(1, 2);
  await add(nudges, 100, 2);
  await add(nudges, 102, 1);
  const { seen, note, all } = collector(5);
  const idle = collector(6);
  run(1, async (id) => {
    note(id);
    idle.note(id);
  });
  await all;
  expect(seen).toEqual(['pay_100', 'pay_101', 'pay_102', 'pay_1', 'pay_2']);
  await offer(3);
  await idle.all;
  await running?.stop();
  expect(await queue.getJobCountByTypes('wait', 'prioritized', 'active', 'completed', 'failed')).toBe(0);
});

test('a pool never works on more nudges at once than it has slots, and leaves none', async () => {
  const count = 3 * limits.nudgesPerJobMax;
  await add(nudges, 0, count);
  const { note, all } = collector(count);
  let [now, most] = [0, 0];
  run(5, async (id) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    note(id);
  });
  await all;
  expect(most).toBe(5);
});

test('a pool that stops begins nothing more of what it holds', async () => {
  await add(nudges, 0, limits.nudgesPerJobMax);
  const { seen, note, all } = collector(1);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  run(1, async (id) => {
    note(id);
    await held;
  });
  await all;
  const stopping = running?.stop();
  release();
  await stopping;
  // The nudge that waited for the slot when the pool was stopped gets it.
  expect(seen.length).toBeLessThanOrEqual(2);
});

test('a busy process holds one job, and the jobs behind it are free for another process', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = collector(2);
  await add(nudges, 0, limits.nudgesPerJobMax);
  await add(nudges, 100, limits.nudgesPerJobMax);
  run(2, async (id) => {
    first.note(id);
    await held;
  });
  await first.all;
  const busy = running;
  const second = collector(limits.nudgesPerJobMax);
  run(2, async (id) => second.note(id));
  await second.all;
  const stopping = busy?.stop();
  release();
  await stopping;
  expect(second.seen.every((id) => Number(id.slice('pay_'.length)) >= 100)).toBe(true);
});

test('slow work holds only its own slot, a failure harms no other work, and stopping waits for what runs', async () => {
  await add(nudges, 0, limits.nudgesPerJobMax);
  const { seen, note, all } = collector(3 * limits.nudgesPerJobMax - 2);
  let release: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fault = new Error('a fault of this test');
  run(2, async (id) => {
    if (id === 'pay_0') await slow;
    if (id === 'pay_1') throw fault;
    note(id);
  });
  await add(nudges, 100, limits.nudgesPerJobMax);
  await add(nudges, 200, limits.nudgesPerJobMax);
  await all;
  expect(seen).not.toContain('pay_0');
  expect(lines).toEqual([['job.failed', { pool: 'processor', job: workPayment.authorize.name, error: fault }]]);
  let stopped = false;
  const stopping = running?.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  release();
  await stopping;
  expect(seen).toContain('pay_0');
});

test('a job from elsewhere is refused nudge by nudge, each refusal is counted, and no job is kept', async () => {
  const good = { name: workPayment.authorize.name, data: nudge(1) };
  const bad = [
    { name: 'no-such' },
    { name: good.name, data: { ...nudge(2), more: 1 } },
    null,
    7,
    { data: nudge(3) },
    { ...good, data: { ...nudge(5), gen: '1' } },
  ];
  await queue.add('nudges', { nudges: [...bad, good] });
  for (const data of [{ nudges: 'x' }, {}, null]) await queue.add('nudges', data);
  await nudges.add(workPayment.authorize, nudge(4));
  const { seen, note, all } = collector(2);
  run(256, async (id) => note(id));
  await all;
  expect(seen.sort()).toEqual(['pay_1', 'pay_4']);
  const refused = bad.length + 3;
  expect(events).toEqual(Array(refused).fill('job-refused'));
  const reasons = lines.map(([message, { reason }]) => `${message} ${reason}`);
  expect(reasons.filter((line) => line === 'job.refused its payload does not fit')).toHaveLength(2);
  expect(reasons.filter((line) => line === 'job.refused no such job')).toHaveLength(refused - 2);
  // These jobs were added without saying how long they are kept.
  await running?.stop();
  expect(await queue.getJobCountByTypes('wait', 'active', 'completed', 'failed')).toBe(0);
});
