/** Makes an API process's dependencies over real connections, and what has to be closed behind them. */
import type { WebConfig } from '../config/index.js';
import { limits } from '../config/limits.js';
import { systemClock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { createMetrics } from '../shared/metrics.js';
import { createProducerRedis, isReady } from '../shared/queue/redis.js';
import { createAuditRepository } from '../shared/store/audit.repository.js';
import { createBinTable } from '../shared/store/bin-range.repository.js';
import { watchClock } from '../shared/store/clock-watch.js';
import { ensureIndexes, indexesReady } from '../shared/store/collections.js';
import { createCustomerRepository } from '../shared/store/customer.repository.js';
import { openDatabase } from '../shared/store/database.js';
import { claimEnvironment } from '../shared/store/environment.repository.js';
import { checkKeys } from '../shared/store/key-checks.repository.js';
import { createMerchantRepository } from '../shared/store/merchant.repository.js';
import { createMerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import { createReferenceProbeRepository } from '../shared/store/reference-probe.repository.js';
import { checkServerVersion } from '../shared/store/server-version.js';
import { reportKeys } from '../shared/vault/report-keys.js';
import { connectCustomers, connectIdempotency } from './connect-customers.js';
import { connectIdentity } from './connect-identity.js';
import { connectMerchants } from './connect-merchants.js';
import { connectPayments } from './connect-payments.js';
import { connectSessions } from './connect-sessions.js';
import { connectThreeDs } from './connect-threeds.js';
import { connectWallets, loadAuthJwtKeys } from './connect-wallets.js';
import type { AppDeps } from './deps.js';
import { createReferenceGuard } from './limits/reference-guard.js';
import { makeRefuseCardTexts } from './payments/refuse-card-texts.js';
import { createReadiness } from './readiness.js';

/**
 * Connects to MongoDB (which must answer) and to Redis (which need not).
 * @param runtimeMetrics also measure the process itself; once per process.
 */
export async function connectApi(config: WebConfig, log: Log, shutdown: AbortSignal, runtimeMetrics = true) {
  const clock = systemClock;
  const metrics = createMetrics({ process: 'api', runtime: runtimeMetrics });
  const database = await openDatabase(config.mongodbUri);
  await checkServerVersion({ ...config, database, log });
  await claimEnvironment(database, config.environment);
  await checkKeys(database, config);
  await ensureIndexes(database);
  const unreport = await reportKeys({ database, config, role: 'web', log });
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
  const audit = createAuditRepository(database, clock, log);
  const headTimer = setInterval(() => {
    audit.logHeads().catch((error: unknown) => log.warn('audit.heads-not-logged', { error }));
  }, limits.auditHeadMs).unref();
  const references = createReferenceGuard({ probes: createReferenceProbeRepository(database), log, metrics });
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
    references,
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
    idempotency: connectIdempotency(config, database, references),
    audit,
    refuseCardTexts: makeRefuseCardTexts(config, createBinTable(database)),
    readiness,
    shutdown,
    usecases: {
      ...payments.usecases,
      ...connectSessions({ ...payments.deps, methods }, database, { methods, authJwtKeys }, identity.authorizeMerchant),
      ...connectMerchants({ audit, config, clock, database, merchants, methods }),
      ...connectThreeDs({ audit, config, clock, database, methods }),
      ...connectCustomers({ config, clock, database, customers, references }),
      ...connectWallets({ audit, config, clock, database, methods, authJwtKeys }),
      ...identity.usecases,
    },
  };
  const close = async () => {
    unwatch();
    clearInterval(headTimer);
    await audit.close();
    await payments.close();
    redis.disconnect();
    await unreport();
    await database.close();
  };
  return { deps, readiness, close };
}
