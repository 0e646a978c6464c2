import { failedCaptureOf } from '../../../shared/domain/payment/failed-capture.js';
import type { Payment, Transaction } from '../../../shared/domain/payment/payment.js';
import { paymentStatuses } from '../../../shared/domain/payment/statuses.js';
import { firstTx, lastTx, later, paymentIn } from './a-payment.js';

const capture = (more: Partial<Transaction> = {}): Transaction => ({
  ...firstTx(paymentIn('created')),
  ...{ id: 'txn_capture', kind: 'capture', reason: 'delayed-capture', status: 'denied' },
  ...more,
});
function tried(more: Partial<Payment> = {}, ...captures: Transaction[]): Payment {
  const payment = paymentIn('authorized', more);
  return { ...payment, transactions: [...payment.transactions, ...captures] };
}

test('a failed capture is reported only while the payment is authorized and after it expired', () => {
  const reported = paymentStatuses.filter((status) => failedCaptureOf(tried({ status }, capture())) !== undefined);
  expect(reported).toEqual(['authorized', 'expired']);
});

test.each([
  ['denied', true],
  ['failed', true],
  ['approved', false],
  ['created', false],
  ['pending', false],
] as const)('whether a delayed capture that is %s is reported as failed: %s', (status, is) => {
  const payment = tried({}, capture({ status }));
  expect(failedCaptureOf(payment)?.tx).toBe(is ? lastTx(payment) : undefined);
});

test.each([
  ['a capture with another reason', { reason: 'requested-by-customer' }],
  ['another transaction with its reason', { kind: 'cancellation' }],
] as const)('%s is not reported as a failed capture', (_name, more) => {
  expect(failedCaptureOf(tried({}, capture(more)))).toBeUndefined();
  expect(failedCaptureOf(tried())).toBeUndefined();
});

test('the newest failed try is reported', () => {
  const payment = tried(
    {},
    capture({ id: 'txn_1' }),
    capture({ id: 'txn_2', status: 'failed' }),
    capture({ id: 'txn_3', status: 'approved' }),
  );
  expect(failedCaptureOf(payment)?.tx.id).toBe('txn_2');
});

test.each([
  ['tried again at its deadline', { deadline: { kind: 'capture', at: later(500) } }, later(500), false],
  ['being tried now', { activeOp: { kind: 'capture', txId: 'txn_2' } }, undefined, false],
  ['given up: the hold only runs out', {}, undefined, true],
  [
    'given up while another operation is at the acquirer',
    { activeOp: { kind: 'cancel', txId: 'txn_2' } },
    undefined,
    true,
  ],
  ['given up: nothing is due', { deadline: undefined }, undefined, true],
] as const)('a failed capture is shown as %s', (_name, more, nextAttemptAt, givenUp) => {
  const payment = tried(more, capture());
  expect(failedCaptureOf(payment)).toEqual({ tx: lastTx(payment), nextAttemptAt, givenUp });
});
