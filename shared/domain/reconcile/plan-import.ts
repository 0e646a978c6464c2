/** Imports operations and outcomes from a processor's books, so that nothing is done twice. Pure. */

import { submittedIfCreated } from '../payment/apply-moves.js';
import { noCallerWaits } from '../payment/awaited.js';
import type { Payment } from '../payment/payment.js';
import type { PlanContext, ProcessorContext } from '../payment/plan-context.js';
import { type CallerOperation, type OperationBounds, planOperation } from '../payment/plan-operation.js';
import { isUnwantedPart, planPartialReversal } from '../payment/plan-reversal.js';
import { codeExpiresAt, planAsked, type TransferAnswer } from '../payment/plan-transfer.js';
import { type Outcome, settle } from '../payment/settle.js';
import { isOpen } from '../payment/statuses.js';
import { findTransaction } from '../payment/transaction.js';
import { isReversing, workForNextPool } from '../payment/work.js';
import type { BookEntry } from './compare-books.js';

export type Imported =
  | { readonly kind: 'imported'; readonly payment: Payment }
  /** Why a person has to look at it. */
  | { readonly kind: 'refused'; readonly reason: string };

export const refused = (reason: string) => ({ kind: 'refused', reason }) as const;

const isOperation = (kind: string): kind is CallerOperation => ['capture', 'cancellation', 'refund'].includes(kind);

type Context = ProcessorContext & { readonly bounds: OperationBounds };

/** Plans the operation again as it was, under its key at the processor, and ends it as the processor says. */
export function planImportedOperation(
  payment: Payment,
  entry: BookEntry,
  outcome: Outcome,
  context: Context,
): Imported {
  const { key, kind, amountMinor, currency, referenceId = key } = entry;
  if (!isOperation(kind)) return refused(`a ${kind} is no operation on a payment`);
  if (payment.amount.currency !== currency) return refused('it has another currency than the payment');
  const request = { referenceId, amountMinor, requestDigest: 'imported' };
  const { now, bounds } = context;
  const plan = planOperation(payment, kind, request, { now, bounds, txId: key, awaitedUntil: noCallerWaits(now) });
  if (plan.kind === 'planned') return { kind: 'imported', payment: settle(plan.payment, key, outcome, context) };
  if (plan.kind === 'busy') return refused('another operation of the payment is in progress');
  if (plan.kind === 'duplicate') return refused('the payment has another operation under its reference');
  return refused(plan.message);
}

/** Applies the outcome that the gateway waits for. A partial approval that the merchant did not ask for is reversed, as for any answer. */
export function planImportedOutcome(payment: Payment, key: string, outcome: Outcome, context: Context): Imported {
  const tx = findTransaction(payment, key);
  if (!tx || !isOpen(tx.status)) return refused('the gateway does not wait for it any more');
  if (isReversing(payment, key)) return refused('it is being taken back');
  // The payer came back after the backup was made: the payer must neither be asked for the challenge nor be charged again.
  const { deadline, work } = payment;
  const back: Payment = {
    ...payment,
    ...(deadline?.kind === 'challenge' && { deadline: undefined }),
    // The next work is for the pool `processor` only.
    ...(work?.queue === 'threeds' && { work: workForNextPool(work, 'authorize', context.now) }),
  };
  const after = isUnwantedPart(back, outcome)
    ? planPartialReversal(back, key, outcome.approvedMinor, outcome, context)
    : settle(back, key, outcome, context);
  return { kind: 'imported', payment: after };
}

/** Approves the sale when the bank says that it was paid in time. `undefined`: it was not, or another operation decides about it. */
export function planImportedTransfer(
  payment: Payment,
  answer: TransferAnswer,
  context: PlanContext,
): Payment | undefined {
  const { work } = payment;
  if (work?.queue !== 'qr') return undefined;
  // The backup may have been made before the code was issued.
  const { expiresAt = codeExpiresAt(payment, context) } = payment;
  const asked = planAsked(submittedIfCreated({ ...payment, expiresAt }, context), work, answer, context);
  return asked.status === 'approved' ? asked : undefined;
}
