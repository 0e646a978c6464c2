/** Identity of callers and their rate limits: creates sign-in, bearer tokens and the limits of an API process. */
import type { WebConfig } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { Redis } from '../../shared/queue/redis.js';
import { createClientRepository } from '../../shared/store/client.repository.js';
import type { Database } from '../../shared/store/database.js';
import type { MerchantRepository } from '../../shared/store/merchant.repository.js';
import { createAuthorizeMerchant } from '../http/authorize-merchant.js';
import { createCounters } from '../limits/counters.js';
import { limitMerchantMisses } from '../limits/merchant-misses.js';
import { createRateLimits } from '../limits/rate-limits.js';
import { guardSignIn } from '../limits/sign-in-guard.js';
import { createAccessTokens } from './access-token.js';
import { createAuthenticator } from './authenticator.js';

interface Given {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly database: Database;
  /** Fail-fast connection. */
  readonly redis: Redis;
  readonly merchants: MerchantRepository;
}

const SIGN_IN_WINDOW_SECONDS = limits.signInWindowMs / 1000;

export function connectIdentity({ config, clock, log, metrics, database, redis, merchants }: Given) {
  const counters = createCounters({ redis, redisPrefix: config.redisPrefix, log, metrics });
  const accessTokens = createAccessTokens(config, clock);
  const authenticator = createAuthenticator({
    clients: createClientRepository(database),
    pepper: config.apiKeyPepper,
    environment: config.environment,
    accessTokens,
    clock,
    log,
  });
  const max = config.signInFailuresPerMinute;
  const addressMax = max * limits.signInAddressFactor;
  const failuresOf = (name: string, most: number) =>
    counters.counter({ name, max: most, windowSeconds: SIGN_IN_WINDOW_SECONDS });
  return {
    authenticator:
      max === 0
        ? authenticator
        : guardSignIn(authenticator, {
            failures: failuresOf('sign-in-failures', max),
            addressFailures: failuresOf('sign-in-failures-of-address', addressMax),
            addressMax,
            clock,
            log,
            metrics,
          }),
    authorizeMerchant: limitMerchantMisses(createAuthorizeMerchant(merchants), {
      counters,
      max: config.merchantMissesPerMinute,
      clock,
      log,
    }),
    rateLimits: createRateLimits(config, counters),
    accessTokens,
  };
}
