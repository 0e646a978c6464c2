/**
 * How a processor takes back what it did, or may have done (docs/reliability.md, "Sending"). Pure.
 *
 * A reversal is begun by `startReversal`, for a part by `planPartialReversal`, after the end of the payment by `planLateApproval`. It is
 * over in two ways: the processor reversed the original, or there is nothing to reverse. In both cases the original is called
 * reversed: its reversal is approved (`withReversalApproved`), and it gets its own outcome, unless it had one (`lateApprovalReversed`).
 */
import { defined } from '../defined.js';
import { responseCodes } from '../response-codes.js';
import { after } from '../time.js';
import { alerted, alertedOnce } from './alerted.js';
import { submittedIfCreated } from './apply-moves.js';
import { earlier, inquiryWaitMs, withReferences } from './asking-again.js';
import type { OwnReferences } from './network-answer.js';
import type { Payment, Transaction, Work } from './payment.js';
import type { ProcessorContext } from './plan-context.js';
import type { Outcome } from './settle.js';
import { isForgotten, newWork, nextWork } from './work.js';

/** A reversal has a transaction of its own, `<txId>-reverse`, which is also its key at the processor. */
export const reversalId = (txId: string) => `${txId}-reverse`;

/** Less than was asked for, of a merchant that did not say that it takes less. Only authorizations are approved in part (`checkAnswers`). */
export const isUnwantedPart = <O extends Outcome>(
  { allowPartialApproval }: Payment,
  outcome: O,
): outcome is O & { readonly approvedMinor: number } =>
  outcome.kind === 'approved' && outcome.approvedMinor !== undefined && allowPartialApproval !== true;

/**
 * The issuer approved less than was asked for, and the merchant did not say that it takes less: what was approved is taken back.
 * The transaction stays open until that is confirmed, then it is declined.
 */
export function planPartialReversal(
  payment: Payment,
  txId: string,
  approvedMinor: number,
  said: OwnReferences,
  context: ProcessorContext,
): Payment {
  const noted = withReferences(payment, txId, said);
  const transactions = noted.transactions.map((tx) => (tx.id === txId ? { ...tx, approvedMinor } : tx));
  const work = payment.work?.txId === txId ? payment.work : newWork('authorize', txId, context.now);
  return submittedIfCreated(startReversal({ ...noted, transactions }, work, context), context);
}

/** What takes the transaction `txId` back: `amountMinor` of it, by default all that was asked for. */
function newReversal(payment: Payment, txId: string, now: Date, amountMinor?: number): Transaction {
  const original = payment.transactions.find(({ id }) => id === txId);
  return {
    id: reversalId(txId),
    kind: 'reversal',
    referenceId: txId,
    amountMinor: amountMinor ?? original?.amountMinor ?? payment.amount.totalMinor,
    status: 'created',
    createdAt: now,
    reason: 'system-error',
  };
}

/** What may have been done is taken back from now on, as much of it as is known to be approved. */
export function startReversal(payment: Payment, work: Work, context: ProcessorContext): Payment {
  const { approvedMinor } = payment.transactions.find(({ id }) => id === work.txId) ?? {};
  const reversal = newReversal(payment, work.txId, context.now, approvedMinor);
  const known = payment.transactions.some((tx) => tx.id === reversal.id);
  return {
    ...payment,
    updatedAt: context.now,
    transactions: known ? payment.transactions : [...payment.transactions, reversal],
    work: nextWork(work, 'reverse', context.now, 0),
  };
}

/**
 * The reversal was not confirmed: again later.
 * @returns `nothing-to-reverse`: nothing of the original is in effect, nor will it be
 */
export function planUnconfirmedReversal(
  payment: Payment,
  work: Work,
  answer: { readonly kind: 'nothing-found' } | { readonly kind: 'no-answer'; readonly tellsAt?: Date },
  context: ProcessorContext,
): Payment | 'nothing-to-reverse' {
  const tries = work.tries + 1;
  // "Nothing to reverse" is the end only where the processor then refuses a late arrival, or none can arrive any more.
  const startedAt = payment.transactions.find(({ id }) => id === reversalId(work.txId))?.createdAt ?? context.now;
  const settlesAt = after(startedAt, context.schedule.notFoundSettlesMs);
  const mayBeBelieved = answer.kind === 'nothing-found' && !isForgotten(work, context.traits);
  if (mayBeBelieved && (context.traits.tombstones || context.now >= settlesAt)) return 'nothing-to-reverse';
  const waits = context.schedule.inquireAfterMs;
  const waitMs = tries < waits.length ? inquiryWaitMs(context.schedule, tries - 1) : context.schedule.reverseAgainMs;
  // What was not found is asked for again at the moment from which that answer counts: the next step may be minutes later.
  const tellsAt = answer.kind === 'no-answer' ? answer.tellsAt : mayBeBelieved ? settlesAt : undefined;
  const dueAt = earlier(after(context.now, waitMs), tellsAt, context.now);
  const next = { ...payment, updatedAt: context.now, work: nextWork(work, 'reverse', dueAt, tries) };
  if (tries < waits.length) return next;
  return alertedOnce(next, context.now, `the reversal of ${work.txId} is not confirmed; retrying`);
}

/** How an authorization ends whose unwanted part was taken back. ISO 8583 code 10: approved for a part. */
export const partReversedOutcome = {
  kind: 'declined',
  resultCode: responseCodes.partialApproval,
  resultMessage: 'Partial approval; reversed',
  declineCode: 'partial_approval',
} as const;

/** The reversal's own transaction is approved; the original, where it is open, gets its outcome by `settle`. */
export function withReversalApproved(payment: Payment, txId: string, now: Date, ticket?: string): Payment {
  const id = reversalId(txId);
  const transactions = payment.transactions.map((tx) =>
    tx.id === id ? { ...tx, status: 'approved' as const, processedAt: now, ...(ticket && { ticket }) } : tx,
  );
  return { ...payment, transactions };
}

/**
 * The processor approved what was reported as failed: it is reversed. The payment keeps its final status; only the
 * reversal is still to be done.
 * @param said the names of the approval, by which it is reversed: a failure without an answer had none; and the part that was
 * approved, where that is not all
 */
export function planLateApproval(
  payment: Payment,
  txId: string,
  now: Date,
  said: OwnReferences & { readonly approvedMinor?: number | undefined } = {},
): Payment {
  const part = defined({ approvedMinor: said.approvedMinor });
  const reversal = newReversal(payment, txId, now, part.approvedMinor);
  const flagged = withReferences(payment, txId, said)
    .transactions.filter(({ id }) => id !== reversal.id)
    .map((tx) => (tx.id === txId ? { ...tx, ...part, flagged: 'approved after the payment had failed' } : tx));
  return {
    ...alerted(payment, now, `${txId} was approved after the payment had failed; it is reversed`),
    updatedAt: now,
    transactions: [...flagged, reversal],
    activeOp: { txId, kind: 'authorize' },
    work: newWork('reverse', txId, now),
  };
}

/** A late approval is reversed: nothing is left to do, and the status stays what it was. */
export function lateApprovalReversed(payment: Payment, txId: string, now: Date, ticket?: string): Payment {
  return { ...withReversalApproved(payment, txId, now, ticket), updatedAt: now, activeOp: undefined, work: undefined };
}
