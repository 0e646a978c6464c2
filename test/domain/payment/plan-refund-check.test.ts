import { array, assert, constantFrom, nat, property, record } from 'fast-check';
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planOperation } from '../../../shared/domain/payment/plan-operation.js';
import { planReturnedRefund } from '../../../shared/domain/payment/plan-refund-check.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import { approved, approvedPayment, moment, moneyProblems, settleContext, start, stateProblems } from './a-payment.js';

const rejection = { resultCode: '17', resultMessage: 'Returned by the bank' };
let refunds = 0;

/** With one more approved refund, or the payment itself where it is refused. */
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

test('of the whole amount: approved again, nothing refunded, the transaction says why, an alert is raised', () => {
  const before = refunded(approvedPayment());
  const after = returned(before);
  expect([before.status, after.status, after.refundedMinor]).toEqual(['refunded', 'approved', 0]);
  expect(refundsOf(after)).toMatchObject([{ status: 'failed', ...rejection, flagged: expect.any(String) }]);
  expect(after.refundChecks).toBeUndefined();
  expect(after.alerts).toHaveLength(1);
  expect(after.events.at(-1)).toMatchObject({ status: 'approved' });
});

test('of a part: what is left says the status, and the amount can be refunded again, no more', () => {
  const twice = refunded(refunded(approvedPayment(), 400), 650);
  const [first] = refundsOf(twice);
  const after = returned(twice, first?.id);
  expect([twice.status, after.status, after.refundedMinor]).toEqual(['refunded', 'partially-refunded', 650]);
  expect(refunded(after, 401)).toBe(after);
  expect(refunded(after, 400)).toMatchObject({ status: 'refunded', refundedMinor: 1050 });
});

test('idempotent: a second report changes nothing', () => {
  const before = refunded(approvedPayment());
  const once = returned(before);
  expect(returned(once, refundsOf(before)[0]?.id)).toEqual(once);
});

test('while another refund is at the acquirer: neither is lost', () => {
  const half = refunded(approvedPayment(), 500);
  const request = { referenceId: 'in-flight', amountMinor: 550, requestDigest: 'digest' };
  const context = { now: start, txId: 'txn_in_flight', awaitedUntil: start, bounds: limits };
  const plan = planOperation(half, 'refund', request, context);
  if (plan.kind !== 'planned') throw new Error(plan.kind);
  const back = returned(plan.payment, refundsOf(half)[0]?.id);
  expect([back.status, back.refundedMinor, back.heldMinor, stateProblems(back)]).toEqual(['approved', 0, 550, []]);
  const settled = settle(back, 'txn_in_flight', approved, settleContext());
  expect([settled.status, settled.refundedMinor]).toEqual(['partially-refunded', 550]);
});

test('whatever is refunded and returned, in whatever order, the money adds up and the status is true', () => {
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
