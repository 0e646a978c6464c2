/** A Redis that answers, but refuses to hand out the jobs that wait in it: a worker asks it now and then, and says why it gets none. */
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../config/limits.js';
import { infoField } from '../../shared/queue/eviction.js';
import { createNudges } from '../../shared/queue/nudges.js';
import { createPatientRedis, createProducerRedis, isReady, type Redis, type Server } from '../../shared/queue/redis.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import { type TakingJobs, takeJobs } from '../../workers/take-jobs.js';
import { type Line, memoryLog } from '../http/app-under-test.js';
import { type OwnRedis, startOwnRedis } from '../support/own-servers.js';
import { until } from '../support/patience.js';

const PREFIX = 'refused';
const WATCHED_MS = 3_000;
const lines: Line[] = [];
const log = memoryLog(lines);
const events: string[] = [];
const metrics = { event: (event: string) => void events.push(event) };
let server: OwnRedis;
let admin: Server;
let producer: Redis;
let taking: TakingJobs | undefined;

beforeAll(async () => {
  server = await startOwnRedis();
  admin = createPatientRedis(server.url, log) as Server;
  producer = createProducerRedis(server.url, log);
  await until(() => isReady(producer));
});
afterAll(async () => {
  await taking?.close();
  producer?.disconnect();
  admin?.disconnect();
  await server?.stop();
});

const commands = async () => Number(infoField(await admin.info('stats'), 'total_commands_processed'));
const warnings = (message: string) => lines.filter((line) => line.level === 'warn' && line.message === message);

test('a full Redis is asked about once a second for the jobs that wait in it, and they are taken when it has room', async () => {
  const nudges = createNudges(producer, PREFIX, log, metrics);
  const job = workPayment.authorize;
  const payload = { paymentId: 'pay_1', txId: 'txn_1', gen: 1, traceId: 'trace' };
  expect(await nudges.add(job, payload)).toBe(true);
  await admin.config('SET', 'maxmemory', '1');
  const beganMs = performance.now();
  const done: unknown[] = [];
  const handle = async (given: unknown) => void done.push(given);
  const pool = {
    ...{ name: 'processor', jobs: [{ name: job.name, schema: job.schema, handle }] },
    ...{ sweep: async () => ({ found: 0, more: false }), close: async () => undefined },
  } as const;
  const redis = { redisUrl: server.url, redisPrefix: PREFIX };
  taking = takeJobs(pool as never, { ...redis, concurrency: 4, log, metrics });
  await until(() => warnings('jobs.not-taken').length > 0);
  expect(warnings('jobs.not-taken')[0]).toMatchObject({ pool: 'processor', error: expect.any(Error) });

  const before = await commands();
  await pause(WATCHED_MS);
  // A refused look is one script with a few commands in it; without a pause there were thousands of them.
  expect((await commands()) - before).toBeLessThan((WATCHED_MS / limits.nudgeApartMs) * 20);
  expect(done).toEqual([]);

  // Nudges that are refused are counted in one record, too.
  for (let n = 0; n < 5; n += 1) expect(await nudges.add(job, payload)).toBe(false);
  expect(warnings('nudge.not-added')[0]).toMatchObject({ queue: 'processor', count: 1 });
  const recordsMax = 1 + (performance.now() - beganMs) / limits.logAgainMs;
  for (const message of ['jobs.not-taken', 'nudge.not-added']) {
    expect(warnings(message).length).toBeLessThanOrEqual(recordsMax);
  }

  await admin.config('SET', 'maxmemory', '0');
  await until(() => done.length > 0);
  expect(done).toEqual([payload]);
  await nudges.close();
});
