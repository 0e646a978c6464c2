/** The pool that talks to acquirers: it hands claimed work to the handler of its kind, within each acquirer's share. */
import { limits } from '../../config/limits.js';
import { defined } from '../../shared/domain/defined.js';
import { routeOf } from '../../shared/domain/payment/attempts.js';
import type { ProcessorWorkKind } from '../../shared/domain/payment/payment.js';
import { nextWork, operationInProgress, sendAgain } from '../../shared/domain/payment/work.js';
import { after } from '../../shared/domain/time.js';
import type { Metrics } from '../../shared/metrics.js';
import type { Processor } from '../../shared/processors/processor.js';
import { createProcessors, type Processors } from '../../shared/processors/registry.js';
import { applyProcessorUpdate } from '../../shared/queue/apply-update.job.js';
import type { WorkNudge } from '../../shared/queue/work-payment.job.js';
import { createBinTable } from '../../shared/store/bin-range.repository.js';
import { createFindingRepository } from '../../shared/store/book-finding.repository.js';
import { createCardDeclineRepository } from '../../shared/store/card-decline.repository.js';
import { createClientRepository } from '../../shared/store/client.repository.js';
import { createCustomerRepository } from '../../shared/store/customer.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { createProcessorCredentialsRepository } from '../../shared/store/processor-credentials.repository.js';
import { createProcessorUpdateRepository } from '../../shared/store/processor-update.repository.js';
import { byHolder, type Claimed, createPaymentWork, forPayments } from '../payment-work.js';
import { type JobDelivery, type Opening, onJob, type Pool, type PoolDeps } from '../pool.js';
import { sweepWorkAndParts, withoutOverlap } from '../sweep-parts.js';
import { createAcquirerGate } from './acquirer-gate.js';
import { applyForgotten, handleUpdate } from './apply-update.handler.js';
import { type BooksAudit, createBooksAudit } from './books/audit-books.js';
import { createCardTesting, noCardTesting } from './card-testing.js';
import { checkRefunds } from './check-refunds.js';
import { handleInquiry } from './inquire-payment.handler.js';
import { handleReversal } from './reverse-payment.handler.js';
import { createRouteBreakers, routeBreakerSettings } from './route-breakers.js';
import { saveForgottenCards } from './save-instrument.js';
import { handleSend, isInherited } from './send-operation.handler.js';
import type { UpdateDeps } from './update-result.js';
import { withCredentials } from './with-credentials.js';

export type ProcessorPoolDeps = UpdateDeps &
  Pick<PoolDeps, 'batchWrites' | 'concurrency'> & {
    /** Absent: the books of processors are not compared. */
    readonly booksAudit?: BooksAudit;
  };

/** Work that may have been sent is inquired about when it is offered again. */
const handlers = {
  authorize: handleSend,
  capture: handleSend,
  cancel: handleSend,
  refund: handleSend,
  inquire: handleInquiry,
  reverse: handleReversal,
} as const satisfies Record<ProcessorWorkKind, unknown>;

export interface ProcessorPool extends Pool {
  /** Claims and does one piece of work. Exposed for tests. */
  work(nudge: WorkNudge, delivery?: JobDelivery): Promise<void>;
}

/** Gives the work back to MongoDB for a moment, so that others are served first. */
async function park({ payments, clock }: ProcessorPoolDeps, claimed: Claimed): Promise<string> {
  const dueAt = after(clock.now(), limits.parkMs);
  const { kind } = claimed.work;
  // An unused attempt of this process is removed; an inherited attempt stays, because it may have been sent.
  const sends = kind !== 'inquire' && kind !== 'reverse' && !isInherited(claimed);
  const plan = byHolder(claimed, (payment, work) => ({
    ...payment,
    work: sends
      ? sendAgain(work, operationInProgress(payment), dueAt, work.tries)
      : nextWork(work, work.kind, dueAt, work.tries),
  }));
  await payments.update(claimed.payment, plan);
  return 'parked';
}

export function createProcessorPool(deps: ProcessorPoolDeps): ProcessorPool {
  const refundRound = withoutOverlap(deps, 'refunds', () => checkRefunds(deps, deps.clock.now()));
  const booksRound = withoutOverlap(deps, 'books', async () => deps.booksAudit?.sweep() ?? 0);
  const gate = createAcquirerGate(deps.concurrency, limits.perAcquirerShare, () => performance.now());
  const { jobs, work, sweep, idle, close } = createPaymentWork('processor', deps, async (claimed) => {
    const leave = gate.enter(routeOf(claimed.payment, claimed.work.txId).acquirer);
    if (!leave) return park(deps, claimed);
    try {
      return await handlers[claimed.work.kind as ProcessorWorkKind](deps, claimed);
    } finally {
      leave();
    }
  });
  return {
    name: 'processor',
    jobs: [...jobs, onJob(applyProcessorUpdate, ({ updateId }) => handleUpdate(deps, updateId))],
    work,
    async sweep() {
      const now = deps.clock.now();
      const { found, more, parts } = await sweepWorkAndParts(deps, sweep, {
        cards: async () => {
          await saveForgottenCards(deps, now);
          return 0;
        },
        refunds: refundRound,
        updates: () => applyForgotten(deps, now),
        books: booksRound,
      });
      return { found: found + parts.updates, more: more || parts.updates === limits.sweepPageMax };
    },
    idle,
    close: async () => close(),
  };
}

/** Wraps the adapters of the installation so that each gets its credentials of the merchant. */
function credentialed(processors: Processors, deps: Parameters<typeof withCredentials>[0]): Pick<Processors, 'get'> {
  const made = new Map(
    processors.codes.map((code) => [code, withCredentials(deps, processors.get(code) as Processor)] as const),
  );
  return { get: (code) => made.get(code) };
}

function openBooksAudit(
  given: Pick<Opening<'processor'>, 'clock' | 'log' | 'metrics' | 'payments' | 'database'>,
  all: Processors,
) {
  const clients = createClientRepository(given.database);
  return createBooksAudit({
    ...given,
    books: {
      payments: given.payments,
      clientIds: async () => (await clients.findClients()).map(({ _id }) => _id),
      notAsked: (code, { key: txId, paymentId }, error) =>
        given.log.warn('books.not-asked', { code, txId, ...defined({ paymentId }), error }),
    },
    findings: createFindingRepository(given.database),
    processors: all.codes.map((code) => all.get(code) as Processor),
  });
}

/** Reports the adapters' lasting connections when the metrics are read. */
function watchLines({ codes, get }: Processors, metrics: Metrics): void {
  for (const code of codes) {
    const processor = get(code);
    const refresh = async () => {
      const report = await processor?.lines?.();
      if (report) metrics.lines(code, report);
    };
    metrics.onScrape({ kind: `lines of ${code}`, refresh, forget: () => metrics.forgetLines(code) });
  }
}

export async function openPool({ config, redis, vaultOf, ...given }: Opening<'processor'>): Promise<Pool> {
  const processors = createProcessors(config, given.log, given.database);
  watchLines(processors, given.metrics);
  const { cardTestingThrottles: wanted, environment } = config;
  const throttles = wanted === 'on' || (wanted === 'auto' && environment === 'production');
  const vault = await vaultOf(config);
  const instruments = createPaymentInstrumentRepository(given.database);
  const credentials = createProcessorCredentialsRepository(given.database);
  const declines = createCardDeclineRepository(given.database);
  const pool = createProcessorPool({
    ...given,
    ...forPayments({ config, redis, log: given.log }),
    vault,
    processors: credentialed(processors, { credentials, vault }),
    instruments,
    customers: createCustomerRepository(given.database),
    bins: createBinTable(given.database),
    updates: createProcessorUpdateRepository(given.database),
    booksAudit: openBooksAudit(given, processors),
    routes: createRouteBreakers(routeBreakerSettings, { ...given, nowMs: () => performance.now() }),
    cardTesting: throttles ? createCardTesting({ ...given, vault, instruments, declines }) : noCardTesting,
    concurrency: config.workerConcurrency,
  });
  return {
    ...pool,
    processors: processors.codes,
    async close() {
      await pool.close();
      await processors.close();
    },
  };
}
