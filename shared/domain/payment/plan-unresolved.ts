/**
 * Plans what happens to an operation with an unknown outcome (docs/reliability.md, "Sending"): send again only if certainly
 * nothing was sent, otherwise inquire on a schedule, and in the end resend, reverse or ask a person. Pure.
 *
 * `work.tries` counts the tries without a result in one phase of the work, and bounds them:
 * - The operation certainly was not sent (`planResend`): counts sends, at most `notSentTriesMax`.
 * - The outcome is unknown: counts inquiries and sends under the same key together; a send under the key needs fewer than `sentByKeyMax`
 *   of both. The count is also the next step of the schedule of inquiries, or an earlier step is next if less time has passed since the
 *   attempt (`stepAfter`).
 *
 * The count starts at 0 with each phase. A send under the same key does not begin a new phase (`isSentAgain`).
 */

import { after, msBetween } from '../time.js';
import { alerted, alertedOnce } from './alerted.js';
import { submittedIfCreated } from './apply-moves.js';
import { inquiryWaitMs, nextInquiryAt, withReferences } from './asking-again.js';
import { noCallerWaits } from './awaited.js';
import type { OwnReferences } from './network-answer.js';
import type { OperationKind, Payment, Work } from './payment.js';
import type { ProcessorContext } from './plan-context.js';
import { startReversal } from './plan-reversal.js';
import { changeTransaction, findTransaction } from './transaction.js';
import { isLostByRestore, nextWork, operationInProgress, sendAgain } from './work.js';

/** Returns how long ago a transaction began (ms). */
function lastedMs(payment: Payment, txId: string, now: Date): number {
  return msBetween(findTransaction(payment, txId)?.createdAt ?? now, now);
}

/** Plans the next inquiry. @param step of the schedule of inquiries; also the new count of tries */
function inquireLater(payment: Payment, work: Work, step: number, context: ProcessorContext): Payment {
  const dueAt = after(context.now, inquiryWaitMs(context.schedule, step));
  return { ...payment, updatedAt: context.now, work: nextWork(work, 'inquire', dueAt, step) };
}

/**
 * Makes a transaction pending, because the processor accepted it and will have the outcome later; inquiries follow on the schedule. A
 * caller who still waits gets `pending` now, so the outcome is announced at once.
 */
export function planPending(
  payment: Payment,
  work: Work,
  references: OwnReferences,
  context: ProcessorContext,
): Payment {
  const step = work.kind === 'inquire' ? work.tries + 1 : 0;
  const named = withReferences(changeTransaction(payment, work.txId, { status: 'pending' }), work.txId, references);
  const submitted = submittedIfCreated(inquireLater(named, work, step, context), context);
  const pending = { ...submitted, awaitedUntil: noCallerWaits(context.now) };
  if (lastedMs(payment, work.txId, context.now) <= context.schedule.pendingTooLongMs) return pending;
  return alertedOnce(
    pending,
    context.now,
    `${work.txId} has been pending at the processor for long; inquiry continues`,
  );
}

/** Whether an operation that may have been sent before was sent again: then the count of tries goes on. */
const isSentAgain = ({ attempt, leaseToken }: Work) => attempt !== undefined && attempt.token !== leaseToken;

/** Plans an inquiry about an operation that may have happened: it is never sent again blindly. */
export function planInquiry(
  payment: Payment,
  work: Work,
  context: ProcessorContext,
  sentAs: OwnReferences = {},
): Payment {
  const named = withReferences(payment, work.txId, sentAs);
  const dueAt = after(context.now, inquiryWaitMs(context.schedule, 0));
  const next = nextWork(work, 'inquire', dueAt, isSentAgain(work) ? work.tries : 0);
  return submittedIfCreated({ ...named, updatedAt: context.now, work: next }, context);
}

/** Plans to send again an operation that certainly was not sent. `undefined`: the tries are used up and the operation has failed. */
export function planResend(payment: Payment, work: Work, context: ProcessorContext): Payment | undefined {
  if (work.tries + 1 >= context.schedule.notSentTriesMax) return undefined;
  const dueAt = after(context.now, context.schedule.notSentRetryMs);
  return {
    ...payment,
    updatedAt: context.now,
    work: sendAgain(work, operationInProgress(payment), dueAt, work.tries + 1),
  };
}

/**
 * Returns the first step of the schedule that is still ahead, counted from the attempt. Sending again under the key uses up tries within
 * seconds, and the wait of hours for so many tries must not follow.
 */
function stepAfter({ attempt }: Work, { now, schedule }: ProcessorContext): number {
  const sinceMs = attempt ? msBetween(attempt.startedAt, now) : Number.POSITIVE_INFINITY;
  const step = schedule.inquireAfterMs.findIndex((ms) => ms > sinceMs);
  return step === -1 ? schedule.inquireAfterMs.length : step;
}

/**
 * Inquires again after an inquiry without an answer. A person is alerted after one full schedule; for a pending transaction, when it has
 * been pending for too long.
 * @param knowsOutcomeAt when the processor will know the outcome, if it says so
 */
export function planNoAnswer(payment: Payment, work: Work, context: ProcessorContext, knowsOutcomeAt?: Date): Payment {
  const tries = work.tries + 1;
  const step = Math.min(tries, stepAfter(work, context));
  const dueAt = nextInquiryAt(after(context.now, inquiryWaitMs(context.schedule, step)), knowsOutcomeAt, context.now);
  const next = { ...payment, updatedAt: context.now, work: nextWork(work, 'inquire', dueAt, tries) };
  const wasPending = findTransaction(payment, work.txId)?.status === 'pending';
  const mayTakeLonger = wasPending
    ? lastedMs(payment, work.txId, context.now) <= context.schedule.pendingTooLongMs
    : tries < context.schedule.inquireAfterMs.length;
  if (mayTakeLonger) return next;
  return alertedOnce(next, context.now, `the processor does not report the outcome of ${work.txId}; inquiry continues`);
}

/**
 * Whether an authorization that was not found is sent again instead of being given up. It is sent under its own key, which has one effect
 * however often it arrives, only a few times, and only while the payment may still be authorized.
 */
function maySendByKey(payment: Payment, work: Work, { traits, now, schedule }: ProcessorContext): boolean {
  if (!traits.dedupes || traits.inquiresBySending || operationInProgress(payment) !== 'authorize') return false;
  return work.tries < schedule.sentByKeyMax && now <= payment.authorizeBy;
}

/** Keeps an operation in flight until a person has asked the acquirer: it may have been done, and only the acquirer knows. */
function planForgotten(payment: Payment, work: Work, operation: OperationKind, context: ProcessorContext): Payment {
  const asked = inquireLater(payment, work, context.schedule.inquireAfterMs.length, context);
  const text = `the database was restored: ${operation} ${work.txId} may have been done before; the gateway does not send it`;
  return alertedOnce(submittedIfCreated(asked, context), context.now, text);
}

/**
 * Plans what follows from "not found". If a late arrival would do harm, the answer counts only after the time in which the attempt could
 * still arrive.
 * @returns `failed`: the operation did not happen and will not
 */
export function planNotFound(payment: Payment, work: Work, context: ProcessorContext): Payment | 'failed' {
  const operation = operationInProgress(payment);
  if (isLostByRestore(work, context.traits)) return planForgotten(payment, work, operation, context);
  if (maySendByKey(payment, work, context)) {
    // The attempt stays: until there is an outcome, the first send may have an effect too.
    const again = nextWork(work, 'authorize', context.now, work.tries + 1);
    return { ...payment, updatedAt: context.now, work: again };
  }
  const startedAt = work.attempt?.startedAt ?? context.now;
  const settlesAt = after(startedAt, context.schedule.notFoundSettlesMs);
  if (context.now < settlesAt) {
    const next = inquireLater(payment, work, work.tries + 1, context);
    const dueAt = next.work && next.work.dueAt < settlesAt ? next.work.dueAt : settlesAt;
    return { ...next, work: nextWork(work, 'inquire', dueAt, work.tries + 1) };
  }
  if (operation === 'authorize') return startReversal(payment, work, context);
  if (context.traits.dedupes) return resend(payment, work, operation, context);
  if (operation === 'refund') return 'failed';
  const asked = inquireLater(payment, work, context.schedule.inquireAfterMs.length, context);
  const text = `${operation} ${work.txId} was not found at the processor and cannot be sent again safely`;
  return alertedOnce(asked, context.now, text);
}

/** Sends an operation again, which is safe because the processor dedupes by our key. A person is alerted when it never arrives. */
function resend(payment: Payment, work: Work, operation: OperationKind, context: ProcessorContext): Payment {
  const next = { ...payment, work: sendAgain(work, operation, context.now, 0) };
  if (lastedMs(payment, work.txId, context.now) <= context.schedule.resentTooLongMs) return next;
  const text = `${operation} ${work.txId} was sent again and again, and the processor does not know it`;
  return alertedOnce(next, context.now, text);
}

/**
 * Flags an operation that the processor approved after it was reported as failed, on a payment that goes on (for example a refund that was
 * given up). No money and no status moves; a person decides. `undefined`: the transaction is flagged already.
 */
export function planApprovedAfterFailure(payment: Payment, txId: string, now: Date): Payment | undefined {
  const tx = findTransaction(payment, txId);
  if (!tx || tx.flagged !== undefined) return undefined;
  const flagged = changeTransaction(payment, txId, { flagged: 'approved after it had failed' });
  const text = `${tx.kind} ${txId} was approved after it had failed; nothing was moved by it`;
  return alerted({ ...flagged, updatedAt: now }, now, text);
}
