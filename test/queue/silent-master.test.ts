/** A connection that is being made while the master behind Sentinel hangs and no failover is announced. */
import { once } from 'node:events';
import { createPatientRedis } from '../../shared/queue/redis.js';
import { memoryLog } from '../http/app-under-test.js';
import type { OwnRedisGroup } from '../support/own-redis-server.js';
import { startOwnSentinels } from '../support/own-sentinels.js';

let group: OwnRedisGroup;
beforeAll(async () => {
  group = await startOwnSentinels();
});
afterAll(() => group?.stop());

test('a new connection is broken off after two looks, long before a silent server is given up', async () => {
  // Without its replica nothing can replace the master.
  for (const server of group.servers) server.freeze();
  const redis = createPatientRedis(group.url, memoryLog([]));
  const errors: unknown[] = [];
  redis.on('error', (error) => errors.push(error));
  await once(redis, 'close');
  expect(errors).toEqual([]);
  for (const server of group.servers) server.thaw();
  await once(redis, 'ready');
  redis.disconnect();
});
