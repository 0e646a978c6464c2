/** Applies an update of the processor to a payment that does not wait for an outcome (docs/processors.md, "Updates"). Pure. */

import { alerted, alertedOnce, hasAlert } from './alerted.js';
import { isAttempt } from './attempts.js';
import type { OwnReferences } from './network-answer.js';
import type { Payment, RefundCheck, Transaction } from './payment.js';
import { isOpen } from './statuses.js';
import { changeTransaction, findTransaction } from './transaction.js';
import { isReversing, nextWork } from './work.js';

/** Adds an alert for a person, once. */
export function planAlert(payment: Payment, now: Date, text: string): Payment | undefined {
  return hasAlert(payment, text) ? undefined : alerted({ ...payment, updatedAt: now }, now, text);
}

/** Flags that the processor now reports another end of an operation than before. No money and no status moves: a person decides. */
export function planReportedOtherwise(payment: Payment, tx: Transaction, now: Date, said: string): Payment | undefined {
  const text = `${tx.kind} ${tx.id} is ${tx.status}, and the processor now reports it as ${said}; nothing was moved by it`;
  if (hasAlert(payment, text)) return undefined;
  const transactions = payment.transactions.map((known) =>
    known.id === tx.id && known.flagged === undefined ? { ...known, flagged: `reported as ${said} later` } : known,
  );
  return alerted({ ...payment, transactions, updatedAt: now }, now, text);
}

/**
 * Stores the processor's reference of an authorization that is being reversed. The reference was not known because the answer was lost.
 * The reversal is sent again at once, and names the reference from now on.
 */
export function planProcessorReference(
  payment: Payment,
  txId: string,
  { processorReference }: OwnReferences,
  now: Date,
): Payment | undefined {
  const { work } = payment;
  const known = findTransaction(payment, txId)?.processorReference;
  if (processorReference === undefined || known !== undefined) return undefined;
  if (!work || !isReversing(payment, txId)) return undefined;
  const named = changeTransaction(payment, txId, { processorReference });
  return { ...named, updatedAt: now, work: nextWork(work, 'reverse', now, work.tries) };
}

/**
 * Counts that the processor refused a reversal that it had accepted: it is sent again as another request, and a person is alerted once.
 * @param said.by the reference by which the refused request named the original. A request with a better reference may be under way
 * meanwhile: that one was not refused
 */
export function planRefusedReversal(
  payment: Payment,
  reversal: Transaction,
  said: { readonly by: string | undefined; readonly message: string },
  now: Date,
): Payment {
  const original = findTransaction(payment, reversal.referenceId);
  const refusals = (findTransaction(payment, reversal.id)?.refusals ?? 0) + 1;
  const isCounted = original?.processorReference === said.by;
  const counted = isCounted ? changeTransaction(payment, reversal.id, { refusals }) : payment;
  const text = `the processor did not reverse ${reversal.referenceId}: ${said.message}; retrying`;
  return alertedOnce({ ...counted, updatedAt: now }, now, text);
}

/** Whether a late approval has to wait: its reversal needs the payment's work, so the next attempt or an operation has to end before. */
export function waitsForOther(payment: Payment, txId: string): boolean {
  const { work } = payment;
  const tx = findTransaction(payment, txId);
  return work !== undefined && work.txId !== txId && tx !== undefined && isAttempt(tx) && !isOpen(tx.status);
}

/** Whether the processor reports an approval of another part than the approved amount so far. */
export const isOtherPart = (
  said: { readonly kind: string; readonly approvedMinor?: number | undefined },
  { approvedMinor, amountMinor }: Transaction,
): boolean =>
  said.kind === 'approved' && said.approvedMinor !== undefined && said.approvedMinor !== (approvedMinor ?? amountMinor);

const asks: ReadonlySet<string> = new Set(['inquire', 'reverse', 'await-transfer']);

/** Plans an inquiry at once that would follow later. `undefined`: no inquiry is planned, or it is due or under way already. */
export function planInquiryNow(payment: Payment, txId: string, now: Date): Payment | undefined {
  const { work, refundChecks = [] } = payment;
  if (work?.txId === txId && asks.has(work.kind)) {
    const isFree = work.dueAt > now && work.leaseUntil <= now;
    return isFree ? { ...payment, work: nextWork(work, work.kind, now, work.tries) } : undefined;
  }
  if (!refundChecks.some((check) => check.txId === txId && check.at > now)) return undefined;
  const hurried = refundChecks.map((check): RefundCheck => (check.txId === txId ? { ...check, at: now } : check));
  return { ...payment, refundChecks: hurried, refundCheckAt: now };
}
