/** The pool that authenticates payers: claims its work by token as every pool does, and hands on to the processor's pool. */
import { limits } from '../../config/limits.js';
import { IllegalMoveError } from '../../shared/domain/payment/apply-moves.js';
import type { Payment, ThreeDsWorkKind, Work } from '../../shared/domain/payment/payment.js';
import { type WorkHint, workJobsOf, workPayment } from '../../shared/jobs/work-payment.job.js';
import { createClaims } from '../../shared/store/claim-work.js';
import type { DueWork } from '../../shared/store/payment.repository.js';
import { onJob, type Pool } from '../define-worker.js';
import { createLeaseKeeper } from '../lease-keeper.js';
import { handleAuthentication } from './authenticate-payment.handler.js';
import { handleConclusion } from './conclude-authentication.handler.js';
import type { Claimed, ThreeDsPoolDeps } from './context.js';

/** What was done, for metrics. */
type Handler = (deps: ThreeDsPoolDeps, claimed: Claimed) => Promise<string>;

const handlers = {
  authenticate: handleAuthentication,
  'await-challenge': handleConclusion,
  conclude: handleConclusion,
} as const satisfies Record<ThreeDsWorkKind, Handler>;

/** A hint younger than this is probably being worked on: the sweep leaves it alone while Redis is there. */
const FRESH_MS = 1_000;
/** Work that is overdue by this is done by the sweep itself, whatever became of its hints. */
const OVERDUE_MS = 10_000;

export interface ThreeDsPool extends Pool {
  /** Claims and does one piece of work. Exposed for tests and for the sweep. */
  work(hint: WorkHint): Promise<void>;
}

export function createThreeDsPool(deps: ThreeDsPoolDeps): ThreeDsPool {
  const claim = createClaims(deps.payments.collection, 'threeds', () => deps.clock.now(), deps.batchWrites);
  const leases = createLeaseKeeper(deps.payments, deps.log);

  const toClaimed = (payment: Payment, work: Work, { replyTo }: WorkHint): Claimed => ({
    payment,
    work,
    provider: payment.threeDs?.provider === undefined ? undefined : deps.providers.get(payment.threeDs.provider),
    replyTo,
    log: deps.log.with({ paymentId: payment._id, txId: work.txId, traceId: payment.traceId, kind: work.kind }),
  });

  const work = async (hint: WorkHint): Promise<void> => {
    const startedMs = performance.now();
    const payment = await claim({ paymentId: hint.paymentId, txId: hint.txId });
    if (!payment?.work?.leaseToken) return;
    const claimed = toClaimed(payment, payment.work, hint);
    const letGo = leases.hold(payment._id, payment.work.leaseToken);
    try {
      const outcome = await handlers[payment.work.kind as ThreeDsWorkKind](deps, claimed);
      const labels = { pool: 'threeds', job: payment.work.kind, outcome };
      deps.metrics.step(labels, (performance.now() - startedMs) / 1000);
    } catch (error) {
      // The lease runs out and the work is offered again: the provider knows the session and gives the same answer.
      if (error instanceof IllegalMoveError) deps.metrics.event('illegal-transition');
      claimed.log.error('work.failed', { error });
    } finally {
      letGo();
    }
  };

  const offer = async ({ kind, claimed, dueAt, ...due }: DueWork, now: Date): Promise<void> => {
    const { paymentId, txId, traceId } = due;
    // After a lease ran out the old job may still be kept as active: only another id is sure to be taken.
    const hint = { paymentId, txId, traceId, gen: due.gen + (claimed ? 1 : 0) };
    const added = await deps.hints.add(workPayment[kind as ThreeDsWorkKind], hint);
    if (!added || now.getTime() - dueAt.getTime() > OVERDUE_MS) await work(hint);
  };

  return {
    name: 'threeds',
    jobs: workJobsOf('threeds').map((job) => onJob(job, work)),
    work,
    async sweep() {
      const now = deps.clock.now();
      const before = deps.hints.ready() ? new Date(now.getTime() - FRESH_MS) : now;
      const due = await deps.payments.findDueWork('threeds', before, limits.sweepPageMax);
      const oldestMs = due[0] ? now.getTime() - due[0].dueAt.getTime() : 0;
      deps.metrics.queue('threeds', due.length, oldestMs / 1000);
      if (due.length > 0) deps.metrics.event('sweep-recovered', due.length);
      await Promise.all(due.map((item) => offer(item, now)));
      return { found: due.length, more: due.length === limits.sweepPageMax };
    },
    close: async () => leases.close(),
  };
}
