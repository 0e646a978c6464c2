/**
 * Plans how a processor reverses what it did, or may have done (docs/reliability.md, "Sending"). Pure.
 *
 * `startReversal` begins a reversal, `planPartialReversal` that of a partial approval, `planLateApproval` one after the end of the payment.
 * It ends in two ways: the processor reversed the original, or there is nothing to reverse. In both cases the original counts as
 * reversed: the reversal is approved (`withReversalApproved`), and the original gets its own outcome, unless it had one
 * (`lateApprovalReversed`).
 */

import { defined } from '../defined.js';
import { responseCodes } from '../response-codes.js';
import { after } from '../time.js';
import { alerted, alertedOnce } from './alerted.js';
import { submittedIfCreated } from './apply-moves.js';
import { inquiryWaitMs, nextInquiryAt, withReferences } from './asking-again.js';
import type { OwnReferences } from './network-answer.js';
import type { Payment, Transaction, Work } from './payment.js';
import type { ProcessorContext } from './plan-context.js';
import type { Outcome } from './settle.js';
import { changeTransaction, findTransaction } from './transaction.js';
import { isLostByRestore, newWork, nextWork } from './work.js';

/** Returns the id of the reversal's own transaction, `<txId>-reverse`, which is also its key at the processor. */
export const reversalId = (txId: string) => `${txId}-reverse`;

/** Whether a partial approval is one that the merchant does not accept. Only authorizations are approved in part (`checkAnswers`). */
export const isUnwantedPart = <O extends Outcome>(
  { allowPartialApproval }: Payment,
  outcome: O,
): outcome is O & { readonly approvedMinor: number } =>
  outcome.kind === 'approved' && outcome.approvedMinor !== undefined && allowPartialApproval !== true;

/**
 * Reverses a partial approval that the merchant does not accept. The transaction stays open until the reversal is confirmed, then it is
 * declined.
 */
export function planPartialReversal(
  payment: Payment,
  txId: string,
  approvedMinor: number,
  said: OwnReferences,
  context: ProcessorContext,
): Payment {
  const noted = changeTransaction(withReferences(payment, txId, said), txId, { approvedMinor });
  const work = payment.work?.txId === txId ? payment.work : newWork('authorize', txId, context.now);
  return submittedIfCreated(startReversal(noted, work, context), context);
}

/** Builds the reversal of the transaction `txId`. @param amountMinor `undefined`: the whole requested amount */
function newReversal(payment: Payment, txId: string, now: Date, amountMinor: number | undefined): Transaction {
  const original = findTransaction(payment, txId);
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

/** Starts to reverse what may have been done: the part that is known to be approved, else the whole amount. */
export function startReversal(payment: Payment, work: Work, context: ProcessorContext): Payment {
  const { approvedMinor } = findTransaction(payment, work.txId) ?? {};
  const reversal = newReversal(payment, work.txId, context.now, approvedMinor);
  const known = findTransaction(payment, reversal.id) !== undefined;
  return {
    ...payment,
    updatedAt: context.now,
    transactions: known ? payment.transactions : [...payment.transactions, reversal],
    work: nextWork(work, 'reverse', context.now, 0),
  };
}

/**
 * Plans the reversal again later, because it was not confirmed.
 * @returns `nothing-to-reverse`: the original is not in effect, and will not be
 */
export function planUnconfirmedReversal(
  payment: Payment,
  work: Work,
  answer: { readonly kind: 'nothing-found' } | { readonly kind: 'no-answer'; readonly knowsOutcomeAt?: Date },
  context: ProcessorContext,
): Payment | 'nothing-to-reverse' {
  const tries = work.tries + 1;
  // "Nothing to reverse" is final only if the processor then refuses an original that arrives late, or none can arrive any more.
  const startedAt = findTransaction(payment, reversalId(work.txId))?.createdAt ?? context.now;
  const settlesAt = after(startedAt, context.schedule.notFoundSettlesMs);
  const mayBeBelieved = answer.kind === 'nothing-found' && !isLostByRestore(work, context.traits);
  if (mayBeBelieved && (context.traits.tombstones || context.now >= settlesAt)) return 'nothing-to-reverse';
  const waits = context.schedule.inquireAfterMs;
  const waitMs = tries < waits.length ? inquiryWaitMs(context.schedule, tries - 1) : context.schedule.reverseAgainMs;
  // If nothing was found, ask again at the moment from which that answer counts: the next step of the schedule may be minutes later.
  const knowsOutcomeAt = answer.kind === 'no-answer' ? answer.knowsOutcomeAt : mayBeBelieved ? settlesAt : undefined;
  const dueAt = nextInquiryAt(after(context.now, waitMs), knowsOutcomeAt, context.now);
  const next = { ...payment, updatedAt: context.now, work: nextWork(work, 'reverse', dueAt, tries) };
  if (tries < waits.length) return next;
  return alertedOnce(next, context.now, `the reversal of ${work.txId} is not confirmed; retrying`);
}

/** Outcome of an authorization whose unwanted partial approval was reversed. ISO 8583 code 10: approved for a part. */
export const partReversedOutcome = {
  kind: 'declined',
  resultCode: responseCodes.partialApproval,
  resultMessage: 'Partial approval; reversed',
  declineCode: 'partial_approval',
} as const;

/** Approves the reversal's own transaction. An original that is open gets its outcome from `settle`. */
export function withReversalApproved(payment: Payment, txId: string, now: Date, ticket?: string): Payment {
  return changeTransaction(payment, reversalId(txId), {
    status: 'approved',
    processedAt: now,
    ...(ticket && { ticket }),
  });
}

/**
 * Starts the reversal of a transaction that the processor approved after it was reported as failed. The payment keeps its final status;
 * only the reversal is still to be done.
 * @param said the references of the approval, by which it is reversed: a failure without an answer had none; and the approved part, if
 * it is not the whole amount
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

/** Ends the reversal of a late approval: no work is left, and the payment keeps its status. */
export function lateApprovalReversed(payment: Payment, txId: string, now: Date, ticket?: string): Payment {
  return { ...withReversalApproved(payment, txId, now, ticket), updatedAt: now, activeOp: undefined, work: undefined };
}
