/**
 * What happens to an operation whose outcome is not known yet (docs/reliability.md, "Sending"): send again only when certainly
 * nothing left, otherwise inquire on a schedule, and in the end resend, reverse or ask a person. Pure.
 *
 * `work.tries` counts what was tried in vain in one phase of the work, and bounds it:
 * - The operation certainly was not sent (`planResend`): its sends, `notSentTriesMax` at most.
 * - Its outcome is unknown: inquiries and sends by the same key together; a send by the key needs fewer than `sentByKeyMax` of both.
 *   The count is also the step of the schedule of inquiries that comes next, or an earlier one where less time has passed since the
 *   attempt (`stepAfter`).
 *
 * It begins anew with the phase. A send by the same key does not begin one (`isSentAgain`).
 */

import { after, msBetween } from '../time.js';
import { alerted, alertedOnce } from './alerted.js';
import { submittedIfCreated } from './apply-moves.js';
import { earlier, inquiryWaitMs, withReferences } from './asking-again.js';
import { noCallerWaits } from './awaited.js';
import type { OwnReferences } from './network-answer.js';
import type { OperationKind, Payment, Work } from './payment.js';
import type { ProcessorContext } from './plan-context.js';
import { startReversal } from './plan-reversal.js';
import { isForgotten, nextWork, operationInProgress, sendAgain } from './work.js';

/** How long ago a transaction began (ms). */
function lastedMs(payment: Payment, txId: string, now: Date): number {
  return msBetween(payment.transactions.find(({ id }) => id === txId)?.createdAt ?? now, now);
}

/** @param step of the schedule of inquiries; so many tries are counted from then on */
function inquireLater(payment: Payment, work: Work, step: number, context: ProcessorContext): Payment {
  const dueAt = after(context.now, inquiryWaitMs(context.schedule, step));
  return { ...payment, updatedAt: context.now, work: nextWork(work, 'inquire', dueAt, step) };
}

/**
 * The processor took it and will tell: the transaction is pending and is asked for on the schedule. A caller who still waits gets
 * `pending` now, so that what comes of it is announced at once.
 */
export function planPending(
  payment: Payment,
  work: Work,
  references: OwnReferences,
  context: ProcessorContext,
): Payment {
  const transactions = payment.transactions.map((tx) =>
    tx.id === work.txId ? { ...tx, status: 'pending' as const } : tx,
  );
  const step = work.kind === 'inquire' ? work.tries + 1 : 0;
  const named = withReferences({ ...payment, transactions }, work.txId, references);
  const submitted = submittedIfCreated(inquireLater(named, work, step, context), context);
  const pending = { ...submitted, awaitedUntil: noCallerWaits(context.now) };
  if (lastedMs(payment, work.txId, context.now) <= context.schedule.pendingTooLongMs) return pending;
  return alertedOnce(
    pending,
    context.now,
    `${work.txId} has been pending at the processor for long; inquiry continues`,
  );
}

/** What may have been sent before was sent again: its tries are counted on. */
const isSentAgain = ({ attempt, leaseToken }: Work) => attempt !== undefined && attempt.token !== leaseToken;

/** It may have happened: never sent again blindly. */
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

/** Certainly not sent: again shortly, or `undefined` when the tries are used up and the operation has failed. */
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
 * The first inquiry of the schedule that is still ahead, counted from the attempt. Sending again by the key uses up tries within
 * seconds; the wait of hours that belongs to so many tries must not follow.
 */
function stepAfter({ attempt }: Work, { now, schedule }: ProcessorContext): number {
  const sinceMs = attempt ? msBetween(attempt.startedAt, now) : Number.POSITIVE_INFINITY;
  const step = schedule.inquireAfterMs.findIndex((ms) => ms > sinceMs);
  return step === -1 ? schedule.inquireAfterMs.length : step;
}

/**
 * No answer to an inquiry: inquire again. After one full schedule a person is alerted; of what was said to be pending, when that has
 * lasted for too long.
 * @param tellsAt when the processor will be able to tell, where that is known
 */
export function planNoAnswer(payment: Payment, work: Work, context: ProcessorContext, tellsAt?: Date): Payment {
  const tries = work.tries + 1;
  const step = Math.min(tries, stepAfter(work, context));
  const dueAt = earlier(after(context.now, inquiryWaitMs(context.schedule, step)), tellsAt, context.now);
  const next = { ...payment, updatedAt: context.now, work: nextWork(work, 'inquire', dueAt, tries) };
  const wasPending = payment.transactions.some(({ id, status }) => id === work.txId && status === 'pending');
  const mayTakeLonger = wasPending
    ? lastedMs(payment, work.txId, context.now) <= context.schedule.pendingTooLongMs
    : tries < context.schedule.inquireAfterMs.length;
  if (mayTakeLonger) return next;
  return alertedOnce(next, context.now, `the processor does not report the outcome of ${work.txId}; inquiry continues`);
}

/**
 * Whether an authorization that was not found is sent again instead of being given up: under its own key, which has one effect
 * however often it arrives, a few times, and only while its payer may still be served.
 */
function maySendByKey(payment: Payment, work: Work, { traits, now, schedule }: ProcessorContext): boolean {
  if (!traits.dedupes || traits.inquiresBySending || operationInProgress(payment) !== 'authorize') return false;
  return work.tries < schedule.sentByKeyMax && now <= payment.authorizeBy;
}

/** It may have been done, and the acquirer alone knows: it stays in flight until a person has asked there. */
function planForgotten(payment: Payment, work: Work, operation: OperationKind, context: ProcessorContext): Payment {
  const asked = inquireLater(payment, work, context.schedule.inquireAfterMs.length, context);
  const text = `the database was restored: ${operation} ${work.txId} may have been done before; the gateway does not send it`;
  return alertedOnce(submittedIfCreated(asked, context), context.now, text);
}

/**
 * "Not found" counts only after the window in which the attempt could still arrive, where arriving late would do harm.
 * @returns `failed`: it did not happen and will not
 */
export function planNotFound(payment: Payment, work: Work, context: ProcessorContext): Payment | 'failed' {
  const operation = operationInProgress(payment);
  if (isForgotten(work, context.traits)) return planForgotten(payment, work, operation, context);
  if (maySendByKey(payment, work, context)) {
    // The attempt stays: until there is an outcome the first send may have one too.
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

/** The processor dedupes by our key, so sending again is safe; a person is alerted when it never arrives. */
function resend(payment: Payment, work: Work, operation: OperationKind, context: ProcessorContext): Payment {
  const next = { ...payment, work: sendAgain(work, operation, context.now, 0) };
  if (lastedMs(payment, work.txId, context.now) <= context.schedule.resentTooLongMs) return next;
  const text = `${operation} ${work.txId} was sent again and again, and the processor does not know it`;
  return alertedOnce(next, context.now, text);
}

/**
 * The processor did what was reported as failed, on a payment that lives on (a refund that was given up): nothing is
 * moved by it, a person decides. `undefined` when that was written down already.
 */
export function planApprovedAfterFailure(payment: Payment, txId: string, now: Date): Payment | undefined {
  const tx = payment.transactions.find(({ id }) => id === txId);
  if (!tx || tx.flagged !== undefined) return undefined;
  const flagged = { ...tx, flagged: 'approved after it had failed' };
  return {
    ...alerted(payment, now, `${tx.kind} ${txId} was approved after it had failed; nothing was moved by it`),
    updatedAt: now,
    transactions: payment.transactions.map((known) => (known.id === txId ? flagged : known)),
  };
}
