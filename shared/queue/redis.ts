/**
 * Connections to Redis. Redis only nudges: a producer fails at once when it is away, a worker waits for it patiently, and
 * neither keeps its process from starting (docs/reliability.md, "Settings" and "When something dies").
 */

import { Redis } from 'ioredis';
import { limits } from '../../config/limits.js';
import type { Log } from '../log.js';

/** ioredis reports an error per attempt; one record in ten seconds tells as much. */
function logErrors(redis: Redis, role: string, log: Log): Redis {
  let loggedAt = 0;
  redis.on('error', (error) => {
    if (Date.now() - loggedAt < limits.logAgainMs) return;
    loggedAt = Date.now();
    log.warn('redis.unreachable', { kind: role, error });
  });
  redis.on('ready', () => {
    loggedAt = 0;
    log.debug('redis.ready', { kind: role });
  });
  return redis;
}

const retryStrategy = (times: number) => Math.min(times * 100, limits.redisReconnectMsMax);

/** Fails fast: no offline queue, one try, half a second. For nudges, replies and reads that may be skipped. */
export function createProducerRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: limits.redisCommandMs,
    retryStrategy,
  });
  return logErrors(redis, 'producer', log);
}

/** Waits for Redis as long as it takes: what BullMQ workers and subscribers need. */
export function createPatientRedis(url: string, log: Log): Redis {
  return logErrors(new Redis(url, { maxRetriesPerRequest: null, retryStrategy }), 'patient', log);
}

export type { Redis };

/** True when the connection can carry a command now. */
export const isReady = (redis: Redis): boolean => redis.status === 'ready';
