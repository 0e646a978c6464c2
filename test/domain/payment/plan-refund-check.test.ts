import { array, assert, constantFrom, nat, property, record } from 'fast-check';
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planOperation } from '../../../shared/domain/payment/plan-operation.js';
import {
  dueRefundChecks,
  planNextCheck,
  planReturnedRefund,
  watchRefund,
} from '../../../shared/domain/payment/plan-refund-check.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import {
  approved,
  approvedPayment,
  lastTx,
  later,
  moment,
  moneyProblems,
  operated,
  schedule,
  settleContext,
  start,
  stateProblems,
} from './a-payment.js';

const rejection = { resultCode: '17', resultMessage: 'Returned by the bank' };
let refunds = 0;

/** Adds an approved refund, or returns the same payment if the refund is refused. */
function refunded(payment: Payment, amountMinor?: number): Payment {
  refunds += 1;
  const txId = `txn_refund_${refunds}`;
  const request = { referenceId: `ref-${refunds}`, amountMinor, requestDigest: 'digest' };
  const context = { now: start, txId, awaitedUntil: start, bounds: limits };
  const plan = planOperation(payment, 'refund', request, context);
  return plan.kind === 'planned' ? settle(plan.payment, txId, approved, settleContext()) : payment;
}
const refundsOf = ({ transactions }: Payment) => transactions.filter(({ kind }) => kind === 'refund');
const returned = (payment: Payment, txId = refundsOf(payment).at(-1)?.id ?? '') =>
  planReturnedRefund(payment, txId, rejection, moment());

test('a returned full refund makes the payment approved again, with the reason in the transaction and an alert', () => {
  const before = refunded(approvedPayment());
  const after = returned(before);
  expect([before.status, after.status, after.refundedMinor]).toEqual(['refunded', 'approved', 0]);
  expect(refundsOf(after)).toMatchObject([
    { status: 'failed', ...rejection, flagged: expect.stringMatching(/^the bank returned/) },
  ]);
  expect(after.refundChecks).toBeUndefined();
  expect(after.alerts).toMatchObject([{ text: expect.stringMatching(/may be refunded again$/) }]);
  expect(after.events.at(-1)).toMatchObject({ status: 'approved' });
});

test('after a returned partial refund the rest decides the status, and only that amount can be refunded again', () => {
  const twice = refunded(refunded(approvedPayment(), 400), 650);
  const [first] = refundsOf(twice);
  const after = returned(twice, first?.id);
  expect([twice.status, after.status, after.refundedMinor]).toEqual(['refunded', 'partially-refunded', 650]);
  expect(refunded(after, 401)).toBe(after);
  expect(refunded(after, 400)).toMatchObject({ status: 'refunded', refundedMinor: 1050 });
});

test('a second report of a returned refund changes nothing', () => {
  const before = refunded(approvedPayment());
  const once = returned(before);
  expect(returned(once, refundsOf(before)[0]?.id)).toEqual(once);
});

test('a refund returned while another is at the acquirer does not affect the other', () => {
  const half = refunded(approvedPayment(), 500);
  const inFlight = operated(half, 'refund', { referenceId: 'in-flight', amountMinor: 550, txId: 'txn_in_flight' });
  const back = returned(inFlight, refundsOf(half)[0]?.id);
  expect([back.status, back.refundedMinor, back.heldMinor, stateProblems(back)]).toEqual(['approved', 0, 550, []]);
  const settled = settle(back, 'txn_in_flight', approved, settleContext());
  expect([settled.status, settled.refundedMinor]).toEqual(['partially-refunded', 550]);
});

test('property: with any order of refunds and returns the amounts add up and the status is correct', () => {
  const step = record({ kind: constantFrom('refund', 'return'), amount: nat(1100), which: nat(20) });
  assert(
    property(array(step, { maxLength: 25 }), (steps) => {
      let payment = approvedPayment();
      for (const { kind, amount, which } of steps) {
        const all = refundsOf(payment);
        if (kind === 'refund') payment = refunded(payment, amount + 1);
        else if (all.length > 0) payment = returned(payment, all[which % all.length]?.id);
        const { status, refundedMinor, capturedMinor } = payment;
        expect([...moneyProblems(payment), ...stateProblems(payment)]).toEqual([]);
        const remaining = refundsOf(payment).filter((tx) => tx.status === 'approved');
        expect(remaining.reduce((sum, tx) => sum + tx.amountMinor, 0)).toBe(refundedMinor);
        const true_ =
          refundedMinor === 0 ? 'approved' : refundedMinor === capturedMinor ? 'refunded' : 'partially-refunded';
        expect(status).toBe(true_);
      }
    }),
  );
});

describe('an approved refund is checked', () => {
  const waits = [1_000, 5_000, 30_000];
  const watched = () => watchRefund(watchRefund(approvedPayment(), 'txn_1', start, waits), 'txn_2', later(500), waits);

  test('from its approval on, by the schedule of the installation', () => {
    const payment = refunded(approvedPayment());
    const at = later(schedule.refundCheckAfterMs[0] ?? 0);
    expect(payment).toMatchObject({ refundChecks: [{ txId: lastTx(payment).id, tries: 0, at }], refundCheckAt: at });
  });

  test('only when it is due, independently of other refunds', () => {
    const due = (ms: number) => dueRefundChecks(watched(), later(ms)).map(({ txId }) => txId);
    expect([due(999), due(1_000), due(1_500)]).toEqual([[], ['txn_1'], ['txn_1', 'txn_2']]);
    expect(dueRefundChecks(approvedPayment(), start)).toEqual([]);
  });

  test('after each wait in turn, then no more; other refunds keep their times, and the earliest is the next', () => {
    let payment = planNextCheck(watched(), 'txn_1', later(1_000), waits);
    const other = { txId: 'txn_2', tries: 0, at: later(1_500) };
    expect(payment.refundChecks).toEqual([{ txId: 'txn_1', tries: 1, at: later(6_000) }, other]);
    expect(payment.refundCheckAt).toEqual(later(1_500));
    payment = planNextCheck(payment, 'txn_1', later(6_000), waits);
    expect(payment.refundChecks).toEqual([{ txId: 'txn_1', tries: 2, at: later(36_000) }, other]);
    payment = planNextCheck(payment, 'txn_1', later(36_000), waits);
    expect([payment.refundChecks, payment.refundCheckAt]).toEqual([[other], other.at]);
    const none = { ...payment, refundChecks: [{ ...other, tries: 2 }] };
    const through = planNextCheck(none, 'txn_2', later(36_000), waits);
    expect([through.refundChecks, through.refundCheckAt]).toEqual([undefined, undefined]);
  });

  test('not at all without a schedule or without refunds', () => {
    const payment = approvedPayment();
    expect(watchRefund(payment, 'txn_1', start, [])).toBe(payment);
    expect(planNextCheck(payment, 'txn_1', start, waits).refundChecks).toBeUndefined();
  });
});

test('when one of two refunds is returned, the other is still watched and does not change', () => {
  const twice = refunded(refunded(approvedPayment(), 400), 650);
  const [first, second] = refundsOf(twice);
  const back = planReturnedRefund(twice, first?.id ?? '', rejection, moment(later(9_000)));
  expect(back.refundChecks?.map(({ txId }) => txId)).toEqual([second?.id]);
  expect(back.refundCheckAt).toEqual(back.refundChecks?.[0]?.at);
  expect(refundsOf(back)).toEqual([
    expect.objectContaining({
      ...{ id: first?.id, amountMinor: 400, referenceId: first?.referenceId, processedAt: later(9_000) },
      ...{ ...rejection, status: 'failed', errorCode: 'declined-by-acquirer' },
    }),
    second,
  ]);
  expect(back.processedAt).toEqual(later(9_000));
  expect(back.alerts).toMatchObject([{ at: later(9_000), text: expect.stringContaining(first?.id ?? '-') }]);
});

test('the return of an unknown refund moves no money', () => {
  const payment = refunded(approvedPayment(), 400);
  for (const txId of ['txn_none', '']) {
    const same = planReturnedRefund(payment, txId, rejection, moment());
    expect([same.status, same.refundedMinor, same.alerts]).toEqual(['partially-refunded', 400, undefined]);
    expect(same.refundChecks).toEqual(payment.refundChecks);
  }
});

test.each(['created', 'pending', 'failed'] as const)('the return of a refund that is %s moves no money', (status) => {
  const twice = refunded(refunded(approvedPayment(), 400), 300);
  const last = lastTx(twice).id;
  const payment: Payment = {
    ...twice,
    status: 'partially-refunded',
    refundedMinor: 400,
    transactions: twice.transactions.map((tx) => (tx.id === last ? { ...tx, status } : tx)),
  };
  const same = returned(payment, last);
  expect([same.status, same.refundedMinor, same.alerts]).toEqual(['partially-refunded', 400, undefined]);
  expect(same.transactions).toEqual(payment.transactions);
});
