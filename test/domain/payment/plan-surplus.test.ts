/** Money that is paid to a code more than once, late, or in another amount; and when the bank is asked again. */

import { presentPayment } from '../../../shared/contract/present-payment.js';
import type { Payment, Transaction } from '../../../shared/domain/payment/payment.js';
import type { PlanContext } from '../../../shared/domain/payment/plan-context.js';
import {
  isPresentable,
  planAsked,
  planChecked,
  planIssueAgain,
  planIssued,
  planNotAnswered,
  planNotIssued,
  type Transfer,
  type TransferAnswer,
} from '../../../shared/domain/payment/plan-transfer.js';
import { isToReturn } from '../../../shared/domain/payment/surplus.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import type { Schedule } from '../../../shared/domain/schedule.js';
import { createdPayment, firstTx, later, moneyProblems, settleContext, stateProblems } from './a-payment.js';

const LIFE = 900_000;
const SETTLES = 2_000;
const GRACE = 60_000;
const contextAt = (ms: number, more: Partial<Schedule> = {}): PlanContext => {
  const context = settleContext(later(ms), { newTxId: () => 'txn_surplus' });
  const asks = [
    { untilMs: 30_000, everyMs: 2_000 },
    { untilMs: LIFE, everyMs: 15_000 },
  ];
  const waits = { codeExpiryMs: LIFE, transferSettlesMs: SETTLES, transferGraceMs: GRACE, askTransfer: asks };
  return { ...context, schedule: { ...context.schedule, ...waits, transferCheckAfterMs: [10, 200, 3_000], ...more } };
};

const paymentMethod = { id: 'qr', name: 'QR', type: 'bank-transfer', source: 'bank-transfer' } as const;
const code = { value: '0002', url: 'https://bank.example/1', base64Image: 'AAAA' };
/** Builds a payment that waits for money. It has its purchase and a cancellation that was refused. */
function pendingPayment(more: Partial<Payment> = {}): Payment {
  const payment = createdPayment({ paymentMethod, code, expiresAt: later(LIFE), status: 'pending', eventSeq: 1 });
  const refused: Transaction = { ...firstTx(payment), id: 'txn_c', kind: 'cancellation', status: 'denied' };
  const purchase: Transaction = { ...firstTx(payment), id: 'txn_1', status: 'pending' };
  const work = { ...newWork('await-transfer', 'txn_1', later(0)), tries: 2 };
  const events = [{ seq: 1, status: 'pending', at: later(0), notBefore: later(0) }] as const;
  return { ...payment, transactions: [purchase, refused], work, events, ...more };
}
const workOf = (payment: Payment) => payment.work ?? newWork('await-transfer', 'txn_1', later(0));
const transfer = (ms: number, more: Partial<Transfer> = {}): Transfer => ({
  ...{ id: `t${ms}`, paidAt: later(ms), amountMinor: 1050, currency: 'USD', returned: false },
  ...more,
});
const ask = (payment: Payment, ms: number, answer: Partial<TransferAnswer> = {}) =>
  planAsked(payment, workOf(payment), { transfers: [], askedAt: later(ms), ...answer }, contextAt(ms));
const check = (payment: Payment, ms: number, transfers?: readonly Transfer[]) =>
  planChecked(payment, transfers && { transfers, askedAt: later(ms) }, contextAt(ms));
const reasons = (payment?: Payment) => payment?.transactions.slice(2).map(({ reason }) => reason);

test('of two transfers in time the first is the sale and the second is to be refunded', () => {
  const payment = pendingPayment();
  const paid = ask(payment, 9_000, { transfers: [transfer(8_000), transfer(7_000)] });
  expect(paid).toMatchObject({
    status: 'approved',
    authorizedMinor: 1050,
    capturedMinor: 1050,
    processedAt: later(9_000),
  });
  expect(paid.transactions).toEqual([
    {
      ...{ ...firstTx(payment), status: 'approved', processedAt: later(9_000), ticket: 't7000' },
      ...{ resultCode: '00', resultMessage: 'Paid' },
    },
    payment.transactions[1],
    {
      ...{
        id: 'txn_surplus',
        kind: 'purchase',
        referenceId: payment.referenceId,
        amountMinor: 1050,
        status: 'approved',
      },
      ...{
        createdAt: later(8_000),
        processedAt: later(9_000),
        resultCode: '00',
        ticket: 't8000',
        reason: 'paid-twice',
      },
      ...{ resultMessage: 'Paid; to be refunded', flagged: 'paid-twice: to be refunded' },
    },
  ]);
  expect(paid.alerts).toMatchObject([{ text: 'transfer t8000 is paid twice: the money has to go back to the payer' }]);
  expect([moneyProblems(paid), stateProblems(paid)]).toEqual([[], []]);
});

describe('a transfer that is not the sale', () => {
  const denied = () =>
    ask(pendingPayment({ transferChecks: [later(6_000)] }), 5_000, {
      rejected: { resultCode: '05', resultMessage: 'No' },
    });
  const approved = () => ask(pendingPayment({ transferChecks: [later(6_000)] }), 5_000, { transfers: [transfer(1)] });
  const expired = () => ask(pendingPayment({ transferChecks: [later(LIFE + 6_000)] }), LIFE + SETTLES);
  test.each([
    ['a second one', approved, transfer(2), 'paid-twice'],
    ['one after a refusal', denied, transfer(2), 'paid-after-end'],
    ['one after the end', expired, transfer(LIFE + 1), 'paid-after-expiry'],
    ['one of more', approved, transfer(2, { amountMinor: 1051 }), 'paid-another-amount'],
    ['one of less', expired, transfer(2, { amountMinor: 1049 }), 'paid-another-amount'],
    ['one in another currency', denied, transfer(2, { currency: 'EUR' }), 'paid-another-amount'],
  ])('is recorded once and announced, and does not move the payment: %s', (_name, end, late, reason) => {
    const before = end();
    const after = check(before, LIFE + 9_000, [late]) as Payment;
    expect(reasons(after)).toEqual([reason]);
    expect(after.transactions.at(-1)).toMatchObject({
      amountMinor: late.amountMinor,
      status: 'approved',
      ticket: late.id,
    });
    expect([after.status, after.capturedMinor, after.eventSeq]).toEqual([
      before.status,
      before.capturedMinor,
      before.eventSeq + 1,
    ]);
    expect([before, after].map(({ transactions }) => transactions.some(isToReturn))).toEqual([false, true]);
    expect(after.awaitedUntil).toEqual(later(LIFE + 9_000));
    const again = check({ ...after, transferChecks: [later(LIFE + 9_500)] }, LIFE + 9_500, [late]) as Payment;
    expect([reasons(again), again.eventSeq]).toEqual([[reason], after.eventSeq]);
  });

  test('is recorded once, even if the bank lists it twice in one answer', () => {
    expect(reasons(check(approved(), 9_000, [transfer(2), transfer(2)]))).toEqual(['paid-twice']);
  });

  test('of another amount, reported with a refusal, is recorded with the refusal in one callback', () => {
    const rejected = { resultCode: '05', resultMessage: 'No' };
    const before = pendingPayment();
    const endedPayment = ask(before, 5_000, { rejected, transfers: [transfer(2, { amountMinor: 1049 })] });
    expect([endedPayment.status, endedPayment.capturedMinor, reasons(endedPayment)]).toEqual([
      'denied',
      0,
      ['paid-another-amount'],
    ]);
    expect([endedPayment.transactions.some(isToReturn), endedPayment.eventSeq]).toEqual([true, before.eventSeq + 1]);
  });

  test('is not a surplus when it was returned to its payer', () => {
    expect(reasons(check(approved(), 9_000, [transfer(2, { returned: true })]))).toEqual([]);
  });

  test('is shown in its own currency: 1050 yen are not 10.50 dollars', () => {
    const after = check(approved(), 9_000, [transfer(2, { currency: 'JPY' }), transfer(3)]) as Payment;
    const shown = presentPayment(after).transactions as readonly { amount: number; currency: string }[];
    expect(shown.map(({ amount, currency }) => [amount, currency])).toEqual([
      [10.5, 'USD'],
      [10.5, 'USD'],
      [1050, 'JPY'],
      [10.5, 'USD'],
    ]);
    expect(after.transactions.at(-1)).not.toHaveProperty('currency');
  });

  test('that the bank returns later is reported and announced once, so that no person returns it again', () => {
    const known = check(approved(), 9_000, [transfer(2)]) as Payment;
    const back = [transfer(1, { returned: true }), transfer(2, { returned: true })];
    const over: Payment = { ...known, status: 'cancelled', transferChecks: [later(9_500), later(9_600)] };
    const after = check(over, 9_500, back) as Payment;
    expect(after.transactions.at(-1)).toEqual({
      ...known.transactions.at(-1),
      resultMessage: 'Paid; returned by the bank',
      flagged: 'paid-twice: returned by the bank',
    });
    expect(after.transactions.some(isToReturn)).toBe(false);
    expect(after.transactions.slice(0, -1)).toEqual(known.transactions.slice(0, -1));
    expect(after.alerts?.at(-1)).toEqual({
      at: later(9_500),
      text: 'transfer t2 was returned by the bank: it must not be sent back again',
    });
    expect([after.status, after.eventSeq]).toEqual(['cancelled', known.eventSeq + 1]);
    const again = check(after, 9_600, back) as Payment;
    expect([again.transactions, again.alerts, again.eventSeq]).toEqual([
      after.transactions,
      after.alerts,
      after.eventSeq,
    ]);
  });

  test.each([
    ['approved', 0],
    ['partially-refunded', 50],
  ] as const)(
    'a sale that the bank returns is reported and announced once while the payment is %s',
    (status, refundedMinor) => {
      const sold: Payment = { ...approved(), status, refundedMinor, transferChecks: [later(9_000), later(9_500)] };
      const back = [transfer(1, { returned: true })];
      const after = check(sold, 9_000, back) as Payment;
      expect(after.transactions).toEqual([
        { ...firstTx(sold), resultMessage: 'Paid; returned by the bank', flagged: 'returned by the bank' },
        ...sold.transactions.slice(1),
      ]);
      expect(after.alerts).toEqual([
        {
          at: later(9_000),
          text: 'transfer t1 was returned by the bank without a cancellation: the merchant may have delivered unpaid',
        },
      ]);
      expect([after.status, after.capturedMinor, after.refundedMinor]).toEqual([status, 1050, refundedMinor]);
      expect([after.eventSeq, after.transactions.some(isToReturn)]).toEqual([sold.eventSeq + 1, false]);
      const again = check(after, 9_500, back) as Payment;
      expect([again.transactions, again.alerts, again.eventSeq]).toEqual([
        after.transactions,
        after.alerts,
        after.eventSeq,
      ]);
    },
  );

  test.each(['cancelled', 'refunded'] as const)(
    'a returned sale of a payment that is %s is expected and changes nothing',
    (status) => {
      const over: Payment = { ...approved(), status, transferChecks: [later(9_000)] };
      const after = check(over, 9_000, [transfer(1, { returned: true })]) as Payment;
      expect([after.transactions, after.alerts, after.eventSeq]).toEqual([over.transactions, undefined, over.eventSeq]);
    },
  );

  test.each([
    ['a refund', { kind: 'refund', status: 'approved' }],
    ['a purchase that was not paid', { kind: 'purchase', status: 'expired' }],
  ] as const)('%s with the ticket of a transfer does not hide the transfer', (_name, other) => {
    const before = approved();
    const same = { ...firstTx(before), ...other, id: 'txn_same', ticket: 't2' };
    const after = check({ ...before, transactions: [...before.transactions, same] }, 9_000, [transfer(2)]);
    expect(reasons(after)).toEqual([undefined, 'paid-twice']);
  });
});

describe('the next check of the bank', () => {
  const at = (payment?: Payment) => payment?.transferChecks?.map((one) => one.getTime() - later(0).getTime());

  test('is soon after a payment, followed by the times planned before in order of time', () => {
    const paid = ask(pendingPayment({ transferChecks: [later(5_100), later(9_999_000)] }), 5_000, {
      transfers: [transfer(1)],
    });
    expect([at(paid), paid.transferCheckAt]).toEqual([[5_010, 5_100, 5_200, 9_999_000], later(5_010)]);
    expect(at(ask(pendingPayment(), 5_000, { transfers: [transfer(1)] }))).toEqual([5_010, 5_200]);
  });

  const over = (...times: number[]) =>
    pendingPayment({ status: 'expired', work: undefined, transferChecks: times.map((ms) => later(ms)) });
  const none: readonly Transfer[] = [];
  test.each([
    ['what is due is done', over(1, 50, 90), 50, none, [90]],
    ['without an answer the next one will do', over(50, 90), 50, undefined, [90]],
    ['without an answer and another one: one is added', over(50), 50, undefined, [250]],
    ['all done', over(1, 50), 50, none, undefined],
    ['not while it is open', pendingPayment({ transferChecks: [later(50), later(90)] }), 50, none, [90, 50 + GRACE]],
  ])('%s', (_name, payment, ms, transfers, left) => {
    const next = check(payment, ms, transfers);
    expect(at(next)).toEqual(left);
    expect(next?.transferCheckAt).toEqual(next?.transferChecks?.[0]);
    expect([next?.status, next?.eventSeq, next?.transactions]).toEqual([payment.status, 1, payment.transactions]);
  });

  test('is postponed while an operation may be returning the money, and nothing is recorded', () => {
    const payment: Payment = { ...over(50), status: 'approved', activeOp: { txId: 'txn_c', kind: 'cancel' } };
    const next = check(payment, 50, [transfer(2)]);
    expect([at(next), next?.transactions]).toEqual([[50 + GRACE], payment.transactions]);
  });

  test('is not due before its time or without planned checks', () => {
    expect([check(over(51), 50, none), check(pendingPayment(), 50, none)]).toEqual([undefined, undefined]);
    const short = planChecked(over(50), undefined, contextAt(50, { transferCheckAfterMs: [10] }));
    expect(at(short)).toEqual([50 + GRACE]);
  });

  const dueAt = (payment: Payment) => (payment.work?.dueAt.getTime() ?? 0) - later(0).getTime();
  test.each([
    [29_999, 31_999],
    [30_000, 45_000],
    [LIFE - 13_000, LIFE + SETTLES],
    [LIFE - 13_001, LIFE + 1_999],
    [LIFE + SETTLES - 1, LIFE + SETTLES],
    [LIFE + SETTLES, LIFE + SETTLES + 15_000],
  ])('without an answer %d ms after the code was made is at %d ms, and the try is counted', (ms, next) => {
    const silent = planNotAnswered(pendingPayment(), workOf(pendingPayment()), contextAt(ms));
    expect([dueAt(silent), silent.work?.tries, silent.status]).toEqual([next, 3, 'pending']);
  });

  test('is after the last interval, or the grace without intervals; a code without an end does not expire', () => {
    const bare = contextAt(1_000, { askTransfer: [] });
    const { expiresAt: _none, ...endless } = pendingPayment();
    expect(dueAt(planNotAnswered(pendingPayment(), workOf(pendingPayment()), bare))).toBe(1_000 + GRACE);
    const one = contextAt(31_000, { askTransfer: [{ untilMs: 30_000, everyMs: 2_000 }] });
    expect(dueAt(planNotAnswered(pendingPayment(), workOf(pendingPayment()), one))).toBe(33_000);
    expect(planNotAnswered(endless, workOf(pendingPayment()), contextAt(LIFE + GRACE)).status).toBe('pending');
    expect(ask(endless, LIFE + GRACE, { transfers: [transfer(1)] })).toMatchObject({
      status: 'pending',
      capturedMinor: 0,
    });
  });
});

describe('a code', () => {
  const { status: _pending, work: _work, ...rest } = pendingPayment();
  const unissued: Payment = {
    ...rest,
    status: 'created',
    eventSeq: 0,
    events: [],
    work: newWork('issue-code', 'txn_1', later(0)),
  };

  test('that is issued makes its own transaction pending, with its ticket if there is one', () => {
    const issue = (more: { ticket?: string }) =>
      planIssued(unissued, workOf(unissued), { code, ...more }, contextAt(5));
    expect(issue({ ticket: 'T-7' }).transactions).toMatchObject([
      { status: 'pending', ticket: 'T-7' },
      { status: 'denied' },
    ]);
    expect(issue({ ticket: 'T-7' }).transactions[1]).not.toHaveProperty('ticket');
    expect(firstTx(issue({}))).not.toHaveProperty('ticket');
  });

  test.each([
    ['pending', true],
    ['expired', false],
    ['approved', false],
    ['cancelled', false],
  ] as const)('of a payment that is %s can be presented: %s', (status, yes) => {
    expect(isPresentable(pendingPayment({ status }), later(0))).toBe(yes);
  });

  test('cannot be presented if it does not exist or has no end', () => {
    const { code: _code, ...none } = pendingPayment();
    const { expiresAt: _end, ...endless } = pendingPayment();
    expect([none, endless].map((payment) => isPresentable(payment, later(0)))).toEqual([false, false]);
  });

  test('that is refused keeps the answer of the bank, and the caller gets a further event', () => {
    const outcome = {
      kind: 'declined',
      resultCode: '57',
      resultMessage: 'No',
      declineCode: 'x',
      ticket: 'T-8',
    } as const;
    const end = planNotIssued(unissued, outcome, contextAt(5));
    expect(firstTx(end)).toMatchObject({ status: 'denied', declineCode: 'x', ticket: 'T-8', processedAt: later(5) });
    expect(end.events.map(({ status }) => status)).toEqual(['pending', 'denied']);
    expect([end.work, end.processedAt, end.capturedMinor]).toEqual([undefined, later(5), 0]);
    const known = planNotIssued(pendingPayment(), outcome, contextAt(5));
    expect(known.events.map(({ status }) => status)).toEqual(['pending', 'denied']);
    const rejected = { resultCode: '05', resultMessage: 'No' };
    expect(firstTx(ask(pendingPayment(), 5, { rejected: { ...rejected, declineCode: 'y' } }))).toMatchObject({
      declineCode: 'y',
    });
    expect(firstTx(ask(pendingPayment(), 5, { rejected }))).not.toHaveProperty('declineCode');
  });

  test('is requested again for the same transaction, and the try is counted', () => {
    const again = planIssueAgain(unissued, workOf(unissued), later(900), later(5));
    expect(again).toEqual({
      ...unissued,
      updatedAt: later(5),
      work: { ...workOf(unissued), dueAt: later(900), tries: 1, gen: 2 },
    });
  });
});
