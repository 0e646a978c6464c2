/** Who calls, and how often: builds signing in, bearer tokens and the limits of an API process. */
import type { Config } from '../config/index.js';
import type { Clock } from '../shared/clock.js';
import { createAccessTokens } from '../shared/identity/access-token.js';
import { createAuthenticator } from '../shared/identity/authenticate.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import type { Redis } from '../shared/queue/redis.js';
import { createClientRepository } from '../shared/store/client.repository.js';
import type { Database } from '../shared/store/database.js';
import type { MerchantRepository } from '../shared/store/merchant.repository.js';
import { createAuthorizeMerchant } from './http/authorize-merchant.js';
import { createCounters } from './limits/counters.js';
import { limitMerchantMisses } from './limits/merchant-misses.js';
import { createRateLimits } from './limits/rate-limits.js';
import { guardSignIn } from './limits/sign-in-guard.js';
import { makeIssueAccessToken } from './usecases/issue-access-token.js';

interface Given {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly database: Database;
  /** Fail-fast connection. */
  readonly redis: Redis;
  readonly merchants: MerchantRepository;
}

const MINUTE_SECONDS = 60;

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
  const failures = { name: 'sign-in-failures', max, windowSeconds: MINUTE_SECONDS };
  return {
    authenticator:
      max === 0
        ? authenticator
        : guardSignIn(authenticator, { failures: counters.counter(failures), clock, log, metrics }),
    authorizeMerchant: limitMerchantMisses(createAuthorizeMerchant(merchants), {
      counters,
      max: config.merchantMissesPerMinute,
      clock,
      log,
    }),
    rateLimits: createRateLimits(config, counters),
    usecases: { issueAccessToken: makeIssueAccessToken(accessTokens) },
  };
}
