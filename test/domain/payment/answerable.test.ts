/** When a caller that waits for a transaction can be answered. */
import { isAnswerable, isAnswerComplete } from '../../../shared/domain/payment/answerable.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import { approvedPayment, createdPayment, firstTx, later, operated } from './a-payment.js';

const both = (payment: Payment, txId = firstTx(payment).id) => ({
  answerable: isAnswerable(payment, txId),
  wholly: isAnswerComplete(payment, txId),
});
const YES = { answerable: true, wholly: true };
const NO = { answerable: false, wholly: false };

test('a payment is answerable once it has an outcome, or if it does not have the transaction', () => {
  expect(both(createdPayment())).toEqual(NO);
  expect(both(approvedPayment())).toEqual(YES);
  expect(both(createdPayment(), 'txn_unknown')).toEqual(YES);
});

test('an attempt that was followed by another route is answered by the newest attempt', () => {
  const payment = createdPayment();
  const left = { ...firstTx(payment), status: 'failed', leftRoute: { processor: 'fake', acquirer: 'a' } } as const;
  const following = { ...firstTx(payment), id: 'txn_2' };
  expect(both({ ...payment, transactions: [left, following] }, left.id)).toEqual(NO);
  expect(both({ ...payment, transactions: [left, { ...following, status: 'approved' }] }, left.id)).toEqual(YES);
});

test('a payment is answerable while the payer has to act: for a challenge, or the method of the issuer', () => {
  const payment = createdPayment();
  const txId = firstTx(payment).id;
  const deadline = { kind: 'challenge', at: later(1) } as const;
  expect(both({ ...payment, deadline, work: newWork('await-challenge', txId, later(1)) })).toEqual(YES);
  expect(both({ ...payment, deadline, work: newWork('conclude', txId, later(1)) })).toEqual(NO);
  const work = newWork('authenticate', txId, later(1));
  const threeDs = (method: object | undefined) =>
    ({ required: true, reason: 'always', method }) as NonNullable<Payment['threeDs']>;
  const method = { url: 'https://acs.example', endsAt: later(1) };
  expect(both({ ...payment, work, threeDs: threeDs(method) })).toEqual(YES);
  expect(both({ ...payment, work, threeDs: threeDs({ ...method, completion: 'Y' }) })).toEqual(NO);
  expect(both({ ...payment, work, threeDs: threeDs(undefined) })).toEqual(NO);
});

test('only the answer of the authorization waits for the token of the card being saved', () => {
  const saving = { ...approvedPayment(), tokenizeAt: later(1) };
  expect(both(saving)).toEqual({ answerable: true, wholly: false });
  const refunding = operated(saving, 'refund', { txId: 'txn_refund' });
  const refunded = refunding.transactions.map((tx) => (tx.id === 'txn_refund' ? { ...tx, status: 'approved' } : tx));
  expect(both({ ...refunding, transactions: refunded as Payment['transactions'] }, 'txn_refund')).toEqual(YES);
});
