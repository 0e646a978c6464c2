/** Entries imported from the books of a processor, and entries that a person has to check instead. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { newWork } from '../../shared/domain/payment/work.js';
import type { BookEntry } from '../../shared/domain/reconcile/compare-books.js';
import {
  planImportedOperation,
  planImportedOutcome,
  planImportedTransfer,
} from '../../shared/domain/reconcile/plan-import.js';
import {
  approved,
  approvedPayment,
  authorizedPayment,
  createdPayment,
  declined,
  firstTx,
  later,
  operated,
  settleContext,
} from './payment/a-payment.js';

const context = { ...settleContext(later(5)), bounds: limits };
const entry = (more: Partial<BookEntry> = {}): BookEntry => ({
  ...{
    at: '2026-03-04T05:06:08Z',
    kind: 'refund',
    key: 'txn_lost',
    original: 'txn_1',
    amountMinor: 300,
    currency: 'USD',
  },
  result: 'approved',
  ...more,
});
const operation = (payment: Payment, more: Partial<BookEntry> = {}, outcome = approved) =>
  planImportedOperation(payment, entry(more), outcome, context);
const refused = (reason: string | RegExp) => ({ kind: 'refused', reason: expect.stringMatching(reason) });

describe('an operation', () => {
  test('is imported under its key at the processor, with the outcome of the processor', () => {
    const imported = operation(approvedPayment());
    expect(imported).toMatchObject({
      kind: 'imported',
      payment: { status: 'partially-refunded', refundedMinor: 300, heldMinor: 0 },
    });
    const { transactions = [] } = 'payment' in imported ? imported.payment : {};
    expect(transactions.at(-1)).toMatchObject({
      ...{ id: 'txn_lost', kind: 'refund', referenceId: 'txn_lost', amountMinor: 300, status: 'approved' },
    });
    expect(operation(approvedPayment(), {}, declined)).toMatchObject({
      payment: { status: 'approved', refundedMinor: 0 },
    });
  });

  test('has the reference of the merchant if the processor stores it', () => {
    const imported = operation(approvedPayment(), { referenceId: 'refund-7' });
    expect('payment' in imported && imported.payment.transactions.at(-1)).toMatchObject({ referenceId: 'refund-7' });
  });

  test.each([
    ['capture', 300, 'approved'],
    ['cancellation', 1050, 'cancelled'],
  ] as const)('may be a %s', (kind, amountMinor, status) => {
    expect(operation(authorizedPayment(), { kind, amountMinor })).toMatchObject({
      kind: 'imported',
      payment: { status },
    });
  });

  test.each(['purchase', 'authorization', 'reversal', 'toString'])('cannot be a %s', (kind) => {
    expect(operation(approvedPayment(), { kind })).toEqual(refused(`a ${kind} is no operation on a payment`));
  });

  test('is refused if a person has to check it', () => {
    const paid = approvedPayment();
    expect(operation(paid, { currency: 'EUR' })).toEqual(refused('another currency than the payment'));
    expect(operation(operated(paid, 'refund', { amountMinor: 1 }))).toEqual(refused('in progress'));
    const known = operation(paid, { referenceId: 'same' });
    expect('payment' in known && operation(known.payment, { referenceId: 'same', key: 'txn_other' })).toEqual(
      refused('another operation under its reference'),
    );
    expect(operation(paid, { amountMinor: 1051 })).toEqual(refused(/./));
    expect(operation(createdPayment())).toEqual(refused(/./));
  });
});

describe('an outcome', () => {
  const outcome = (payment: Payment, key = firstTx(payment).id) => planImportedOutcome(payment, key, approved, context);

  test('is imported only for a transaction that waits for it', () => {
    expect(outcome(createdPayment())).toMatchObject({ kind: 'imported', payment: { status: 'approved' } });
    expect(outcome(createdPayment(), 'txn_unknown')).toEqual(refused('does not wait for it any more'));
    expect(outcome(approvedPayment())).toEqual(refused('does not wait for it any more'));
  });

  test('ends the wait for a payer who returned after the backup', () => {
    const { work: _none, ...waiting } = createdPayment({ deadline: { kind: 'challenge', at: later(600_000) } });
    const imported = outcome(waiting);
    expect(imported).toMatchObject({ kind: 'imported', payment: { status: 'approved' } });
    expect('payment' in imported && imported.payment.deadline).toBeUndefined();
  });

  test('is reversed if it is a partial approval that the merchant did not allow', () => {
    const partly = { ...approved, approvedMinor: 700 };
    const imported = (payment: Payment) => planImportedOutcome(payment, firstTx(payment).id, partly, context);
    expect(imported(createdPayment())).toMatchObject({
      kind: 'imported',
      payment: {
        ...{ status: 'pending', authorizedMinor: 0, work: { kind: 'reverse' } },
        transactions: [{ approvedMinor: 700 }, { kind: 'reversal', amountMinor: 700 }],
      },
    });
    // In the backup the payer is still at the issuer: the reversal belongs to the processor pool, not to the pool that waits for the payer.
    const atIssuer = createdPayment();
    const work = { ...newWork('await-challenge', firstTx(atIssuer).id, later(1)), gen: 7 };
    expect(imported({ ...atIssuer, work })).toMatchObject({
      payment: { work: { queue: 'processor', kind: 'reverse', gen: 9 } },
    });
    expect(imported(createdPayment({ allowPartialApproval: true }))).toMatchObject({
      payment: { status: 'approved', capturedMinor: 700 },
    });
  });

  test('is not imported while its transaction is being reversed', () => {
    const payment = createdPayment();
    const reversing = (txId: string): Payment => ({
      ...payment,
      work: { ...(payment.work as NonNullable<Payment['work']>), kind: 'reverse', txId },
    });
    expect(outcome(reversing(firstTx(payment).id))).toEqual(refused('it is being taken back'));
    expect(outcome(reversing('txn_other'))).toMatchObject({ kind: 'imported' });
  });
});

describe('a transfer', () => {
  const paymentMethod = { id: 'qr', name: 'QR', type: 'bank-transfer', source: 'bank-transfer' } as const;
  const waiting = (kind: 'await-transfer' | 'issue-code' | 'cancel') => {
    const payment = createdPayment({ paymentMethod });
    return { ...payment, work: newWork(kind, firstTx(payment).id, later(1)) };
  };
  const imported = (payment: Payment, paidAfterMs: number) => {
    const transfer = { id: 't1', paidAt: later(paidAfterMs), amountMinor: 1050, currency: 'USD', returned: false };
    return planImportedTransfer(payment, { askedAt: context.now, transfers: [transfer] }, context);
  };

  test.each(['await-transfer', 'issue-code'] as const)('in time approves a payment whose work is %s', (kind) => {
    expect(imported(waiting(kind), 1)).toMatchObject({ status: 'approved', capturedMinor: 1050, work: undefined });
  });

  test('is not imported after the end of the code, or while the payment is being cancelled', () => {
    expect(imported(waiting('await-transfer'), context.schedule.codeExpiryMs + 1)).toBeUndefined();
    expect(imported(waiting('cancel'), 1)).toBeUndefined();
  });
});
