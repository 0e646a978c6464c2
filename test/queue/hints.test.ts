/** Hints on the real Redis, in a queue that no pool reads. */

import { createLog } from '../../shared/log.js';
import { createHints, type Hints, queuePrefix } from '../../shared/queue/hints.js';
import { createProducerRedis, type Redis } from '../../shared/queue/redis.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import { testRedisPrefix, testRedisUrl } from '../support/services.js';

const log = createLog('test', 'silent');
const prefix = testRedisPrefix('hints');
let redis: Redis;
let hints: Hints;
let failed = 0;

const MOST = 3;
const hint = (n: number) => ({ paymentId: `pay_${n}`, txId: `txn_${n}`, gen: 1, traceId: 'trace' });
const keys = () => redis.keys(`${queuePrefix(prefix, 'processor')}*`);

beforeAll(async () => {
  redis = createProducerRedis(testRedisUrl(), log);
  await new Promise((resolve) => redis.once('ready', resolve));
  const count = (_name: string, times = 1) => {
    failed += times;
  };
  hints = createHints(redis, prefix, log, { event: count }, MOST);
});
afterAll(async () => {
  const left = await keys();
  if (left.length > 0) await redis.del(...left);
  await hints.close();
  redis.disconnect();
});

test('while no worker takes them, hints over the limit are dropped', async () => {
  const added = await Promise.all(Array.from({ length: MOST }, (_, n) => hints.add(workPayment.authorize, hint(n))));
  expect(added).toEqual([true, true, true]);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await hints.add(workPayment.authorize, hint(7))).toBe(false);
  expect(await hints.add(workPayment.authorize, hint(8), 5_000)).toBe(false);
  expect(failed).toBe(2);
  // They were added in one tick and are one job: the bound counts hints.
  expect(await redis.llen(`${queuePrefix(prefix, 'processor')}:processor:wait`)).toBe(1);
  // Someone takes them: the next look finds room.
  await redis.del(...(await keys()));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await hints.add(workPayment.authorize, hint(9))).toBe(true);
});
