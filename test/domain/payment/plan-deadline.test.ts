import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planDeadline } from '../../../shared/domain/payment/plan-deadline.js';
import { planOperation } from '../../../shared/domain/payment/plan-operation.js';
import { type Outcome, settle } from '../../../shared/domain/payment/settle.js';
import { paymentStatuses } from '../../../shared/domain/payment/statuses.js';
import {
  approved,
  authorizedPayment,
  createdPayment,
  failed,
  firstTx,
  lastTx,
  later,
  paymentIn,
  settleContext,
  start,
  stateProblems,
} from './a-payment.js';

const delayed = () => authorizedPayment({ captureMethod: 'automatic', captureDelaySeconds: 60 });
const plan = (payment: Payment, now: Date) => planDeadline(payment, { now, txId: 'txn_own' });

test('nothing is planned before the deadline is due', () => {
  const held = authorizedPayment();
  const due = held.deadline?.at as Date;
  expect(plan(held, later(-1, due))).toBeUndefined();
  expect(plan(held, due)).toBeDefined();
});

test('a hold that runs out is released, and the payment expires', () => {
  const held = authorizedPayment();
  const planned = plan(held, later(1, held.deadline?.at)) as Payment;
  expect(planned).toMatchObject({
    status: 'authorized',
    activeOp: { txId: 'txn_own', kind: 'cancel', endsAs: 'expired' },
    work: { kind: 'cancel', txId: 'txn_own' },
  });
  expect(lastTx(planned)).toMatchObject({ kind: 'cancellation', reason: 'authorization-expired', status: 'created' });
  expect(stateProblems(planned)).toEqual([]);
  expect(settle(planned, 'txn_own', approved, settleContext()).status).toBe('expired');
});

test('a delayed capture captures the full amount, and meanwhile the end of the hold is the deadline', () => {
  const held = delayed();
  const planned = plan(held, later(60_001)) as Payment;
  expect(planned).toMatchObject({
    activeOp: { kind: 'capture' },
    heldMinor: 1050,
    deadline: { kind: 'expire', at: held.expiresAt },
  });
  expect(lastTx(planned)).toMatchObject({ kind: 'capture', reason: 'delayed-capture', amountMinor: 1050 });
  expect(settle(planned, 'txn_own', approved, settleContext())).toMatchObject({
    status: 'approved',
    deadline: undefined,
  });
});

test('an operation in flight or an earlier operation takes precedence over a deadline', () => {
  const held = delayed();
  const request = { referenceId: 'mine', requestDigest: 'd' };
  const own = planOperation(held, 'cancellation', request, {
    now: start,
    txId: 'txn_mine',
    awaitedUntil: start,
    bounds: limits,
  });
  if (own.kind !== 'planned') throw new Error(own.kind);
  expect(plan(own.payment, later(1e9))).toBeUndefined();
  expect(plan(settle(own.payment, 'txn_mine', approved, settleContext()), later(1e9))).toBeUndefined();
});

test.each(paymentStatuses.filter((status) => status !== 'authorized'))(
  'a deadline of a payment that is %s plans nothing',
  (status) => {
    expect(plan(paymentIn(status, { deadline: { kind: 'expire', at: start } }), later(1))).toBeUndefined();
  },
);

test('nothing is planned without a deadline', () => {
  expect(plan(paymentIn('authorized', { deadline: undefined }), later(1e12))).toBeUndefined();
});

test('a verification whose release failed is released again and ends cancelled', () => {
  const verification = createdPayment({ purpose: 'verification' }, 'authorization');
  const released = settle(
    verification,
    firstTx(verification).id,
    approved,
    settleContext(start, { newTxId: () => 'txn_1' }),
  );
  const again = settle(released, 'txn_1', failed, settleContext(later(1_000)));
  expect(again.deadline).toEqual({ kind: 'expire', at: later(61_000) });
  const planned = plan(again, later(61_000)) as Payment;
  expect(lastTx(planned)).toMatchObject({ kind: 'cancellation', reason: 'card-verification' });
  for (const outcome of [approved, { ...failed, kind: 'declined' } as Outcome]) {
    expect(settle(planned, 'txn_own', outcome, settleContext(later(62_000))).status).toBe('cancelled');
  }
});
