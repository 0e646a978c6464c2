/**
 * What every pool that works on payments does: it claims by token, keeps the lease while it works, records the result and hands on to the
 * next work; its sweep offers the work that no nudge started (docs/reliability.md, "Claiming"). Each pool says what its work is.
 *
 * Payments are written by a plan, which makes the next state from the newest stored one: by `changePayment` when no claim is held, by
 * `recordResult` for the holder of the claim, and by `recordOutcome` for any process that learns of an outcome.
 */

import { limits } from '../config/limits.js';
import { startStopwatch } from '../shared/clock.js';
import { renderCallback } from '../shared/contract/present-payment.js';
import { isAnswerable } from '../shared/domain/payment/answerable.js';
import { IllegalMoveError } from '../shared/domain/payment/apply-moves.js';
import type { Payment, Work, WorkQueue } from '../shared/domain/payment/payment.js';
import type { PlanContext } from '../shared/domain/payment/plan-context.js';
import { isInstrumentNoted } from '../shared/domain/payment/saved-instrument.js';
import { findTransaction } from '../shared/domain/payment/transaction.js';
import { kindsOf } from '../shared/domain/payment/work.js';
import { makeSchedule } from '../shared/domain/schedule.js';
import { after, msBetween } from '../shared/domain/time.js';
import { newTransactionId } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { announcePayment } from '../shared/queue/announce-payment.job.js';
import { publishReply, ReplyKey, toReply } from '../shared/queue/reply-channel.js';
import { type WorkNudge, workJobsOf, workPayment } from '../shared/queue/work-payment.job.js';
import { createClaims } from '../shared/store/claim-work.js';
import type { DueWork } from '../shared/store/payment.repository.js';
import { createLeaseKeeper } from './lease-keeper.js';
import { type JobDelivery, type Opening, onJob, type PoolDeps, type PoolJob } from './pool.js';
import { withinSweepWait } from './sweep-parts.js';

/** Returns the dependencies that only pools that work on payments have. */
export function forPayments({ config, redis, log }: Pick<Opening<WorkQueue>, 'config' | 'redis' | 'log'>) {
  const key = new ReplyKey(config.replyKey);
  return {
    publish: ((channel, reply) => publishReply({ redis, key, log }, channel, reply)) satisfies PoolDeps['publish'],
    renderCallback,
    schedule: makeSchedule(limits, config),
    batchWrites: config.batchWrites,
  };
}

/** Returns the context in which plans run. */
export function planContext(deps: Pick<PoolDeps, 'clock' | 'renderCallback' | 'schedule'>): PlanContext {
  const { clock, renderCallback, schedule } = deps;
  return { now: clock.now(), renderCallback, schedule, newTxId: newTransactionId };
}

/** One claimed piece of work, as every handler gets it. */
export interface Claimed {
  readonly payment: Payment;
  readonly work: Work;
  /** Channel of the API process whose caller waits. */
  readonly replyTo: string | undefined;
  readonly log: Log;
  /** False when too much time has passed since the claim: a process that was suspended must not send. */
  mayStillSend(): boolean;
}

/** Plans the next state from the newest stored one; `undefined` changes nothing. */
export type Plan = (payment: Payment) => Payment | undefined;

export interface ChangeDeps extends Pick<PoolDeps, 'payments' | 'nudges' | 'clock' | 'log'> {
  readonly metrics: Pick<PoolDeps['metrics'], 'event'>;
}
export type RecordDeps = Pick<PoolDeps, 'payments' | 'nudges' | 'clock' | 'log' | 'metrics' | 'publish'>;

interface Written {
  /** The stored payment from which the plan was made. */
  readonly before: Payment;
  readonly after: Payment;
}

/** Writes what `plan` makes of the newest stored payment; `undefined`: nothing was written. */
async function applyPlan(deps: ChangeDeps, payment: Payment, plan: Plan): Promise<Written | undefined> {
  let before = payment;
  const after = await deps.payments.update(payment, (current) => {
    before = current;
    return plan(current);
  });
  return after && { before, after };
}

/** Reports the alerts that a write added to the operator, whichever pool wrote them. */
function alertOperator({ metrics }: ChangeDeps, { before, after }: Written, log: Log): void {
  for (const alert of after.alerts ?? []) {
    if (before.alerts?.includes(alert)) continue;
    metrics.event('work-flagged');
    log.error('payment.needs-a-person', { reason: alert.text });
  }
}

/**
 * Nudges work that is due soon and events that may be sent now; a sweep finds everything later.
 * @param replyTo channel of a caller who also waits for the next work
 */
function nudgeNext({ nudges, clock }: ChangeDeps, { before, after }: Written, replyTo?: string): void {
  const now = clock.now();
  const { _id: paymentId, traceId, work, announceAt, eventSeq } = after;
  const waitMs = work ? msBetween(now, work.dueAt) : 0;
  if (work && work !== before.work && waitMs <= limits.nudgeDelayMsMax) {
    const nudge = { paymentId, txId: work.txId, gen: work.gen, traceId };
    void nudges.add(workPayment[work.kind], replyTo === undefined ? nudge : { ...nudge, replyTo }, waitMs);
  }
  if (announceAt && announceAt <= now) void nudges.add(announcePayment, { paymentId, seq: eventSeq });
}

/**
 * Writes for a pool that holds no claim (work that a sweep finds); the compare-and-set makes the write happen once. Returns the payment as
 * it is then stored; `undefined`: the plan had nothing to change.
 */
export async function changePayment(deps: ChangeDeps, payment: Payment, plan: Plan): Promise<Payment | undefined> {
  const written = await applyPlan(deps, payment, plan);
  if (!written) return undefined;
  alertOperator(deps, written, deps.log.with({ paymentId: payment._id, traceId: payment.traceId }));
  nudgeNext(deps, written);
  return written.after;
}

/** Limits a plan to the holder of the lease: no other process moves unfinished work. */
export const byHolder =
  ({ work: { leaseToken } }: Claimed, plan: (payment: Payment, work: Work) => Payment | undefined): Plan =>
  (payment) =>
    payment.work && payment.work.leaseToken === leaseToken ? plan(payment, payment.work) : undefined;

/**
 * Writes the result of the work if the claim still holds, answers the waiting caller, and hands on. Returns the payment as it is then
 * stored; `undefined`: nothing was written.
 */
export async function recordResult(
  deps: RecordDeps,
  claimed: Claimed,
  plan: (payment: Payment, work: Work) => Payment | undefined,
): Promise<Payment | undefined> {
  return recordOutcome(deps, claimed, byHolder(claimed, plan));
}

/**
 * Writes an outcome, answers the waiting caller, and hands on, whichever process holds the claim: any process that learns of an outcome may
 * write it. Returns the payment as it is then stored; `undefined`: nothing was written.
 * @param beforeReply what has to be done before the caller is answered; it returns the payment as it is then stored.
 */
export async function recordOutcome(
  deps: RecordDeps,
  claimed: Claimed,
  plan: Plan,
  beforeReply: (written: Payment, before: Payment) => Promise<Payment> = async (payment) => payment,
): Promise<Payment | undefined> {
  const { log, replyTo } = claimed;
  const { txId } = claimed.work;
  const written = await applyPlan(deps, claimed.payment, plan);
  if (!written) {
    deps.metrics.event('lease-lost');
    log.warn('outcome.not-written', { reason: 'another holder was first' });
    return undefined;
  }
  const stored = await beforeReply(written.after, written.before);
  const tx = findTransaction(stored, txId);
  const seen = findTransaction(written.before, txId);
  if (tx && tx.status !== seen?.status) {
    deps.metrics.outcome({ kind: tx.kind, status: tx.status, code: tx.errorCode ?? 'none' });
  }
  const answered = isAnswerable(stored, txId);
  if (answered && replyTo !== undefined) {
    deps.publish(replyTo, toReply(stored, txId, isInstrumentNoted(written.after, stored)));
  }
  alertOperator(deps, written, log);
  // The caller waits for an outcome that the processor still owes, but not for an action of the payer.
  const { work } = stored;
  const waits = !answered || (work?.queue === 'processor' && work.txId === txId);
  nudgeNext(deps, { ...written, after: stored }, waits ? replyTo : undefined);
  return stored;
}

/**
 * Does the work and returns what was done, for metrics. When it throws, the lease runs out and the work is offered again: it must be
 * idempotent.
 */
export type HandleWork = (claimed: Claimed) => Promise<string>;

export interface PaymentWork {
  readonly jobs: readonly PoolJob[];
  /**
   * Claims and does one piece of work, if there is any. Never rejects because of the work.
   * @param delivery how the nudge arrived; absent: not from a queue.
   */
  work(nudge: WorkNudge, delivery?: JobDelivery): Promise<void>;
  /**
   * Offers work that is due and was not taken. Waits only briefly for its own part: one silent acquirer must not delay the work of others.
   */
  sweep(): Promise<{ readonly found: number; readonly more: boolean }>;
  /** Settles when everything that the sweeps have begun has ended. */
  idle(): Promise<unknown>;
  close(): void;
}

export function createPaymentWork(
  pool: WorkQueue,
  deps: Pick<PoolDeps, 'payments' | 'nudges' | 'clock' | 'log' | 'metrics' | 'batchWrites'>,
  handle: HandleWork,
): PaymentWork {
  const { payments, nudges, clock, metrics } = deps;
  const { claim, takeStored } = createClaims(payments.collection, pool, () => clock.now(), deps.batchWrites);
  const leases = createLeaseKeeper(payments, deps.log);
  let closed = false;

  /** Takes the stored claim if this nudge carries it and no other worker can have the nudge; otherwise makes a new claim. */
  const claimFor = async ({ paymentId, txId, first: storedClaim }: WorkNudge, delivery?: JobDelivery) => {
    const wanted = { paymentId, txId, storedClaim };
    const asStored = storedClaim !== undefined && delivery?.handedOutOnce ? await takeStored(wanted) : undefined;
    return asStored
      ? { payment: asStored, sendByMs: limits.storedClaimSendByMs }
      : { payment: await claim(wanted), sendByMs: limits.sendByMs };
  };

  const work = async (nudge: WorkNudge, delivery?: JobDelivery): Promise<void> => {
    const { paymentId, txId, replyTo } = nudge;
    // Measured before the claim is sent: the duration of the claim counts against the time in which a call may be sent.
    const elapsedMs = startStopwatch();
    const { payment, sendByMs } = await claimFor(nudge, delivery);
    const mayStillSend = () => elapsedMs() < sendByMs;
    if (!payment?.work?.leaseToken) return;
    const { kind, leaseToken } = payment.work;
    const log = deps.log.with({ paymentId, txId, traceId: payment.traceId, kind });
    const release = leases.hold(paymentId, leaseToken);
    try {
      const outcome = await handle({ payment, work: payment.work, replyTo, log, mayStillSend });
      metrics.step({ pool, job: kind, outcome }, elapsedMs() / 1000);
    } catch (error) {
      if (error instanceof IllegalMoveError) metrics.event('illegal-transition');
      // The stop of the process did not wait any longer, and took connections away from the work.
      if (closed) log.warn('work.cut-short', { error });
      else log.error('work.failed', { error });
    } finally {
      release();
    }
  };

  /** Work that sweeps do themselves, and for which they may no longer wait. */
  const inProgress = new Set<Promise<void>>();
  const offer = async ({ kind, claimed, dueAt, gen, paymentId, txId, traceId }: DueWork, now: Date): Promise<void> => {
    // After a lease ran out, Redis may still list the old job as active: only a job with another id is sure to be taken.
    const nudge = { paymentId, txId, traceId, gen: gen + (claimed ? 1 : 0) };
    const added = await nudges.addFromSweep(workPayment[kind], nudge);
    const isLeftToNudge = added && msBetween(dueAt, now) <= limits.workOverdueMs;
    // Work for which there is no room stays due.
    if (isLeftToNudge || inProgress.size >= limits.sweepPageMax) return;
    const done = work(nudge).finally(() => inProgress.delete(done));
    inProgress.add(done);
    await done;
  };

  let unknownCountedMs = Number.NEGATIVE_INFINITY;
  /** Reports work that another release stored and this one cannot do. It stays where it is. */
  const noteUnknownWork = async (now: Date) => {
    if (performance.now() - unknownCountedMs < limits.unknownWorkLookMs) return;
    unknownCountedMs = performance.now();
    const count = await payments.countUnknownWork(pool, kindsOf(pool), now);
    if (count === 0) return;
    metrics.event('work-unknown', count);
    deps.log.error('work.unknown', { count });
  };

  return {
    jobs: workJobsOf(pool).map((job) => onJob(job, work)),
    work,
    async sweep() {
      const now = clock.now();
      const reachable = nudges.ready(pool);
      const limit = reachable ? limits.sweepNudgesMax : limits.sweepPageMax - inProgress.size;
      if (limit <= 0) return { found: 0, more: false };
      const before = reachable ? after(now, -limits.nudgeFreshMs) : now;
      const due = await payments.findDueWork(pool, kindsOf(pool), before, limit);
      const oldestMs = due[0] ? msBetween(due[0].dueAt, now) : 0;
      metrics.queue(pool, due.length, oldestMs / 1000);
      if (due.length > 0) metrics.event('sweep-recovered', due.length);
      const refused = (item: DueWork) => (error: unknown) =>
        deps.log.error('work.not-offered', { paymentId: item.paymentId, kind: item.kind, error });
      // An item that does not fit into a nudge, for example from another release, must not hold up the other items.
      await withinSweepWait(Promise.all(due.map((item) => offer(item, now).catch(refused(item)))));
      await noteUnknownWork(now).catch((error: unknown) => deps.log.warn('work.not-counted', { error }));
      return { found: due.length, more: !reachable && due.length === limit };
    },
    idle: () => Promise.allSettled(inProgress),
    close: () => {
      closed = true;
      leases.close();
    },
  };
}
