/** What a person may settle by hand, and how. */

import { type OutcomeByHand, planByHand } from '../../scripts/provisioning/plan-by-hand.js';
import type { Payment, Work } from '../../shared/domain/payment/payment.js';
import { planLateApproval, planPartialReversal } from '../../shared/domain/payment/plan-reversal.js';
import { planNotFound } from '../../shared/domain/payment/plan-unresolved.js';
import { newWork } from '../../shared/domain/payment/work.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  firstTx,
  lastTx,
  later,
  operated,
  start,
  stateProblems,
  unresolvedContext,
} from '../domain/payment/a-payment.js';

const now = later(3_600_000_000);
const context = unresolvedContext(now, { dedupes: true, outcomesKeptHere: true });
const settled = (payment: Payment, txId: string, said: OutcomeByHand) => {
  const planned = planByHand(payment, txId, said, context);
  if (planned.kind === 'refused') return planned.reason;
  expect(stateProblems(planned.payment)).toEqual([]);
  return planned.payment;
};

/** Returns the payment after an inquiry in vain following a restore, with its alert. */
function flaggedAfterRestore(payment: Payment): Payment {
  const work = { ...(payment.work as Work), attempt: { token: 'restored', startedAt: start } };
  return planNotFound(payment, work, context) as Payment;
}

test('a refund can be settled as approved, or as failed and then be requested again', () => {
  const refund = flaggedAfterRestore(operated(approvedPayment(), 'refund'));
  const { amountMinor } = lastTx(refund);
  expect(settled(refund, 'txn_op', 'approved')).toMatchObject({ status: 'refunded', refundedMinor: amountMinor });
  const failed = settled(refund, 'txn_op', 'failed') as Payment;
  expect(failed).toMatchObject({ status: 'approved', refundedMinor: 0, heldMinor: 0, processedAt: refund.processedAt });
  expect([lastTx(failed).status, failed.activeOp, failed.work]).toEqual(['failed', undefined, undefined]);
});

test('a payment and a capture can be settled too', () => {
  const payment = flaggedAfterRestore(createdPayment());
  const { id } = firstTx(payment);
  expect(settled(payment, id, 'approved')).toMatchObject({ status: 'approved', capturedMinor: 1050 });
  expect(settled(payment, id, 'failed')).toMatchObject({ status: 'failed', capturedMinor: 0 });
  const capture = flaggedAfterRestore(operated(authorizedPayment(), 'capture'));
  expect(settled(capture, 'txn_op', 'approved')).toMatchObject({ status: 'approved', capturedMinor: 1050 });
});

test('an unconfirmed reversal can be settled as done, also that of a late approval', () => {
  const payment = createdPayment();
  const { id } = firstTx(payment);
  const alerts = [{ at: start, text: `the reversal of ${id} is not confirmed; retrying` }];
  const reversing = planNotFound(payment, payment.work as Work, unresolvedContext(now)) as Payment;
  const flagged = { ...reversing, work: newWork('reverse', id, start), alerts };
  expect(settled(flagged, id, 'approved')).toBe('it is being taken back');
  const taken = settled(flagged, id, 'failed') as Payment;
  expect([taken.status, taken.work]).toEqual(['failed', undefined]);
  const late = settled(planLateApproval(taken, id, now), id, 'failed') as Payment;
  expect([late.status, late.work, late.activeOp, lastTx(late).status]).toEqual([
    'failed',
    undefined,
    undefined,
    'approved',
  ]);
});

test('an unwanted partial approval is settled as declined, as when its reversal is confirmed', () => {
  const payment = createdPayment();
  const { id } = firstTx(payment);
  const alerts = [{ at: start, text: `the reversal of ${id} is not confirmed; retrying` }];
  const reversing = { ...planPartialReversal(payment, id, 700, {}, context), alerts };
  const taken = settled(reversing, id, 'failed') as Payment;
  expect(taken).toMatchObject({ status: 'denied', capturedMinor: 0, work: undefined });
  expect(firstTx(taken)).toMatchObject({ status: 'denied', declineCode: 'partial_approval' });
});

test('a second answer, by a person or the processor, is refused with the outcome of the first', () => {
  const refund = flaggedAfterRestore(operated(approvedPayment(), 'refund'));
  const done = settled(refund, 'txn_op', 'approved') as Payment;
  expect(settled(done, 'txn_op', 'failed')).toBe('it is approved already');
  const given = settled(refund, 'txn_op', 'failed') as Payment;
  expect(settled(given, 'txn_op', 'approved')).toBe('it is failed already');
  expect(settled(refund, firstTx(refund).id, 'failed')).toBe('it is approved already');
});

test('an operation that ends by itself cannot be settled', () => {
  const refund = operated(approvedPayment(), 'refund');
  const asked = { ...refund, work: newWork('inquire', 'txn_op', start) };
  expect(settled(asked, 'txn_op', 'failed')).toBe('the gateway still finds out by itself');
  expect(settled(flaggedAfterRestore(refund), 'txn_unknown', 'failed')).toBe('the gateway does not wait for it');
  const resent = { ...refund, alerts: [{ at: start, text: 'refund txn_op was sent again and again' }] };
  expect(settled(resent, 'txn_op', 'failed')).toBe('it is still to be sent');
  const inProgress = { ...resent, work: { ...(resent.work as Work), leaseToken: 'worker' } };
  expect(settled(inProgress, 'txn_op', 'failed')).toBe('a worker is sending it, or waits for the answer');
  const payment = createdPayment();
  const { id } = firstTx(payment);
  const transfer = { ...payment, work: newWork('await-transfer', id, start) };
  expect(settled(transfer, id, 'approved')).toBe('it is not at a processor');
});
