/** THE LIST of pools: one folder each. What a process runs of them is named on its command line (Procfile). */
import type { Config } from '../config/index.js';
import { limits } from '../config/limits.js';
import { type Clock, systemClock } from '../shared/clock.js';
import { renderCallback } from '../shared/contract/payment/present-payment.js';
import { makeSchedule } from '../shared/domain/schedule.js';
import { announcePayment } from '../shared/jobs/announce-payment.job.js';
import { deliverCallback } from '../shared/jobs/deliver-callback.job.js';
import type { Hints } from '../shared/jobs/hints.js';
import { createHints } from '../shared/jobs/hints.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import { createProcessors } from '../shared/processors/registry.js';
import type { Redis } from '../shared/queue/redis.js';
import { createProducerRedis } from '../shared/queue/redis.js';
import { publishReply, type Reply } from '../shared/queue/reply-channel.js';
import { createBinTable } from '../shared/store/bin-range.repository.js';
import { createCardDeclineRepository } from '../shared/store/card-decline.repository.js';
import type { Database } from '../shared/store/database.js';
import { createDeliveryRepository } from '../shared/store/delivery.repository.js';
import { createMerchantRepository } from '../shared/store/merchant.repository.js';
import { createMerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import { createPaymentRepository, type PaymentRepository } from '../shared/store/payment.repository.js';
import { createPaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import { createPaymentLinkRepository } from '../shared/store/payment-link.repository.js';
import { createSessionRepository } from '../shared/store/session.repository.js';
import { createWalletIntegrationRepository } from '../shared/store/wallet-integration.repository.js';
import { createWalletOpeningRepository } from '../shared/store/wallet-opening.repository.js';
import { createWalletUseRepository } from '../shared/store/wallet-use.repository.js';
import { createThreeDsProviders } from '../shared/threeds-providers/registry.js';
import { openVault } from '../shared/vault/open-vault.js';
import type { Vault } from '../shared/vault/vault.js';
import { loadTrust } from '../shared/wallets/load-trust.js';
import { createCallbackPool } from './callback/index.js';
import { onJob, type Pool } from './define-worker.js';
import { createExpiryPool, settleLinks, settleSessions } from './expiry/index.js';
import { createCardTesting, noCardTesting } from './processor/card-testing.js';
import { createProcessorPool } from './processor/index.js';
import { createQrPool } from './qr/index.js';
import { createThreeDsPool } from './threeds/index.js';
import { createTokenThread, createTrustRefresh, createWalletPool } from './wallet/index.js';

/** What all pools of a process share. */
interface Shared {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly database: Database;
  readonly payments: PaymentRepository;
  readonly vault: Vault;
  readonly hints: Hints;
  readonly redis: Redis;
}

/** The pool, which closes its connections to others when it ends. */
const closingToo = (pool: Pool, connections: { close(): Promise<void> }): Pool => ({
  ...pool,
  close: async () => {
    await pool.close();
    await connections.close();
  },
});

/** What all pools that work on payments are given besides. */
const forPayments = ({ config, redis }: Pick<Shared, 'config' | 'redis'>) => ({
  publish: (channel: string, reply: Reply) => publishReply(redis, channel, reply),
  renderCallback,
  schedule: makeSchedule(limits, config),
  batchWrites: config.batchWrites,
});

function processor({ config, redis, ...shared }: Shared): Pool {
  const processors = createProcessors(config, shared.log);
  const { cardTestingThrottles: wanted, environment } = config;
  const throttles = wanted === 'on' || (wanted === 'auto' && environment === 'production');
  const pool = createProcessorPool({
    ...shared,
    processors,
    instruments: createPaymentInstrumentRepository(shared.database),
    bins: createBinTable(shared.database),
    cardTesting: throttles
      ? createCardTesting({ ...shared, declines: createCardDeclineRepository(shared.database) })
      : noCardTesting,
    ...forPayments({ config, redis }),
    concurrency: config.workerConcurrency,
  });
  return closingToo(pool, processors);
}

function threeds({ config, redis, ...shared }: Shared): Pool {
  const providers = createThreeDsProviders(config);
  const pool = createThreeDsPool({
    ...shared,
    providers,
    instruments: createPaymentInstrumentRepository(shared.database),
    ...forPayments({ config, redis }),
    publicBaseUrl: config.publicBaseUrl,
  });
  return closingToo(pool, providers);
}

function qr({ config, redis, ...shared }: Shared): Pool {
  const processors = createProcessors(config, shared.log);
  const pool = createQrPool({
    ...shared,
    processors,
    merchants: createMerchantRepository(shared.database, shared.clock),
    methods: createMerchantPaymentMethodRepository(shared.database, shared.clock),
    ...forPayments({ config, redis }),
  });
  return closingToo(pool, processors);
}

function expiry(shared: Shared): Pool {
  const instruments = createPaymentInstrumentRepository(shared.database);
  const sessions = createSessionRepository(shared.database);
  return createExpiryPool({
    ...shared,
    instruments,
    integrations: createWalletIntegrationRepository(shared.database),
    settleLinks: () => settleLinks({ ...shared, links: createPaymentLinkRepository(shared.database) }),
    settleSessions: () => settleSessions({ ...shared, instruments, sessions }),
  });
}

function wallet({ config, database, ...shared }: Shared): Pool {
  const trust = loadTrust(config);
  const thread = createTokenThread(trust);
  return createWalletPool({
    ...shared,
    openings: createWalletOpeningRepository(database),
    uses: createWalletUseRepository(database),
    integrations: createWalletIntegrationRepository(database),
    thread,
    refreshTrust: createTrustRefresh({ ...shared, config, thread }, trust),
  });
}

function callback({ payments, database, clock, config, log }: Shared): Pool {
  const deliveries = createDeliveryRepository(database);
  const sessions = createSessionRepository(database);
  const sources = { announcements: payments, sessions, deliveries };
  const pool = createCallbackPool({ ...sources, clock, config, log, random: Math.random });
  return {
    name: 'callback',
    jobs: [
      onJob(announcePayment, ({ paymentId }) => pool.announce(paymentId)),
      onJob(deliverCallback, ({ deliveryId }) => pool.deliver(deliveryId)),
    ],
    sweep: async () => ({ found: await pool.sweep(), more: false }),
    close: () => pool.close(),
  };
}

const pools = { wallet, threeds, processor, qr, expiry, callback } as const satisfies Record<
  string,
  (shared: Shared) => Pool
>;

export type PoolName = keyof typeof pools;
export const poolNames = Object.keys(pools) as PoolName[];
export const isPoolName = (text: string): text is PoolName => Object.hasOwn(pools, text);

export interface Pools {
  readonly pools: readonly Pool[];
  readonly redis: Redis;
  close(): Promise<void>;
}

/** Makes the named pools over shared connections. Nothing runs yet. */
export function openPools(
  names: readonly PoolName[],
  given: { config: Config; log: Log; metrics: Metrics; database: Database; clock?: Clock },
): Pools {
  const { config, log, database } = given;
  const clock = given.clock ?? systemClock;
  const redis = createProducerRedis(config.redisUrl, log);
  const hints = createHints(redis, config.redisPrefix, log, given.metrics);
  const payments = createPaymentRepository(database, config.batchWrites);
  const shared: Shared = { ...given, clock, payments, vault: openVault(database, config, clock), hints, redis };
  return {
    pools: names.map((name) => pools[name](shared)),
    redis,
    close: async () => {
      await hints.close();
      redis.disconnect();
    },
  };
}
