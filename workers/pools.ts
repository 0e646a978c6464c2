/** THE LIST of pools: one folder each. What a process runs of them is named on its command line (Procfile). */
import type { Config, ConfigOf } from '../config/index.js';
import { limits } from '../config/limits.js';
import type { ProcessName } from '../config/readers.js';
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
import { publishReply, type Reply, ReplyKey } from '../shared/queue/reply-channel.js';
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
import { openKeyDestroyer, openVault } from '../shared/vault/open-vault.js';
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

/** What all pools of a process share. The type lets pool `P` see the settings that `config/readers.ts` grants it. */
interface Shared<P extends PoolName> {
  readonly config: ConfigOf<P>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly database: Database;
  readonly payments: PaymentRepository;
  /** The one vault of the process, opened for the first pool that asks: only those that are granted master keys can. */
  readonly vaultOf: (config: Pick<Config, 'vaultMasterKeys'>) => Vault;
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

type PaymentPoolConfig = Pick<Config, 'batchWrites' | 'timeScale' | 'processorTimeoutMs' | 'replyKey'>;

/** What all pools that work on payments are given besides. */
const forPayments = ({ config, redis }: { readonly config: PaymentPoolConfig; readonly redis: Redis }) => {
  const key = new ReplyKey(config.replyKey);
  return {
    publish: (channel: string, reply: Reply) => publishReply(redis, key, channel, reply),
    renderCallback,
    schedule: makeSchedule(limits, config),
    batchWrites: config.batchWrites,
  };
};

function processor({ config, redis, vaultOf, ...shared }: Shared<'processor'>): Pool {
  const processors = createProcessors(config, shared.log);
  const { cardTestingThrottles: wanted, environment } = config;
  const throttles = wanted === 'on' || (wanted === 'auto' && environment === 'production');
  const instruments = createPaymentInstrumentRepository(shared.database);
  const vault = vaultOf(config);
  const pool = createProcessorPool({
    ...shared,
    vault,
    processors,
    instruments,
    bins: createBinTable(shared.database),
    cardTesting: throttles
      ? createCardTesting({ ...shared, vault, instruments, declines: createCardDeclineRepository(shared.database) })
      : noCardTesting,
    ...forPayments({ config, redis }),
    concurrency: config.workerConcurrency,
  });
  return closingToo(pool, processors);
}

function threeds({ config, redis, vaultOf, ...shared }: Shared<'threeds'>): Pool {
  const providers = createThreeDsProviders(config);
  const pool = createThreeDsPool({
    ...shared,
    vault: vaultOf(config),
    providers,
    merchants: createMerchantRepository(shared.database, shared.clock),
    instruments: createPaymentInstrumentRepository(shared.database),
    ...forPayments({ config, redis }),
    publicBaseUrl: config.publicBaseUrl,
  });
  return closingToo(pool, providers);
}

function qr({ config, redis, ...shared }: Shared<'qr'>): Pool {
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

function expiry(shared: Shared<'expiry'>): Pool {
  const instruments = createPaymentInstrumentRepository(shared.database);
  const sessions = createSessionRepository(shared.database);
  return createExpiryPool({
    ...shared,
    vault: openKeyDestroyer(shared.database),
    instruments,
    integrations: createWalletIntegrationRepository(shared.database),
    settleLinks: () => settleLinks({ ...shared, links: createPaymentLinkRepository(shared.database) }),
    settleSessions: () => settleSessions({ ...shared, instruments, sessions }),
  });
}

function wallet({ config, database, vaultOf, ...shared }: Shared<'wallet'>): Pool {
  const trust = loadTrust(config);
  const thread = createTokenThread(trust);
  return createWalletPool({
    ...shared,
    vault: vaultOf(config),
    openings: createWalletOpeningRepository(database),
    uses: createWalletUseRepository(database),
    integrations: createWalletIntegrationRepository(database),
    thread,
    refreshTrust: createTrustRefresh({ ...shared, config, thread }, trust),
  });
}

function callback({ payments, database, clock, config, log }: Shared<'callback'>): Pool {
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

export type PoolName = Exclude<ProcessName, 'web'>;

const pools = { wallet, threeds, processor, qr, expiry, callback } as const satisfies {
  [P in PoolName]: (shared: Shared<P>) => Pool;
};

export const poolNames = Object.keys(pools) as PoolName[];
export const isPoolName = (text: string): text is PoolName => Object.hasOwn(pools, text);

export interface Pools {
  readonly pools: readonly Pool[];
  readonly redis: Redis;
  close(): Promise<void>;
}

/**
 * Makes the named pools over shared connections. Nothing runs yet.
 * @param given.config what the named pools read; of what others read, nothing need be there.
 */
export function openPools(
  names: readonly PoolName[],
  given: { config: ConfigOf<PoolName>; log: Log; metrics: Metrics; database: Database; clock?: Clock },
): Pools {
  const { config, log, database } = given;
  const clock = given.clock ?? systemClock;
  const redis = createProducerRedis(config.redisUrl, log);
  const hints = createHints(redis, config.redisPrefix, log, given.metrics);
  const payments = createPaymentRepository(database, config.batchWrites);
  let vault: Vault | undefined;
  const vaultOf = (keys: Pick<Config, 'vaultMasterKeys'>) => {
    vault ??= openVault(database, keys, clock);
    return vault;
  };
  const shared: Shared<PoolName> = { ...given, clock, payments, vaultOf, hints, redis };
  return {
    pools: names.map((name) => pools[name](shared)),
    redis,
    close: async () => {
      await hints.close();
      redis.disconnect();
    },
  };
}
