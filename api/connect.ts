/** Creates the dependencies of an API process over real connections, and the function that closes these connections. */
import type { Config, WebConfig } from '../config/index.js';
import { limits } from '../config/limits.js';
import type { Clock } from '../shared/clock.js';
import { renderCallback } from '../shared/contract/present-payment.js';
import { queueOf } from '../shared/domain/payment/work.js';
import { msBetween } from '../shared/domain/time.js';
import { newToken } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { createMetrics, type Metrics } from '../shared/metrics.js';
import { createUpdateReaders } from '../shared/processors/update-readers.js';
import { watchEviction } from '../shared/queue/eviction.js';
import { createNudges } from '../shared/queue/nudges.js';
import { createPatientRedis, createProducerRedis, isReady } from '../shared/queue/redis.js';
import { createReplySubscriber, ReplyKey } from '../shared/queue/reply-channel.js';
import { createRestoreWitness } from '../shared/queue/restore-witness.js';
import { createAuditRepository } from '../shared/store/audit.repository.js';
import { type BinTable, createBinTable } from '../shared/store/bin-range.repository.js';
import { ensureIndexes, indexesReady } from '../shared/store/collections.js';
import { createCustomerRepository } from '../shared/store/customer.repository.js';
import { type Database, openDatabase, operationMsFor } from '../shared/store/database.js';
import { openDatabaseClock } from '../shared/store/database-clock.js';
import { createDeliveryRepository } from '../shared/store/delivery.repository.js';
import { claimEnvironment } from '../shared/store/environment.repository.js';
import { createIdempotencyRepository } from '../shared/store/idempotency.repository.js';
import { checkKeys } from '../shared/store/key-checks.repository.js';
import { createKeyReportRepository } from '../shared/store/key-reports.repository.js';
import { createLinkSettingsRepository } from '../shared/store/link-settings.repository.js';
import { createMerchantRepository } from '../shared/store/merchant.repository.js';
import { createMerchantLogoRepository } from '../shared/store/merchant-logo.repository.js';
import { createMerchantPaymentMethodRepository } from '../shared/store/merchant-payment-method.repository.js';
import { createPageAssetRepository } from '../shared/store/page-asset.repository.js';
import { createPaymentRepository, type PaymentRepository } from '../shared/store/payment.repository.js';
import { createPaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import { createPaymentLinkRepository } from '../shared/store/payment-link.repository.js';
import { createPaymentQueries } from '../shared/store/payment-queries.repository.js';
import { createProcessorCredentialsRepository } from '../shared/store/processor-credentials.repository.js';
import { createProcessorUpdateRepository } from '../shared/store/processor-update.repository.js';
import { createReferenceProbeRepository } from '../shared/store/reference-probe.repository.js';
import { createReferenceReservations } from '../shared/store/reference-reservation.repository.js';
import { openRestoreWatch, type RestoreWatch } from '../shared/store/restore-watch.js';
import { checkServerVersion } from '../shared/store/server-version.js';
import { createSessionRepository } from '../shared/store/session.repository.js';
import { createThreeDsSessionRepository } from '../shared/store/threeds-session.repository.js';
import { createWalletIntegrationRepository } from '../shared/store/wallet-integration.repository.js';
import { createWalletOpeningRepository } from '../shared/store/wallet-opening.repository.js';
import { createWalletUseRepository } from '../shared/store/wallet-use.repository.js';
import { openVault } from '../shared/vault/open-vault.js';
import { reportKeys } from '../shared/vault/report-keys.js';
import { readKeyFile } from '../shared/wallets/read-key-file.js';
import type { ApiDeps, ReadinessNotice } from './deps.js';
import { createPageCursors } from './http/page-cursor.js';
import { connectIdentity } from './identity/connect-identity.js';
import { createReferenceGuard } from './limits/reference-guard.js';
import { createChargeContexts } from './merchants/offered-processors.js';
import { createKeptAssets } from './pages/kept-assets.js';
import { createAdmissionLimit } from './payments/admission-limit.js';
import { createOutcomeWaiter } from './payments/await-outcome.js';
import { digestBody } from './payments/body-digest.js';
import { makeRefuseCardTexts } from './payments/numbers-in-text.js';
import { createReadiness } from './readiness.js';
import { createSessionTokens } from './sessions/session-token.js';
import { openProviderCatalogue } from './threeds/provider-catalogue.js';
import { parseAuthJwtKeys } from './wallets/auth-jwt.js';

interface Process {
  readonly config: WebConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Aborted when the process may wait no longer: calls that still wait then answer `pending`. */
  readonly shutdown: AbortSignal;
}

/** Reads the keys, newest first; none when no file is configured. @throws {ConfigError} when the file cannot be used. */
const loadAuthJwtKeys = ({ walletAAuthJwtKeysFile: file }: Pick<Config, 'walletAAuthJwtKeysFile'>) =>
  file === undefined ? [] : readKeyFile('WALLET_A_AUTH_JWT_KEYS_FILE', file, parseAuthJwtKeys);

/** Creates the repositories of this tier, and the vault. */
function openStore(database: Database, { config, clock }: Process) {
  return {
    payments: createPaymentRepository(database, config.batchWrites),
    queries: createPaymentQueries(database),
    deliveries: createDeliveryRepository(database),
    vault: openVault(database, config, clock),
    merchants: createMerchantRepository(database, clock),
    methods: createMerchantPaymentMethodRepository(database, clock),
    logos: createMerchantLogoRepository(database),
    keptAssets: createKeptAssets(createPageAssetRepository(database), config.digestKey),
    customers: createCustomerRepository(database),
    instruments: createPaymentInstrumentRepository(database),
    bins: createBinTable(database),
    sessions: createSessionRepository(database),
    reservations: createReferenceReservations(database),
    links: createPaymentLinkRepository(database),
    linkSettings: createLinkSettingsRepository(database),
    threeDsSessions: createThreeDsSessionRepository(database),
    walletIntegrations: createWalletIntegrationRepository(database),
    walletOpenings: createWalletOpeningRepository(database),
    walletUses: createWalletUseRepository(database),
    updates: createProcessorUpdateRepository(database),
    credentials: createProcessorCredentialsRepository(database),
  };
}

/** Opens the queue: nudges for the pools, and the channel on which outcomes return to the calls that wait for them. */
function openQueue({ config, clock, log, metrics, shutdown }: Process, payments: PaymentRepository) {
  const redis = createProducerRedis(config.redisUrl, log);
  const redisEvicts = watchEviction(redis, log);
  const nudges = createNudges(redis, config.redisPrefix, log, metrics);
  const subscription = createPatientRedis(config.redisUrl, log);
  // Random per boot: containers share pids and host names, and pub/sub ignores Redis database numbers.
  const channel = `${config.redisPrefix}:reply:${newToken()}`;
  const replies = createReplySubscriber(subscription, channel, { key: new ReplyKey(config.replyKey), log, metrics });
  const outcomes = createOutcomeWaiter({ replies, payments, clock, renderCallback, shutdown, log, metrics });
  const close = async () => {
    await nudges.close();
    subscription.disconnect();
    redis.disconnect();
  };
  return { redis, redisEvicts, nudges, outcomes, close };
}

/** Checks what every process checks before it works: server version, environment, keys and indexes. */
async function checkDatabase(database: Database, { config, log }: Process) {
  await checkServerVersion({ ...config, database, log });
  await claimEnvironment(database, config.environment);
  await checkKeys(database, config);
  await ensureIndexes(database);
  if ((await createBinTable(database).count()) === 0) {
    log.warn('bins.empty', { reason: 'type, issuer and country of cards are unknown: ./gateway bins import' });
  }
  const unreport = await reportKeys({ database, config, role: 'web', log });
  return { unreport };
}

function openAudit(database: Database, { clock, log }: Process) {
  const audit = createAuditRepository(database, clock, log);
  const timer = setInterval(() => {
    audit.logHeads().catch((error: unknown) => log.warn('audit.heads-not-logged', { error }));
  }, limits.auditHeadMs).unref();
  const close = () => {
    clearInterval(timer);
    return audit.close();
  };
  return { audit, close };
}

/** Measures the depths of the queues, each time that the metrics are scraped. */
function measureQueues({ metrics, clock }: Process, payments: PaymentRepository): void {
  const refresh = async () => {
    const now = clock.now();
    for (const queue of new Set(Object.values(queueOf))) {
      const { depth, oldest } = await payments.measureQueue(queue, now);
      metrics.queue(queue, depth, oldest ? msBetween(oldest, now) / 1000 : 0);
    }
  };
  metrics.onScrape({ kind: 'queues', refresh, forget: metrics.forgetQueues });
}

const openIdempotency = (
  database: Database,
  { digestKey, responseWaitMs }: WebConfig,
  references: ApiDeps['references'],
): ApiDeps['idempotency'] => ({
  references,
  rows: createIdempotencyRepository(database),
  digest: (body) => digestBody(digestKey, body),
  // No call runs longer than its wait for an outcome plus a margin.
  leaseMs: Math.max(limits.idempotencyLeaseMs, responseWaitMs + limits.idempotencyMarginMs),
});

/** Lists what an operator should know although the process is ready. */
async function readNotices(
  bins: Pick<BinTable, 'count'>,
  restored: Pick<RestoreWatch, 'problem'>,
  redisEvicts: () => boolean,
): Promise<readonly ReadinessNotice[]> {
  const notices: ReadinessNotice[] = [];
  if ((await bins.count()) === 0) notices.push('bin-table-empty');
  if (restored.problem() !== undefined) notices.push('safe-mode');
  if (redisEvicts()) notices.push('redis-evicts');
  return notices;
}

/**
 * Connects to MongoDB (which must answer) and to Redis (which may be down).
 * @param runtimeMetrics whether to measure the process itself too; only once per process.
 */
export async function connectApi(config: WebConfig, log: Log, shutdown: AbortSignal, runtimeMetrics = true) {
  const metrics = createMetrics({ process: 'api', runtime: runtimeMetrics, log });
  const database = await openDatabase(config.mongodbUri, operationMsFor(config.responseWaitMs));
  const clock = await openDatabaseClock({ database, environment: config.environment, log, metrics });
  const process: Process = { config, clock, log, metrics, shutdown };
  const { unreport } = await checkDatabase(database, process);
  const store = openStore(database, process);
  await store.keptAssets.keep().catch((error: unknown) => log.warn('assets.not-kept', { error }));
  const { redis, redisEvicts, nudges, outcomes, close: closeQueue } = openQueue(process, store.payments);
  const witness = createRestoreWitness(redis, config.redisPrefix);
  const restored = await openRestoreWatch({ ...process, database, redis: witness, moves: false });
  const { audit, close: closeAudit } = openAudit(database, process);
  measureQueues(process, store.payments);
  const readiness = createReadiness({
    ping: () => database.ping(),
    indexesReady: () => indexesReady(database),
    redisReady: () => isReady(redis) && nudges.ready('processor'),
    notices: () => readNotices(store.bins, restored, redisEvicts),
    nowMs: () => performance.now(),
    log,
  });
  const references = createReferenceGuard({ probes: createReferenceProbeRepository(database), log, metrics });
  const deps: ApiDeps = {
    ...process,
    ...store,
    ...connectIdentity({ ...process, database, redis, merchants: store.merchants }),
    readiness,
    audit,
    references,
    nudges,
    outcomes,
    idempotency: openIdempotency(database, config, references),
    refuseCardTexts: makeRefuseCardTexts(config, store.bins),
    chargeContexts: createChargeContexts({ config, clock, reports: createKeyReportRepository(database) }),
    paymentCursors: createPageCursors(config.digestKey, 'payments'),
    updateReaders: createUpdateReaders(config),
    admissionLimit: createAdmissionLimit(config.responseWaitMs, metrics, () => restored.problem() !== undefined),
    sessionTokens: createSessionTokens(config.digestKey),
    threeDsProviders: openProviderCatalogue(config.threeDsProvidersFile, config),
    authJwtKeys: loadAuthJwtKeys(config),
  };
  const close = async () => {
    clock.stop();
    await restored.stop();
    await closeAudit();
    await closeQueue();
    await unreport();
    await database.close();
  };
  return { deps, readiness, close };
}
