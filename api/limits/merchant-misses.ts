/**
 * Merchant ids are small numbers, and the API answers differently for another client's merchant (403) and for an unknown id (400).
 * To prevent enumeration, a key may miss only a bounded number of different ids per minute (docs/security.md#ids-reveal-nothing and
 * "Decided").
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { MINUTE_MS } from '../../shared/domain/time.js';
import type { Log } from '../../shared/log.js';
import type { Redis } from '../../shared/queue/redis.js';
import type { AuthorizeMerchant } from '../deps.js';
import type { Counters } from './counters.js';

/** Adds the id unless the set is over the limit already, so that its size stays bounded. */
const NOTE_MISS = `
local count = redis.call('SCARD', KEYS[1])
if count <= tonumber(ARGV[2]) then
  redis.call('SADD', KEYS[1], ARGV[1])
  count = redis.call('SCARD', KEYS[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return count`;

export interface MerchantMissDeps {
  readonly counters: Counters;
  /** Different ids per minute and key; 0 switches the limit off. */
  readonly max: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Applies the limit after the authorization: callers that use only their own merchants are never limited. */
export function limitMerchantMisses(
  authorize: AuthorizeMerchant,
  { counters, max, clock, log }: MerchantMissDeps,
): AuthorizeMerchant {
  if (max === 0) return authorize;
  const alone = new LRUCache<string, Set<number>>({ max: limits.merchantMissKeysMax });

  function countAlone(key: string, merchantId: number): number {
    const ids = alone.get(key) ?? new Set();
    if (ids.size <= max) ids.add(merchantId);
    alone.set(key, ids);
    return ids.size;
  }

  /** Returns how many different ids this key has missed in this minute of the clock. */
  function note(keyId: string, merchantId: number, minute: number): Promise<number> {
    const key = `${counters.prefix}:merchant-misses:${keyId}:${minute}`;
    return counters.inRedisOrLocally(
      'merchant-misses',
      async (redis: Redis) => Number(await redis.eval(NOTE_MISS, 1, key, merchantId, max, MINUTE_MS)),
      () => countAlone(key, merchantId),
    );
  }

  return async (principal, merchantId, field) => {
    try {
      await authorize(principal, merchantId, field);
    } catch (error) {
      const missed =
        error instanceof GatewayError && (error.code === 'merchant-not-found' || error.code === 'forbidden');
      if (!missed) throw error;
      const nowMs = clock.now().getTime();
      const minute = Math.floor(nowMs / MINUTE_MS);
      if ((await note(principal.keyId, merchantId, minute)) <= max) throw error;
      log.warn('merchant-ids.probed', { clientId: principal.clientId, keyId: principal.keyId, count: max });
      throw new GatewayError('too-many-requests', {
        internal: 'too many different merchant ids that are not its own',
        retryAfterSeconds: Math.max(1, Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1000)),
        message:
          'Too many different merchant ids that these credentials cannot use. Retry after the interval in Retry-After.',
      });
    }
  };
}
