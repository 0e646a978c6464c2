/**
 * An approved refund may still fail at the bank days later, and not every acquirer reports that by itself. So the acquirer is asked
 * about each refund again on a schedule. A refund that the bank returned frees its amount and moves the status back (docs/decisions.md,
 * "a refund that the bank returns"). Pure.
 */

import { after, earliest } from '../time.js';
import { alerted } from './alerted.js';
import { applyMoves, type Moment } from './apply-moves.js';
import type { Payment, RefundCheck } from './payment.js';
import { changeTransaction, findTransaction } from './transaction.js';

const withRefundChecks = (payment: Payment, checks: readonly RefundCheck[]): Payment => ({
  ...payment,
  refundChecks: checks.length > 0 ? checks : undefined,
  refundCheckAt: checks.length > 0 ? earliest(...checks.map(({ at }) => at)) : undefined,
});

/** Plans the first check of a refund that was just approved; `afterMs` is the whole schedule (ms). */
export function watchRefund(payment: Payment, txId: string, now: Date, afterMs: readonly number[]): Payment {
  const first = afterMs[0];
  if (first === undefined) return payment;
  const check: RefundCheck = { txId, tries: 0, at: after(now, first) };
  return withRefundChecks(payment, [...(payment.refundChecks ?? []), check]);
}

/** Returns the refund checks that are due at `now`. */
export function dueRefundChecks(payment: Payment, now: Date): readonly RefundCheck[] {
  return (payment.refundChecks ?? []).filter(({ at }) => at <= now);
}

/** Plans the next check of a refund that is unchanged (or unknown), or ends the checks after the last of the schedule. */
export function planNextCheck(payment: Payment, txId: string, now: Date, afterMs: readonly number[]): Payment {
  const checks = (payment.refundChecks ?? []).flatMap((check) => {
    if (check.txId !== txId) return [check];
    const wait = afterMs[check.tries + 1];
    return wait === undefined ? [] : [{ ...check, tries: check.tries + 1, at: after(now, wait) }];
  });
  return withRefundChecks(payment, checks);
}

/**
 * Notes that a refund or capture failed after it was approved, even if the failure is reported first. A later report that it was approved
 * is then no contradiction.
 */
export function withLaterFailure(payment: Payment, txId: string): Payment {
  return changeTransaction(payment, txId, { flagged: 'reported as failed after it was approved' });
}

/**
 * Applies that the bank returned a refund: its transaction is `failed` with the reason, its amount may be refunded again, and the status
 * is corrected. This is announced, and flagged for a person, who knows what the payer was promised.
 */
export function planReturnedRefund(
  payment: Payment,
  txId: string,
  answer: { readonly resultCode: string; readonly resultMessage: string },
  context: Moment,
): Payment {
  const checked = withRefundChecks(
    payment,
    (payment.refundChecks ?? []).filter((check) => check.txId !== txId),
  );
  const refund = findTransaction(payment, txId);
  if (refund?.status !== 'approved') return checked;
  const returned = changeTransaction(checked, txId, {
    status: 'failed',
    processedAt: context.now,
    resultCode: answer.resultCode,
    resultMessage: answer.resultMessage,
    errorCode: 'declined-by-acquirer',
    flagged: 'the bank returned the refund after it was approved',
  });
  const refundedMinor = payment.refundedMinor - refund.amountMinor;
  const text = `refund ${txId} failed after it was approved: the money did not reach the payer and may be refunded again`;
  const corrected: Payment = {
    ...alerted(returned, context.now, text),
    refundedMinor,
    processedAt: context.now,
  };
  return applyMoves(corrected, [refundedMinor === 0 ? 'returned' : 'partly-returned'], context);
}
