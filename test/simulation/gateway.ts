/**
 * The processes of a gateway: API and workers, each with the product's own repositories, flows and pools, on a simulated store, queue
 * and processors. Each process has its own memory. A process that dies is replaced by a new one.
 */
import type { ApiDeps } from '../../api/deps.js';
import type { ReferenceGuard } from '../../api/limits/reference-guard.js';
import { createAdmissionLimit } from '../../api/payments/admission-limit.js';
import { createOutcomeWaiter } from '../../api/payments/await-outcome.js';
import { digestBody } from '../../api/payments/body-digest.js';
import { makeRefuseCardTexts } from '../../api/payments/numbers-in-text.js';
import { createSessionTokens } from '../../api/sessions/session-token.js';
import { limits } from '../../config/limits.js';
import { renderCallback } from '../../shared/contract/present-payment.js';
import type { Schedule } from '../../shared/domain/schedule.js';
import type { Processor } from '../../shared/processors/processor.js';
import { announcePayment } from '../../shared/queue/announce-payment.job.js';
import { deliverCallback } from '../../shared/queue/deliver-callback.job.js';
import type { Database } from '../../shared/store/database.js';
import { createDeliveryRepository } from '../../shared/store/delivery.repository.js';
import { createIdempotencyRepository } from '../../shared/store/idempotency.repository.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { createPaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import { createProcessorUpdateRepository } from '../../shared/store/processor-update.repository.js';
import { createReferenceReservations } from '../../shared/store/reference-reservation.repository.js';
import { createSessionRepository } from '../../shared/store/session.repository.js';
import type { ThreeDsProvider } from '../../shared/threeds-providers/provider.js';
import { createCallbackPool } from '../../workers/callback/callback-pool.js';
import type { CallbackPoster } from '../../workers/callback/post-callback.js';
import { createExpiryPool } from '../../workers/expiry/expiry-pool.js';
import { settleLinks } from '../../workers/expiry/settle-links.handler.js';
import { settleSessions } from '../../workers/expiry/settle-sessions.handler.js';
import { onJob, type PoolJob } from '../../workers/pool.js';
import { noCardTesting } from '../../workers/processor/card-testing.js';
import { createProcessorPool } from '../../workers/processor/processor-pool.js';
import { createRouteBreakers, routeBreakerSettings } from '../../workers/processor/route-breakers.js';
import { createQrPool } from '../../workers/qr/qr-pool.js';
import { createThreeDsPool } from '../../workers/threeds/threeds-pool.js';
import {
  bins,
  customers,
  type MethodSettings,
  merchants,
  methodsOf,
  noMetrics,
  publicBaseUrl,
  silentLog,
} from './installation.js';
import type { Process } from './process.js';
import type { SimulatedQueue } from './simulated-queue.js';
import { simulatedVault } from './simulated-vault.js';
import type { World } from './world.js';

/** Shared by all processes of a story. */
export interface Environment {
  readonly world: World;
  readonly queue: SimulatedQueue;
  readonly schedule: Schedule;
  readonly methods: MethodSettings;
  /** Whether the processor sends updates. */
  readonly sendsUpdates: boolean;
  databaseFor(process: Process): Database;
  processorFor(process: Process): Processor;
  providerFor(process: Process): ThreeDsProvider;
  posterFor(process: Process): CallbackPoster;
}

/** A planted bug: parts that replace the product's own. Without a bug the product is unchanged. */
export interface GatewayBugs {
  readonly parts?: (parts: Parts) => Parts;
  readonly pools?: (pools: readonly SweptPool[]) => readonly SweptPool[];
}

type Parts = ReturnType<typeof makeParts>;

const KEY = Buffer.alloc(32, 7);
const sessionTokens = createSessionTokens(KEY);
const WAIT_MS = 15_000;
const CONCURRENCY = 64;

const config = {
  environment: 'testing',
  digestKey: KEY,
  fingerprintKey: KEY,
  publicBaseUrl,
  callbackAllowPrivateNetworks: true,
  responseWaitMs: WAIT_MS,
  sessionLifetimeMinutes: 10,
  timeScale: 1,
  workerConcurrency: CONCURRENCY,
  batchWrites: true,
} as const;

/** Makes the parts that both kinds of processes have. */
function makeParts({ world, queue, schedule, ...more }: Environment, process: Process) {
  const database = more.databaseFor(process);
  const payments = createPaymentRepository(database, config.batchWrites);
  return {
    database,
    clock: { now: world.now },
    log: silentLog,
    metrics: noMetrics,
    schedule,
    renderCallback,
    payments,
    announcements: payments,
    sessions: createSessionRepository(database),
    links: createPaymentLinkRepository(database),
    instruments: createPaymentInstrumentRepository(database),
    deliveries: createDeliveryRepository(database),
    updates: createProcessorUpdateRepository(database),
    merchants,
    methods: methodsOf(more.methods),
    customers,
    bins,
    vault: simulatedVault,
    processors: { get: () => more.processorFor(process) },
    providers: { get: () => more.providerFor(process) },
    nudges: queue.nudgesOf(process),
    publish: queue.publisherOf(process),
    publicBaseUrl,
    batchWrites: config.batchWrites,
    concurrency: CONCURRENCY,
  };
}

export interface SweptPool {
  readonly name: string;
  readonly jobs: readonly PoolJob[];
  sweep(): Promise<unknown>;
  idle?(): Promise<unknown>;
}

function makePools(parts: Parts, poster: CallbackPoster): SweptPool[] {
  const { clock, log, links, payments, instruments, sessions } = parts;
  const processor = createProcessorPool({
    ...parts,
    cardTesting: noCardTesting,
    routes: createRouteBreakers(routeBreakerSettings, { ...parts, nowMs: () => performance.now() }),
  });
  const callback = createCallbackPool({ ...parts, config, random: () => Math.random(), poster });
  const expiry = createExpiryPool({
    ...parts,
    vault: { destroyExpiredKeys: async () => 0 },
    walletIntegrations: { findEnding: async () => [], markWarned: async () => false },
    countNewer: async () => [],
    settleLinks: () => settleLinks({ links, payments, clock, log }),
    settleSessions: () => settleSessions({ sessions, payments, instruments, clock, log }),
  });
  const callbackJobs = [
    onJob(announcePayment, ({ paymentId }) => callback.announce(paymentId)),
    onJob(deliverCallback, ({ deliveryId }) => callback.deliver(deliveryId)),
  ];
  return [
    processor,
    createThreeDsPool(parts),
    createQrPool(parts),
    expiry,
    { name: 'callback', jobs: callbackJobs, sweep: () => callback.sweep() },
  ];
}

export interface Worker {
  readonly process: Process;
  readonly pools: readonly SweptPool[];
}

/** Starts a worker process with all pools. Has to be called in a turn of that process. */
export function startWorker(environment: Environment, process: Process, bugs: GatewayBugs): Worker {
  const parts = makeParts(environment, process);
  const pools = makePools(bugs.parts?.(parts) ?? parts, environment.posterFor(process));
  const jobsOf = ({ jobs }: SweptPool) => new Map(jobs.map((job) => [job.name, job]));
  environment.queue.workers.push({ process, queues: new Map(pools.map((pool) => [pool.name, jobsOf(pool)])) });
  return { process, pools: bugs.pools?.(pools) ?? pools };
}

export interface Api {
  readonly process: Process;
  readonly deps: ApiDeps;
}

/** Starts an API process. Has to be called in a turn of that process. */
export function startApi(environment: Environment, process: Process, bugs: GatewayBugs): Api {
  const original = makeParts(environment, process);
  const parts = bugs.parts?.(original) ?? original;
  const { database, payments, clock, log, metrics } = parts;
  const references: ReferenceGuard = { isSame: async (_client, _reference, known, digest) => known === digest };
  const shutdown = new AbortController().signal;
  const replies = environment.queue.subscriberOf(process);
  const deps = {
    ...parts,
    config,
    references,
    outcomes: createOutcomeWaiter({ replies, payments, clock, renderCallback, shutdown, log, metrics }),
    admissionLimit: createAdmissionLimit(WAIT_MS, metrics, () => false),
    refuseCardTexts: makeRefuseCardTexts({ panInText: 'refuse', panInReference: 'refuse' }, bins),
    reservations: createReferenceReservations(database),
    linkSettings: { find: async () => undefined },
    sessionTokens,
    chargeContexts: { now: async () => ({ environment: config.environment }) },
    updateReaders: { get: () => (environment.sendsUpdates ? {} : undefined) },
    walletIntegrations: { find: async () => undefined },
    idempotency: {
      references,
      rows: createIdempotencyRepository(database),
      digest: (body: unknown) => digestBody(KEY, body),
      leaseMs: Math.max(limits.idempotencyLeaseMs, WAIT_MS + limits.idempotencyMarginMs),
    },
  };
  // Dependencies that no story uses are missing.
  return { process, deps: deps as unknown as ApiDeps };
}
