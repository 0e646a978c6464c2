/** Builds the payment flows of an API process over its connections. */
import type { WebConfig } from '../config/index.js';
import type { Clock } from '../shared/clock.js';
import { renderCallback } from '../shared/contract/present-payment.js';
import { queueOf } from '../shared/domain/payment/work.js';
import { newToken } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import { createHints } from '../shared/queue/hints.js';
import { createPatientRedis, type Redis } from '../shared/queue/redis.js';
import { createReplySubscriber, ReplyKey } from '../shared/queue/reply-channel.js';
import { createBinTable } from '../shared/store/bin-range.repository.js';
import type { CustomerRepository } from '../shared/store/customer.repository.js';
import type { Database } from '../shared/store/database.js';
import { createDeliveryRepository } from '../shared/store/delivery.repository.js';
import type { MerchantRepository } from '../shared/store/merchant.repository.js';
import type { MerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import { createPaymentRepository } from '../shared/store/payment.repository.js';
import { createPaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import { createPaymentQueries } from '../shared/store/payment-queries.repository.js';
import { createWalletIntegrationRepository } from '../shared/store/wallet-integration.repository.js';
import { createWalletOpeningRepository } from '../shared/store/wallet-opening.repository.js';
import { createWalletUseRepository } from '../shared/store/wallet-use.repository.js';
import { openVault } from '../shared/vault/open-vault.js';
import { makeTokenizeWallet } from './customers/tokenize-wallet.js';
import type { ReferenceGuard } from './limits/reference-guard.js';
import { createOutcomeWaiter } from './payments/await-outcome.js';
import type { PaymentDeps } from './payments/payment-deps.js';
import { makePaymentUseCases } from './payments/payment-usecases.js';
import { createWaitingRoom } from './payments/waiting-room.js';

interface Given {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly database: Database;
  /** Fail-fast connection for hints. */
  readonly redis: Redis;
  readonly merchants: MerchantRepository;
  readonly methods: MerchantPaymentMethodRepository;
  readonly customers: CustomerRepository;
  readonly references: ReferenceGuard;
  readonly shutdown: AbortSignal;
}

/** The use cases of payments, what they are made of, and what has to be closed behind them. */
export function connectPayments(given: Given) {
  const { config, clock, log, metrics, database, shutdown } = given;
  const payments = createPaymentRepository(database, config.batchWrites);
  const hints = createHints(given.redis, config.redisPrefix, log, metrics);
  const subscription = createPatientRedis(config.redisUrl, log);
  // Random per boot: containers share pids and host names, and pub/sub ignores Redis database numbers.
  const key = new ReplyKey(config.replyKey);
  const channel = `${config.redisPrefix}:reply:${newToken()}`;
  const replies = createReplySubscriber(subscription, channel, { key, log, metrics });
  const vault = openVault(database, config, clock);
  const wallets = {
    clock,
    vault,
    hints,
    integrations: createWalletIntegrationRepository(database),
    openings: createWalletOpeningRepository(database),
    uses: createWalletUseRepository(database),
  };
  const tokenizeWallet = makeTokenizeWallet({
    ...wallets,
    config,
    merchants: given.merchants,
    customers: given.customers,
    methods: given.methods,
    bins: createBinTable(database),
    savedCards: createPaymentInstrumentRepository(database),
  });
  const deps: PaymentDeps = {
    config,
    clock,
    merchants: given.merchants,
    customers: given.customers,
    methods: given.methods,
    payments,
    queries: createPaymentQueries(database),
    deliveries: createDeliveryRepository(database),
    instruments: createPaymentInstrumentRepository(database),
    vault,
    wallets,
    hints,
    outcomes: createOutcomeWaiter({ replies, payments, clock, renderCallback, shutdown, log, metrics }),
    waitingRoom: createWaitingRoom(config.responseWaitMs, metrics),
    references: given.references,
  };
  metrics.onScrape(async () => {
    const now = clock.now();
    for (const queue of new Set(Object.values(queueOf))) {
      const { depth, oldest } = await payments.measureQueue(queue, now);
      metrics.queue(queue, depth, oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0);
    }
  });
  const close = async () => {
    await hints.close();
    subscription.disconnect();
  };
  return { usecases: { ...makePaymentUseCases(deps), tokenizeWallet }, deps, close };
}
