/**
 * An approved refund may still fail at the bank days later, and not every acquirer says so by itself: each is asked about again
 * on a schedule. News that would move the status backwards is recorded as a transaction and flagged, never applied
 * (docs/decisions.md, "final states"). Pure.
 */

import { alerted } from './alerted.js';
import { announceUnchanged, type Moment } from './apply-moves.js';
import type { Payment, RefundCheck, Transaction } from './payment.js';

const withChecks = (payment: Payment, checks: readonly RefundCheck[]): Payment => ({
  ...payment,
  refundChecks: checks.length > 0 ? checks : undefined,
  refundCheckAt: checks.length > 0 ? new Date(Math.min(...checks.map(({ at }) => at.getTime()))) : undefined,
});

/** Begins to watch a refund that was just approved; `afterMs` is the whole schedule. */
export function watchRefund(payment: Payment, txId: string, now: Date, afterMs: readonly number[]): Payment {
  const first = afterMs[0];
  if (first === undefined) return payment;
  const check: RefundCheck = { txId, tries: 0, at: new Date(now.getTime() + first) };
  return withChecks(payment, [...(payment.refundChecks ?? []), check]);
}

/** Refunds that are to be asked about at `now`. */
export function dueRefundChecks(payment: Payment, now: Date): readonly RefundCheck[] {
  return (payment.refundChecks ?? []).filter(({ at }) => at <= now);
}

/** The refund stands (or nobody knows): asked again later, or no more when the schedule is through. */
export function planNextCheck(payment: Payment, txId: string, now: Date, afterMs: readonly number[]): Payment {
  const checks = (payment.refundChecks ?? []).flatMap((check) => {
    if (check.txId !== txId) return [check];
    const wait = afterMs[check.tries + 1];
    return wait === undefined ? [] : [{ ...check, tries: check.tries + 1, at: new Date(now.getTime() + wait) }];
  });
  return withChecks(payment, checks);
}

/** The refund failed after all: a failed transaction tells so, a person decides, the status stays. Announced. */
export function planFailedRefund(
  payment: Payment,
  txId: string,
  news: { readonly resultCode: string; readonly resultMessage: string },
  context: Moment & { readonly newTxId: string },
): Payment {
  const refund = payment.transactions.find(({ id }) => id === txId);
  const checks = (payment.refundChecks ?? []).filter((check) => check.txId !== txId);
  if (!refund) return withChecks(payment, checks);
  const failed: Transaction = {
    id: context.newTxId,
    kind: 'refund',
    referenceId: refund.referenceId,
    amountMinor: refund.amountMinor,
    status: 'failed',
    createdAt: context.now,
    processedAt: context.now,
    resultCode: news.resultCode,
    resultMessage: news.resultMessage,
    flagged: 'the refund failed after it was approved',
  };
  const recorded = alerted(
    { ...withChecks(payment, checks), transactions: [...payment.transactions, failed] },
    context.now,
    `refund ${txId} failed after it was approved; the money did not reach the payer`,
  );
  return announceUnchanged(recorded, context);
}
