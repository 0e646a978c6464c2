/**
 * Adds what a second report of an approval says beyond the first. The answer to the call and an update of the processor come in either
 * order, and often only one of them has the network's references, which later charges of the card need. Pure.
 */
import { defined } from '../defined.js';
import { detailsOf, type ProcessorDetails } from './network-answer.js';
import type { Payment, Transaction } from './payment.js';
import { isOtherPart, planReportedOtherwise } from './plan-update.js';
import { changeTransaction } from './transaction.js';

export type Approval = ProcessorDetails & { readonly kind: 'approved'; readonly authorization?: string };

/** Returns the members of the approval that the transaction does not have. The approved amount is final with the first report. */
function missingIn(tx: Transaction, approval: Approval): Partial<Transaction> {
  const { approvedMinor: _final, ...details } = detailsOf(approval);
  const said = { ...details, ...defined({ authorization: approval.authorization }) };
  const known: Partial<Record<string, unknown>> = { ...tx };
  return Object.fromEntries(Object.entries(said).filter(([name]) => known[name] === undefined));
}

/** Completes an approved transaction, or flags it for a person if another amount was approved. `undefined`: nothing is new. */
export function planCompletedApproval(
  payment: Payment,
  tx: Transaction,
  approval: Approval,
  now: Date,
): Payment | undefined {
  if (isOtherPart(approval, tx)) return planReportedOtherwise(payment, tx, now, 'approved for another amount');
  const missing = missingIn(tx, approval);
  if (Object.keys(missing).length === 0) return undefined;
  return { ...changeTransaction(payment, tx.id, missing), updatedAt: now };
}
