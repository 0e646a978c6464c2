/** A Redis that answers but accepts no writes: payments continue by way of MongoDB, and `/readyz` shows it as degraded. */
import { createProducerRedis, isReady } from '../../shared/queue/redis.js';
import { memoryLog } from '../http/app-under-test.js';
import { paymentBody, startGateway } from '../support/gateway.js';
import { startOwnRedis } from '../support/own-servers.js';
import { until } from '../support/patience.js';

test('a full Redis is degraded from the first nudge that it refuses until the first that it accepts', async () => {
  const server = await startOwnRedis();
  const operator = createProducerRedis(server.url, memoryLog([]));
  const gateway = await startGateway({ name: 'full_redis', settings: { REDIS_URL: server.url } });
  const pay = async () => (await gateway.call('POST', '/v1/payments', paymentBody())).body.status;
  const redis = async () => (await gateway.call('GET', '/readyz', undefined, { auth: null })).body.redis;
  try {
    await until(() => isReady(operator));
    expect([await pay(), await redis()]).toEqual(['approved', 'ok']);
    await operator.config('SET', 'maxmemory', '1');
    expect([await pay(), await redis()]).toEqual(['approved', 'degraded']);
    await operator.config('SET', 'maxmemory', '0');
    expect([await pay(), await redis()]).toEqual(['approved', 'ok']);
  } finally {
    await gateway.close();
    operator.disconnect();
    await server.stop();
  }
});
