/** Which requests are counted together and which apart (docs/api.md#limits). */
import { createCounters } from '../../api/limits/counters.js';
import { createRateLimits } from '../../api/limits/rate-limits.js';
import { createLog } from '../../shared/log.js';
import { createProducerRedis, type Redis } from '../../shared/queue/redis.js';

const CLOSED_PORT = 'redis://127.0.0.1:1';
const config = {
  environment: 'testing',
  writesPerSecond: 0,
  readsPerSecond: 0,
  interactivePaymentsPerMinute: 0,
  interactiveSessionsPerMinute: 0,
  interactiveCustomersPerMinute: 0,
  interactiveReadsPerMinute: 0,
} as const;

let redis: Redis;
afterEach(() => redis.disconnect());

/** Makes the rate limits of one process, which counts by itself. */
function newRateLimits() {
  const log = createLog('test', 'silent');
  redis = createProducerRedis(CLOSED_PORT, log);
  return createRateLimits(config, createCounters({ redis, redisPrefix: 'rate-limits', log, metrics: { event() {} } }));
}

test('an address over the limit of a link may enter another link, and another address may enter the same', async () => {
  const { admitAddress } = newRateLimits();
  const enter = (link: string, address = '203.0.113.7') =>
    admitAddress('entries-reusable', { requests: 2, windowSeconds: 60 }, address, link);
  await enter('link_1');
  await enter('link_1');
  await expect(enter('link_1')).rejects.toMatchObject({ code: 'too-many-requests', retryAfterSeconds: 60 });
  await enter('link_2');
  await enter('link_1', '203.0.113.8');
});
