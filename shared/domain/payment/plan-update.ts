/** What an update of the processor does to a payment where no outcome is waited for (docs/processors.md, "Updates"). Pure. */
import { alerted, alertedOnce, hasAlert } from './alerted.js';
import { isAttempt } from './attempts.js';
import type { OwnReferences } from './network-answer.js';
import type { Payment, RefundCheck, Transaction } from './payment.js';
import { isOpen } from './statuses.js';
import { nextWork } from './work.js';

/** A line for a person, once. */
export function planAlert(payment: Payment, now: Date, text: string): Payment | undefined {
  return hasAlert(payment, text) ? undefined : alerted({ ...payment, updatedAt: now }, now, text);
}

/** The processor says now that an operation ended otherwise than it said before. Nothing is moved by it: a person decides. */
export function planReportedOtherwise(payment: Payment, tx: Transaction, now: Date, said: string): Payment | undefined {
  const text = `${tx.kind} ${tx.id} is ${tx.status}, and the processor now reports it as ${said}; nothing was moved by it`;
  if (hasAlert(payment, text)) return undefined;
  const transactions = payment.transactions.map((known) =>
    known.id === tx.id && known.flagged === undefined ? { ...known, flagged: `reported as ${said} later` } : known,
  );
  return alerted({ ...payment, transactions, updatedAt: now }, now, text);
}

/**
 * What the processor calls an authorization that is being taken back: it was not known, because its answer was lost. The reversal
 * names it from now on, at once.
 */
export function planNamed(
  payment: Payment,
  txId: string,
  { processorReference }: OwnReferences,
  now: Date,
): Payment | undefined {
  const { work } = payment;
  const known = payment.transactions.find(({ id }) => id === txId)?.processorReference;
  if (processorReference === undefined || known !== undefined) return undefined;
  if (work?.kind !== 'reverse' || work.txId !== txId) return undefined;
  const transactions = payment.transactions.map((tx) => (tx.id === txId ? { ...tx, processorReference } : tx));
  return { ...payment, transactions, updatedAt: now, work: nextWork(work, 'reverse', now, work.tries) };
}

/**
 * A reversal that the processor had taken was refused there: it is sent again as another request, and a person hears of it once.
 * @param by what its request named the original by. A request by a better name may be under way meanwhile: that one was not refused
 */
export function planRefusedReversal(
  payment: Payment,
  reversal: Transaction,
  said: { readonly by: string | undefined; readonly message: string },
  now: Date,
): Payment {
  const original = payment.transactions.find(({ id }) => id === reversal.referenceId);
  const counts = original?.processorReference === said.by;
  const transactions = payment.transactions.map((tx) =>
    counts && tx.id === reversal.id ? { ...tx, refusals: (tx.refusals ?? 0) + 1 } : tx,
  );
  const text = `the processor did not reverse ${reversal.referenceId}: ${said.message}; retrying`;
  return alertedOnce({ ...payment, transactions, updatedAt: now }, now, text);
}

export const isReversing = ({ work }: Payment, txId: string): boolean => work?.kind === 'reverse' && work.txId === txId;

/** A late approval is taken back by work of its own, for which the next attempt, or an operation, has to have ended. */
export function waitsForOther({ work, transactions }: Payment, txId: string): boolean {
  const tx = transactions.find(({ id }) => id === txId);
  return work !== undefined && work.txId !== txId && tx !== undefined && isAttempt(tx) && !isOpen(tx.status);
}

/** It was approved before, for another part of what was asked for. */
export const isOtherPart = (
  said: { readonly kind: string; readonly approvedMinor?: number | undefined },
  { approvedMinor, amountMinor }: Transaction,
): boolean =>
  said.kind === 'approved' && said.approvedMinor !== undefined && said.approvedMinor !== (approvedMinor ?? amountMinor);

const asks: ReadonlySet<string> = new Set(['inquire', 'reverse', 'await-transfer']);

/** The processor is asked at once about what it would be asked about later; `undefined`: it would not be. */
export function planHurry(payment: Payment, txId: string, now: Date): Payment | undefined {
  const { work, refundChecks = [] } = payment;
  if (work?.txId === txId && asks.has(work.kind)) {
    const isFree = work.dueAt > now && work.leaseUntil <= now;
    return isFree ? { ...payment, work: nextWork(work, work.kind, now, work.tries) } : undefined;
  }
  if (!refundChecks.some((check) => check.txId === txId && check.at > now)) return undefined;
  const hurried = refundChecks.map((check): RefundCheck => (check.txId === txId ? { ...check, at: now } : check));
  return { ...payment, refundChecks: hurried, refundCheckAt: now };
}
