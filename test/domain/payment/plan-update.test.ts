/** What an update of the processor changes in a payment that waits for no outcome, and what it does not change. */

import type { Payment, RefundCheck, Transaction, Work } from '../../../shared/domain/payment/payment.js';
import {
  isOtherPart,
  planAlert,
  planInquiryNow,
  planProcessorReference,
  planRefusedReversal,
  planReportedOtherwise,
  waitsForOther,
} from '../../../shared/domain/payment/plan-update.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import { approvedPayment, createdPayment, firstTx, later, moneyProblems, start } from './a-payment.js';

const now = later(60_000);
/** Returns the fields that an update must never change. */
const moneyOf = ({ status, authorizedMinor, capturedMinor, refundedMinor, heldMinor, events }: Payment) => ({
  ...{ status, authorizedMinor, capturedMinor, refundedMinor, heldMinor, events },
});

test('an alert is added once; another text is another alert', () => {
  const payment = approvedPayment();
  const once = planAlert(payment, now, 'look at it') as Payment;
  expect(once).toEqual({ ...payment, updatedAt: now, alerts: [{ at: now, text: 'look at it' }] });
  expect(planAlert(once, later(1, now), 'look at it')).toBeUndefined();
  const both = planAlert(once, later(1, now), 'look again') as Payment;
  expect(both.alerts?.map(({ text }) => text)).toEqual(['look at it', 'look again']);
  expect(planAlert(both, later(2, now), 'look at it')).toBeUndefined();
});

test('a contradiction flags its transaction, raises one alert and moves no money', () => {
  const paid = approvedPayment();
  const other = { ...firstTx(paid), id: 'txn_other' };
  const payment = { ...paid, transactions: [...paid.transactions, other] };
  const plan = planReportedOtherwise(payment, firstTx(payment), now, 'failed') as Payment;
  expect(plan.transactions).toEqual([{ ...firstTx(payment), flagged: 'reported as failed later' }, other]);
  const text = `purchase ${firstTx(payment).id} is approved, and the processor now reports it as failed; nothing was moved by it`;
  expect(plan).toMatchObject({ updatedAt: now, alerts: [{ at: now, text }] });
  expect([moneyOf(plan), moneyProblems(plan)]).toEqual([moneyOf(payment), []]);
  expect(planReportedOtherwise(plan, firstTx(payment), later(1, now), 'failed')).toBeUndefined();
  const another = planReportedOtherwise(plan, firstTx(plan), later(1, now), 'declined') as Payment;
  expect(firstTx(another).flagged).toBe('reported as failed later');
  expect(another.alerts).toHaveLength(2);
});

describe('a reference for an authorization that is being reversed', () => {
  const said = { processorReference: 'p-1', ticket: 'T-1' };
  const reversing = (more: Partial<Payment> = {}): Payment => {
    const payment = createdPayment();
    const reversal = { ...firstTx(payment), id: `${firstTx(payment).id}-reverse`, kind: 'reversal' } as const;
    const work: Work = { ...newWork('reverse', firstTx(payment).id, later(3_600_000)), gen: 4, tries: 3 };
    return { ...payment, transactions: [...payment.transactions, reversal], work, ...more };
  };

  test('is stored only in its transaction, and the reversal is due at once and keeps its tries', () => {
    const payment = reversing();
    const plan = planProcessorReference(payment, firstTx(payment).id, said, now) as Payment;
    expect(plan.transactions).toEqual([
      { ...firstTx(payment), processorReference: 'p-1' },
      ...payment.transactions.slice(1),
    ]);
    expect(plan.work).toEqual({ ...payment.work, dueAt: now, gen: 5 });
    expect(plan.updatedAt).toEqual(now);
    expect(moneyOf(plan)).toEqual(moneyOf(payment));
  });

  const work = newWork('reverse', 'txn_another', later(3_600_000));
  const known = () => {
    const payment = reversing();
    return { ...payment, transactions: [{ ...firstTx(payment), processorReference: 'p-0' }] };
  };
  test.each([
    ['the update names none', reversing(), { ticket: 'T-1' }],
    ['one is known', known(), said],
    ['another transaction is taken back', reversing({ work }), said],
    ['there is no work', reversing({ work: undefined }), said],
  ])('changes nothing when %s', (_name, payment, names) => {
    expect(planProcessorReference(payment, firstTx(payment).id, names, now)).toBeUndefined();
  });

  test('is stored even if another attempt has a reference', () => {
    const left = { ...firstTx(createdPayment()), id: 'txn_left', processorReference: 'p-0' };
    const payment = reversing();
    const routed = { ...payment, transactions: [left, ...payment.transactions] };
    const plan = planProcessorReference(routed, firstTx(payment).id, said, now);
    expect(plan?.transactions.map(({ processorReference }) => processorReference)).toEqual(['p-0', 'p-1', undefined]);
    expect(planProcessorReference(routed, 'txn_none', said, now)).toBeUndefined();
  });

  test.each(['authorize', 'inquire', 'capture'] as const)('changes nothing while the work is %s', (kind) => {
    const payment = reversing();
    const other = { ...payment, work: newWork(kind, firstTx(payment).id, later(3_600_000)) };
    expect(planProcessorReference(other, firstTx(payment).id, said, now)).toBeUndefined();
  });
});

test.each([
  ['the reference by which the reversal names the original', 'p-1', 3],
  ['a reference from before', undefined, 2],
])('a refusal of a request with %s raises one alert; %s counts as refusal %d', (_name, by, refusals) => {
  const payment = createdPayment();
  const original: Transaction = { ...firstTx(payment), processorReference: 'p-1' };
  const reversal: Transaction = { ...original, id: 'txn_r', kind: 'reversal', referenceId: original.id, refusals: 2 };
  const before = { ...payment, transactions: [original, reversal] };
  const plan = planRefusedReversal(before, reversal, { by, message: 'no' }, now);
  expect(plan.transactions).toEqual([original, { ...reversal, refusals }]);
  const text = `the processor did not reverse ${original.id}: no; retrying`;
  expect(plan).toMatchObject({ updatedAt: now, alerts: [{ at: now, text }] });
  expect(planRefusedReversal(plan, reversal, { by, message: 'no' }, now).alerts).toEqual(plan.alerts);
});

test.each<[string, boolean, string | undefined, Partial<Transaction>]>([
  ['an attempt that ended, while another is in progress', true, 'txn_2', { status: 'failed' }],
  ['an attempt that is in progress too', false, 'txn_2', { status: 'pending' }],
  ['a refund that ended', false, 'txn_2', { status: 'failed', kind: 'refund' }],
  ['an attempt that has the work itself', false, 'txn_1', { status: 'failed' }],
  ['an attempt of a payment without work', false, undefined, { status: 'failed' }],
  ['an unknown transaction', false, 'txn_2', { status: 'failed', id: 'txn_3' }],
])('whether a late approval has to wait: of %s: %s', (_name, waits, workOf, more) => {
  const payment = createdPayment({ work: workOf === undefined ? undefined : newWork('authorize', workOf, now) });
  const transactions = [{ ...firstTx(payment), id: 'txn_1', ...more }];
  expect(waitsForOther({ ...payment, transactions }, 'txn_1')).toBe(waits);
});

test.each([
  [{ kind: 'approved', approvedMinor: 700 }, {}, true],
  [{ kind: 'approved', approvedMinor: 1050 }, {}, false],
  [{ kind: 'approved', approvedMinor: 700 }, { approvedMinor: 700 }, false],
  [{ kind: 'approved', approvedMinor: 1050 }, { approvedMinor: 700 }, true],
  [{ kind: 'approved' }, { approvedMinor: 700 }, false],
  [{ kind: 'declined', approvedMinor: 700 }, {}, false],
])('whether %j is another part than that of a transaction of 1050 with %j: %s', (said, more, isOther) => {
  expect(isOtherPart(said, { ...firstTx(createdPayment()), ...more })).toBe(isOther);
});

describe('an update that makes work due', () => {
  const waiting = (kind: Work['kind'], more: Partial<Work> = {}): Payment => ({
    ...createdPayment(),
    work: { ...newWork(kind, 'txn_1', later(1, now)), gen: 2, tries: 5, ...more },
  });

  test.each(['inquire', 'reverse', 'await-transfer'] as const)(
    'makes work of kind %s due at once and keeps its tries',
    (kind) => {
      const payment = waiting(kind);
      expect(planInquiryNow(payment, 'txn_1', now)).toEqual({
        ...payment,
        work: { ...payment.work, dueAt: now, gen: 3 },
      });
    },
  );

  test.each(['authorize', 'capture', 'cancel', 'refund', 'authenticate', 'issue-code'] as const)(
    'does not make work of kind %s due: an update never causes a send',
    (kind) => expect(planInquiryNow(waiting(kind), 'txn_1', now)).toBeUndefined(),
  );

  test.each([
    ['that is due already', waiting('inquire', { dueAt: now })],
    ['that a worker holds', waiting('inquire', { leaseUntil: later(1, now) })],
    ['of another transaction', waiting('inquire', { txId: 'txn_2' })],
    ['that is none', { ...createdPayment(), work: undefined }],
  ])('does not change work %s', (_name, payment) => {
    expect(planInquiryNow(payment, 'txn_1', now)).toBeUndefined();
  });

  test('makes work due whose lease has just ended', () => {
    expect(planInquiryNow(waiting('inquire', { leaseUntil: now }), 'txn_1', now)?.work?.dueAt).toEqual(now);
  });

  test('makes only the check of its own refund due at once', () => {
    const check = (txId: string, at: Date): RefundCheck => ({ txId, tries: 1, at });
    const paid = approvedPayment({ refundChecks: [check('txn_1', later(1, now)), check('txn_2', later(9, now))] });
    const plan = planInquiryNow(paid, 'txn_1', now) as Payment;
    expect(plan).toEqual({
      ...paid,
      refundChecks: [check('txn_1', now), check('txn_2', later(9, now))],
      refundCheckAt: now,
    });
    expect(planInquiryNow(plan, 'txn_1', now)).toBeUndefined();
    expect(planInquiryNow(paid, 'txn_3', now)).toBeUndefined();
    // Work of another transaction does not prevent the check.
    const busy = { ...paid, work: newWork('inquire', 'txn_9', later(1, now)) };
    expect(planInquiryNow(busy, 'txn_1', now)?.refundCheckAt).toEqual(now);
    expect(planInquiryNow(approvedPayment(), firstTx(paid).id, start)).toBeUndefined();
  });
});
