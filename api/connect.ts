/** Makes an API process's dependencies over real connections, and what has to be closed behind them. */
import type { Config } from '../config/index.js';
import { systemClock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { createMetrics } from '../shared/metrics.js';
import { createProducerRedis, isReady } from '../shared/queue/redis.js';
import { watchClock } from '../shared/store/clock-watch.js';
import { ensureIndexes, indexesReady } from '../shared/store/collections.js';
import { createCustomerRepository } from '../shared/store/customer.repository.js';
import { openDatabase } from '../shared/store/database.js';
import { claimEnvironment } from '../shared/store/environment.repository.js';
import { createMerchantRepository } from '../shared/store/merchant.repository.js';
import { createMerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import { connectCustomers, connectIdempotency } from './connect-customers.js';
import { connectIdentity } from './connect-identity.js';
import { connectMerchants } from './connect-merchants.js';
import { connectPayments } from './connect-payments.js';
import { connectSessions } from './connect-sessions.js';
import { connectThreeDs } from './connect-threeds.js';
import { connectWallets, loadAuthJwtKeys } from './connect-wallets.js';
import type { AppDeps } from './deps.js';
import { createReadiness } from './readiness.js';

/**
 * Connects to MongoDB (which must answer) and to Redis (which need not).
 * @param runtimeMetrics also measure the process itself; once per process.
 */
export async function connectApi(config: Config, log: Log, shutdown: AbortSignal, runtimeMetrics = true) {
  const clock = systemClock;
  const metrics = createMetrics({ process: 'api', runtime: runtimeMetrics });
  const database = await openDatabase(config.mongodbUri);
  await claimEnvironment(database, config.environment);
  await ensureIndexes(database);
  const unwatch = await watchClock({ database, environment: config.environment, log, metrics });
  const redis = createProducerRedis(config.redisUrl, log);
  const readiness = createReadiness({
    ping: () => database.ping(),
    indexesReady: () => indexesReady(database),
    redisReady: () => isReady(redis),
    log,
  });
  const merchants = createMerchantRepository(database, clock);
  const methods = createMerchantPaymentMethodRepository(database, clock);
  const customers = createCustomerRepository(database);
  const authJwtKeys = loadAuthJwtKeys(config);
  const payments = connectPayments({
    config,
    clock,
    log,
    metrics,
    database,
    redis,
    merchants,
    methods,
    customers,
    shutdown,
  });
  const identity = connectIdentity({ config, clock, log, metrics, database, redis, merchants });
  const deps: AppDeps = {
    config,
    log,
    clock,
    metrics,
    authenticator: identity.authenticator,
    authorizeMerchant: identity.authorizeMerchant,
    rateLimits: identity.rateLimits,
    idempotency: connectIdempotency(config, database),
    readiness,
    shutdown,
    usecases: {
      ...payments.usecases,
      ...connectSessions(payments.deps, database, { methods, authJwtKeys }, identity.authorizeMerchant),
      ...connectMerchants({ config, clock, database, merchants, methods }),
      ...connectThreeDs({ config, clock, database, methods }),
      ...connectCustomers({ config, clock, database, customers }),
      ...connectWallets({ config, clock, database, methods, authJwtKeys }),
      ...identity.usecases,
    },
  };
  const close = async () => {
    unwatch();
    await payments.close();
    redis.disconnect();
    await database.close();
  };
  return { deps, readiness, close };
}
