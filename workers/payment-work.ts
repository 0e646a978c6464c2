/**
 * What every pool does that works on payments: it claims by token, keeps the lease while it works, and its sweep offers what no
 * hint reached (docs/reliability.md, "Claiming"). What the work is, each pool says.
 */
import { limits } from '../config/limits.js';
import type { Clock } from '../shared/clock.js';
import { IllegalMoveError } from '../shared/domain/payment/apply-moves.js';
import type { Payment, Work, WorkQueue } from '../shared/domain/payment/payment.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';
import type { Hints } from '../shared/queue/hints.js';
import { type WorkHint, workJobsOf, workPayment } from '../shared/queue/work-payment.job.js';
import { createClaims } from '../shared/store/claim-work.js';
import type { DueWork, PaymentRepository } from '../shared/store/payment.repository.js';
import { type Delivery, onJob, type PoolJob } from './define-worker.js';
import { createLeaseKeeper } from './lease-keeper.js';

interface Deps {
  readonly payments: PaymentRepository;
  readonly hints: Hints;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Claims of one tick travel as one write. */
  readonly batchWrites: boolean;
}

/** One claimed piece of work, as every handler gets it. */
export interface ClaimedWork {
  readonly payment: Payment;
  readonly work: Work;
  /** Channel of the API process whose caller waits. */
  readonly replyTo: string | undefined;
  readonly log: Log;
  /** False once too long has passed since the claim: a process that slept must not send. */
  mayStillSend(): boolean;
}

/**
 * Does the work and answers what was done, for metrics. Where it throws, the lease runs out and the work is offered again: it has
 * to be such that doing it twice is doing it once.
 */
type Handle = (claimed: ClaimedWork) => Promise<string>;

export interface PaymentWork {
  readonly jobs: readonly PoolJob[];
  /**
   * Claims and does one piece of work, if there is any. Never rejects because of it.
   * @param delivery how the hint came; absent: not from a queue.
   */
  work(hint: WorkHint, delivery?: Delivery): Promise<void>;
  /** Offers what is due and was not taken up. */
  sweep(): Promise<{ readonly found: number; readonly more: boolean }>;
  close(): void;
}

/** A hint younger than this is probably being worked on: the sweep leaves it alone while Redis is there. */
const FRESH_MS = 1_000;
/** Work that is overdue by this is done by the sweep itself, whatever became of its hints. */
const OVERDUE_MS = 10_000;
/** How much due work one sweep hints at. */
const HINTS_MAX = 1_024;

export function createPaymentWork(pool: WorkQueue, deps: Deps, handle: Handle): PaymentWork {
  const { payments, hints, clock, metrics } = deps;
  const { claim, take } = createClaims(payments.collection, pool, () => clock.now(), deps.batchWrites);
  const leases = createLeaseKeeper(payments, deps.log);

  /** By the claim that was stored with the payment, where this hint is the one that holds it; else by a claim of its own. */
  const own = async ({ paymentId, txId, first }: WorkHint, delivery?: Delivery): Promise<Payment | undefined> => {
    const wanted = { paymentId, txId, first };
    const taken = first !== undefined && delivery?.alone ? await take(wanted) : undefined;
    return taken ?? claim(wanted);
  };

  const work = async (hint: WorkHint, delivery?: Delivery): Promise<void> => {
    const { paymentId, txId, replyTo } = hint;
    // Before the claim is sent: the time that it takes counts against the time that it allows.
    const claimedMs = performance.now();
    const mayStillSend = () => performance.now() - claimedMs < limits.sendByMs;
    const payment = await own(hint, delivery);
    if (!payment?.work?.leaseToken) return;
    const { kind, leaseToken } = payment.work;
    const log = deps.log.with({ paymentId, txId, traceId: payment.traceId, kind });
    const letGo = leases.hold(paymentId, leaseToken);
    try {
      const outcome = await handle({ payment, work: payment.work, replyTo, log, mayStillSend });
      metrics.step({ pool, job: kind, outcome }, (performance.now() - claimedMs) / 1000);
    } catch (error) {
      if (error instanceof IllegalMoveError) metrics.event('illegal-transition');
      log.error('work.failed', { error });
    } finally {
      letGo();
    }
  };

  const offer = async ({ kind, claimed, dueAt, gen, paymentId, txId, traceId }: DueWork, now: Date): Promise<void> => {
    // After a lease ran out the old job may still be kept as active: only another id is sure to be taken.
    const hint = { paymentId, txId, traceId, gen: gen + (claimed ? 1 : 0) };
    const added = await hints.add(workPayment[kind], hint, 0, true);
    if (!added || now.getTime() - dueAt.getTime() > OVERDUE_MS) await work(hint);
  };

  return {
    jobs: workJobsOf(pool).map((job) => onJob(job, work)),
    work,
    async sweep() {
      const now = clock.now();
      const reachable = hints.ready();
      const limit = reachable ? HINTS_MAX : limits.sweepPageMax;
      const before = reachable ? new Date(now.getTime() - FRESH_MS) : now;
      const due = await payments.findDueWork(pool, before, limit);
      const oldestMs = due[0] ? now.getTime() - due[0].dueAt.getTime() : 0;
      metrics.queue(pool, due.length, oldestMs / 1000);
      if (due.length > 0) metrics.event('sweep-recovered', due.length);
      await Promise.all(due.map((item) => offer(item, now)));
      return { found: due.length, more: !reachable && due.length === limit };
    },
    close: () => leases.close(),
  };
}
