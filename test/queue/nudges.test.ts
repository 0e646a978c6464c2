/** Nudges on the real Redis, in a queue that no pool reads. */

import { limits } from '../../config/limits.js';
import { createLog } from '../../shared/log.js';
import { createNudges, type Nudges, queuePrefix } from '../../shared/queue/nudges.js';
import { createProducerRedis, isReady, type Redis } from '../../shared/queue/redis.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import { startOwnRedis } from '../support/own-servers.js';
import { until } from '../support/patience.js';
import { testRedisPrefix, testRedisUrl } from '../support/services.js';

const log = createLog('test', 'silent');
const prefix = testRedisPrefix('nudges');
let redis: Redis;
let nudges: Nudges;
let failed = 0;

const MOST = 3;
const nudge = (n: number) => ({ paymentId: `pay_${n}`, txId: `txn_${n}`, gen: 1, traceId: 'trace' });
const keys = () => redis.keys(`${queuePrefix(prefix, 'processor')}*`);

beforeAll(async () => {
  redis = createProducerRedis(testRedisUrl(), log);
  await new Promise((resolve) => redis.once('ready', resolve));
  const count = (_name: string, times = 1) => {
    failed += times;
  };
  nudges = createNudges(redis, prefix, log, { event: count }, MOST);
});
afterAll(async () => {
  const left = await keys();
  if (left.length > 0) await redis.del(...left);
  await nudges.close();
  redis.disconnect();
});

test('while no worker takes them, nudges over the limit are dropped', async () => {
  const added = await Promise.all(Array.from({ length: MOST }, (_, n) => nudges.add(workPayment.authorize, nudge(n))));
  expect(added).toEqual([true, true, true]);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await nudges.add(workPayment.authorize, nudge(7))).toBe(false);
  expect(await nudges.add(workPayment.authorize, nudge(8), 5_000)).toBe(false);
  expect(failed).toBe(2);
  // The nudges were added in one tick and are one job: the bound counts nudges.
  expect(await redis.llen(`${queuePrefix(prefix, 'processor')}:processor:wait`)).toBe(1);
  // The nudges are taken: the next look finds room.
  await redis.del(...(await keys()));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await nudges.add(workPayment.authorize, nudge(9))).toBe(true);
});

test('nudges that sweeps offered count too, each once', async () => {
  const offer = () =>
    Promise.all(Array.from({ length: MOST }, (_, n) => nudges.addFromSweep(workPayment.inquire, nudge(n))));
  await redis.del(...(await keys()));
  expect(await offer()).toEqual([true, true, true]);
  await until(async () => (await offer()).every((added) => !added), 'a look at the queue counts them');
});

test('a Redis that is silent at the first nudge of a queue loses only that nudge', async () => {
  const server = await startOwnRedis();
  const own = createProducerRedis(server.url, log);
  const other = createNudges(own, prefix, log, { event: () => undefined });
  try {
    await until(() => isReady(own));
    server.freeze();
    expect(await other.add(workPayment.authorize, nudge(1))).toBe(false);
    server.thaw();
    await until(() => other.add(workPayment.authorize, nudge(2)), 'the next nudges are taken');
  } finally {
    await other.close();
    own.disconnect();
    await server.stop();
  }
});

test('a nudge while there is no Redis is counted, as the alert on nudge-failed expects', async () => {
  const away = createProducerRedis('redis://127.0.0.1:1', log);
  const counted: [string, number][] = [];
  const other = createNudges(away, prefix, log, { event: (name, times = 1) => counted.push([name, times]) });
  try {
    expect(await other.add(workPayment.authorize, nudge(1))).toBe(false);
    expect(await other.addFromSweep(workPayment.authorize, nudge(2))).toBe(false);
    expect(counted).toEqual([
      ['nudge-failed', 1],
      ['nudge-failed', 1],
    ]);
  } finally {
    await other.close();
    away.disconnect();
  }
});

test('a full Redis counts as ready once it takes a nudge again, not after a time', async () => {
  const server = await startOwnRedis();
  const own = createProducerRedis(server.url, log);
  const other = createNudges(own, prefix, log, { event: () => undefined });
  try {
    await until(() => isReady(own));
    expect(await other.add(workPayment.authorize, nudge(1))).toBe(true);
    expect(other.ready('processor')).toBe(true);
    await own.config('SET', 'maxmemory', '1');
    expect(await other.add(workPayment.authorize, nudge(2))).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, limits.nudgeApartMs + 100));
    expect(other.ready('processor')).toBe(false);
    await own.config('SET', 'maxmemory', '0');
    expect(await other.add(workPayment.authorize, nudge(3))).toBe(true);
    expect(other.ready('processor')).toBe(true);
  } finally {
    await other.close();
    own.disconnect();
    await server.stop();
  }
});

test('closing waits for the nudges on their way, as a worker that stops after its last work needs', async () => {
  const own = createProducerRedis(testRedisUrl(), log);
  await until(() => isReady(own));
  const other = createNudges(own, testRedisPrefix('nudges-last'), log, { event: () => undefined });
  const added = other.add(workPayment.authorize, nudge(1));
  await other.close();
  own.disconnect();
  expect(await added).toBe(true);
});
