/** Nudges of a suite's own, on the real Redis. */
import { once } from 'node:events';
import type { Log } from '../../shared/log.js';
import { createNudges } from '../../shared/queue/nudges.js';
import { createPatientRedis } from '../../shared/queue/redis.js';
import { testRedisUrl } from '../support/services.js';

export type OpenNudges = Awaited<ReturnType<typeof openNudges>>;

/** The connection is patient, as no producer's is: on a machine that is busy a nudge may arrive late, and is not to be lost here. */
export async function openNudges(redisPrefix: string, log: Log) {
  const redis = createPatientRedis(testRedisUrl(), log);
  await once(redis, 'ready');
  const nudges = createNudges(redis, redisPrefix, log, { event: () => undefined });
  return {
    redis,
    nudges,
    close: async () => {
      await nudges.close();
      redis.disconnect();
    },
  };
}
