/** The pool that talks to acquirers: claims work by token, hands it to the handler of its kind, sweeps what no hint reached. */
import { limits } from '../../config/limits.js';
import { IllegalMoveError } from '../../shared/domain/payment/apply-moves.js';
import type { Payment, ProcessorWorkKind, Work, WorkKind } from '../../shared/domain/payment/payment.js';
import { nextWork, operationOf, sendAgain } from '../../shared/domain/payment/work.js';
import { type WorkHint, workJobsOf, workPayment } from '../../shared/jobs/work-payment.job.js';
import { createClaims } from '../../shared/store/claim-work.js';
import type { DueWork } from '../../shared/store/payment.repository.js';
import { onJob, type Pool } from '../define-worker.js';
import { createLeaseKeeper } from '../lease-keeper.js';
import { createAcquirerGate } from './acquirer-gate.js';
import { checkRefunds } from './check-refunds.js';
import { type Claimed, isInherited, type ProcessorPoolDeps } from './context.js';
import { handleInquiry } from './inquire-payment.handler.js';
import { handleReversal } from './reverse-payment.handler.js';
import { saveInstrument } from './save-instrument.js';
import { handleSend } from './send-operation.handler.js';

/** What was done, for metrics. */
type Handler = (deps: ProcessorPoolDeps, claimed: Claimed) => Promise<string>;

const handlers = {
  authorize: handleSend,
  capture: handleSend,
  cancel: handleSend,
  refund: handleSend,
  inquire: handleInquiry,
  reverse: handleReversal,
} as const satisfies Record<ProcessorWorkKind, Handler>;

/** Parked work is tried again after this. */
const PARK_MS = 500;
/** A hint younger than this is probably being worked on: the sweep leaves it alone while Redis is there. */
const FRESH_MS = 1_000;
/** Work that is overdue by this is done by the sweep itself, whatever became of its hints. */
const OVERDUE_MS = 10_000;
/** A card that is saved later than this after its payment was forgotten by a process. */
const FORGOTTEN_MS = 3_000;
/** How much due work one sweep hints at. */
const HINTS_MAX = 1_024;

export interface ProcessorPool extends Pool {
  /** Claims and does one piece of work. Exposed for tests and for the sweep. */
  work(hint: WorkHint): Promise<void>;
}

export function createProcessorPool(deps: ProcessorPoolDeps): ProcessorPool {
  const claim = createClaims(deps.payments.collection, 'processor', () => deps.clock.now(), deps.batchWrites);
  const leases = createLeaseKeeper(deps.payments, deps.log);
  const gate = createAcquirerGate(deps.concurrency, limits.perAcquirerShare, () => performance.now());

  const toClaimed = (payment: Payment, work: Work, hint: WorkHint, claimedMs: number): Claimed => ({
    payment,
    work,
    processor: deps.processors.get(payment.processor),
    replyTo: hint.replyTo,
    traceId: payment.traceId,
    log: deps.log.with({ paymentId: payment._id, txId: work.txId, traceId: payment.traceId, kind: work.kind }),
    mayStillSend: () => performance.now() - claimedMs < limits.sendByMs,
  });

  const park = async (claimed: Claimed): Promise<string> => {
    const dueAt = new Date(deps.clock.now().getTime() + PARK_MS);
    const { leaseToken, kind } = claimed.work;
    // An own, unused attempt is forgotten; an inherited one stays, because it may have been sent.
    const sends = kind !== 'inquire' && kind !== 'reverse' && !isInherited(claimed);
    await deps.payments.update(claimed.payment, (payment) => {
      const { work } = payment;
      if (!work || work.leaseToken !== leaseToken) return undefined;
      const parked = sends
        ? sendAgain(work, operationOf(payment), dueAt, work.tries)
        : nextWork(work, work.kind, dueAt, work.tries);
      return { ...payment, work: parked };
    });
    return 'parked';
  };

  const work = async (hint: WorkHint): Promise<void> => {
    // Before the claim is sent: the time that it takes counts against the time that it allows.
    const claimedMs = performance.now();
    const payment = await claim({ paymentId: hint.paymentId, txId: hint.txId });
    if (!payment?.work?.leaseToken) return;
    const claimed = toClaimed(payment, payment.work, hint, claimedMs);
    const letGo = leases.hold(payment._id, payment.work.leaseToken);
    const leave = gate.enter(payment.acquirer);
    try {
      const outcome = leave
        ? await handlers[payment.work.kind as ProcessorWorkKind](deps, claimed)
        : await park(claimed);
      const labels = { pool: 'processor', job: payment.work.kind, outcome };
      deps.metrics.step(labels, (performance.now() - claimedMs) / 1000);
    } catch (error) {
      // The lease runs out and the work is offered again; what may have been sent is then inquired.
      if (error instanceof IllegalMoveError) deps.metrics.event('illegal-transition');
      claimed.log.error('work.failed', { error });
    } finally {
      leave?.();
      letGo();
    }
  };

  const offer = async (due: DueWork, now: Date): Promise<void> => {
    const job = workPayment[due.kind as WorkKind];
    // After a lease ran out the old job may still be kept as active: only another id is sure to be taken.
    const hint = {
      paymentId: due.paymentId,
      txId: due.txId,
      gen: due.gen + (due.claimed ? 1 : 0),
      traceId: due.traceId,
    };
    const added = await deps.hints.add(job, hint);
    if (!added || now.getTime() - due.dueAt.getTime() > OVERDUE_MS) await work(hint);
  };

  /** Cards that a process was killed before saving, or could not save. */
  const saveForgottenCards = async (now: Date): Promise<void> => {
    const waiting = await deps.payments.findToTokenize(new Date(now.getTime() - FORGOTTEN_MS), limits.sweepPageMax);
    for (const payment of waiting) {
      try {
        await saveInstrument(deps, payment);
      } catch (error) {
        deps.log.error('instrument.not-saved', { paymentId: payment._id, error });
      }
    }
  };

  return {
    name: 'processor',
    jobs: workJobsOf('processor').map((job) => onJob(job, work)),
    work,
    async sweep() {
      const now = deps.clock.now();
      const reachable = deps.hints.ready();
      const limit = reachable ? HINTS_MAX : limits.sweepPageMax;
      const before = reachable ? new Date(now.getTime() - FRESH_MS) : now;
      const due = await deps.payments.findDueWork('processor', before, limit);
      const oldestMs = due[0] ? now.getTime() - due[0].dueAt.getTime() : 0;
      deps.metrics.queue('processor', due.length, oldestMs / 1000);
      if (due.length > 0) deps.metrics.event('sweep-recovered', due.length);
      await Promise.all(due.map((item) => offer(item, now)));
      await saveForgottenCards(now);
      await checkRefunds(deps, now);
      return { found: due.length, more: !reachable && due.length === limit };
    },
    close: async () => leases.close(),
  };
}
