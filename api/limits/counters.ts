/**
 * Counts in fixed windows, shared by all API processes through Redis and therefore exact. Redis is not required here either: while
 * it is down each process counts alone, so that no limit ever becomes "unlimited" or a 5xx (docs/security.md#rate-limits).
 */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { limits } from '../../config/limits.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import { isReady, type Redis } from '../../shared/queue/redis.js';

/** State of a window, after a request was counted or without counting. */
export interface Count {
  /** False when the limit was reached before this request. */
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Time until the window ends (s), at least 1. */
  readonly resetSeconds: number;
}

export interface Counter {
  /** Counts one more request of this key. */
  count(key: string): Promise<Count>;
  /** Returns the state without counting; `allowed` says whether the next request would be allowed. */
  look(key: string): Promise<Count>;
}

/** How many requests are allowed in which time. */
export interface Allowance {
  /** Part of the Redis key: each name has one meaning only. */
  readonly name: string;
  readonly max: number;
  readonly windowSeconds: number;
}

export interface Counters {
  counter(allowance: Allowance): Counter;
  /**
   * Counts in Redis; while Redis is down, and for `limits.countApartMs` after it failed, in this process alone.
   * @param name name of the limit, for the log.
   */
  inRedisOrLocally<T>(name: string, inRedis: (redis: Redis) => Promise<T>, alone: () => Promise<T> | T): Promise<T>;
  readonly prefix: string;
}

function toCount(result: RateLimiterRes, { max, windowSeconds }: Allowance, allowed: boolean): Count {
  const seconds = Math.ceil(result.msBeforeNext / 1000);
  return {
    allowed,
    limit: max,
    remaining: Math.max(0, max - result.consumedPoints),
    resetSeconds: Math.min(Math.max(seconds, 1), windowSeconds),
  };
}

export function createCounters(deps: {
  redis: Redis;
  redisPrefix: string;
  log: Log;
  metrics: Pick<Metrics, 'event'>;
}): Counters {
  const { redis, log, metrics } = deps;
  const prefix = `${deps.redisPrefix}:count`;
  let apartUntilMs = Number.NEGATIVE_INFINITY;
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  function noteFailure(name: string, error?: unknown): void {
    const nowMs = performance.now();
    // So a Redis that hangs costs one time-out a second, not one per request.
    if (error !== undefined) apartUntilMs = nowMs + limits.countApartMs;
    if (nowMs - loggedAtMs < limits.logAgainMs) return;
    loggedAtMs = nowMs;
    metrics.event('counted-apart');
    log.warn('limits.counted-apart', { kind: name, ...(error !== undefined && { error }) });
  }

  const inRedisOrLocally: Counters['inRedisOrLocally'] = async (name, inRedis, alone) => {
    if (performance.now() < apartUntilMs) return alone();
    if (!isReady(redis)) {
      noteFailure(name);
      return alone();
    }
    try {
      return await inRedis(redis);
    } catch (error) {
      noteFailure(name, error);
      return alone();
    }
  };

  return {
    prefix,
    inRedisOrLocally,
    counter(allowance) {
      const { name, max: points, windowSeconds: duration } = allowance;
      const shared = new RateLimiterRedis({ storeClient: redis, keyPrefix: `${prefix}:${name}`, points, duration });
      const own = new RateLimiterMemory({ keyPrefix: name, points, duration });
      // When a request is refused, the library rejects with a count instead of an error.
      const settle = async (counting: Promise<RateLimiterRes>): Promise<Count> => {
        try {
          return toCount(await counting, allowance, true);
        } catch (refused) {
          if (refused instanceof RateLimiterRes) return toCount(refused, allowance, false);
          throw refused;
        }
      };
      const state = async (looking: Promise<RateLimiterRes | null>): Promise<Count> => {
        const found = await looking;
        if (!found) return { allowed: true, limit: points, remaining: points, resetSeconds: duration };
        return toCount(found, allowance, found.consumedPoints < points);
      };
      return {
        count: (key) =>
          inRedisOrLocally(
            name,
            () => settle(shared.consume(key)),
            () => settle(own.consume(key)),
          ),
        look: (key) =>
          inRedisOrLocally(
            name,
            () => state(shared.get(key)),
            () => state(own.get(key)),
          ),
      };
    },
  };
}
