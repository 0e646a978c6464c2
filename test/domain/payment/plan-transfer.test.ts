/** Effects of the bank's answers on a payment by code, in every order in which they may arrive. */

import fc from 'fast-check';
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { PlanContext } from '../../../shared/domain/payment/plan-context.js';
import { planOperation } from '../../../shared/domain/payment/plan-operation.js';
import {
  isPresentable,
  planAsked,
  planChecked,
  planIssued,
  planNotAnswered,
  planNotIssued,
  type Transfer,
} from '../../../shared/domain/payment/plan-transfer.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import { schedule, settleContext } from './a-payment.js';

const START = Date.parse('2026-11-21T12:00:00Z');
const LIFE_MS = 15 * 60_000;
const SETTLES_MS = 2_000;
const GRACE_MS = 60_000;
const at = (ms: number) => new Date(START + ms);

let ids = 0;
const contextAt = (ms: number): PlanContext => ({
  now: at(ms),
  renderCallback: (payment) => payment.status,
  newTxId: () => {
    ids += 1;
    return `txn_surplus_${ids}`;
  },
  schedule: {
    ...schedule,
    codeExpiryMs: LIFE_MS,
    transferSettlesMs: SETTLES_MS,
    transferGraceMs: GRACE_MS,
    askTransfer: [
      { untilMs: 30_000, everyMs: 2_000 },
      { untilMs: LIFE_MS, everyMs: 15_000 },
    ],
    transferCheckAfterMs: [15_000, 60_000, 3_600_000],
  },
});

const created: Payment = {
  _id: 'pay_1',
  clientId: 'cli_1',
  merchantId: 1001,
  traceId: 't',
  purpose: 'payment',
  refKeys: ['payment:r'],
  requestDigest: 'd',
  status: 'created',
  version: 1,
  writes: [],
  createdAt: at(0),
  updatedAt: at(0),
  referenceId: 'r',
  invoiceNumber: 'i',
  flow: 'pos',
  processingMethod: 'api',
  amount: { totalMinor: 1_000, currency: 'USD' },
  captureMethod: 'automatic',
  paymentMethod: { id: 'instant-transfer', name: 'Instant transfer', type: 'bank-transfer', source: 'bank-transfer' },
  processor: 'sandbox',
  acquirer: 'sandbox',
  callbackUrl: 'https://shop.example/',
  authorizedMinor: 0,
  capturedMinor: 0,
  refundedMinor: 0,
  heldMinor: 0,
  transactions: [
    { id: 'txn_1', kind: 'purchase', referenceId: 'r', amountMinor: 1_000, status: 'created', createdAt: at(0) },
  ],
  work: newWork('issue-code', 'txn_1', at(0)),
  authorizeBy: at(LIFE_MS),
  awaitedUntil: at(16_000),
  events: [],
  eventSeq: 0,
  fannedOutSeq: 0,
};

const code = { value: '0002', url: 'https://bank.example/1', base64Image: 'AAAA' };
const workOf = (payment: Payment) => {
  if (!payment.work) throw new Error('there is no work');
  return payment.work;
};
const pending = () => planIssued(created, workOf(created), { code }, contextAt(100));
const transfer = (ms: number, more: Partial<Transfer> = {}): Transfer => ({
  id: `t${ms}`,
  paidAt: at(ms),
  amountMinor: 1_000,
  currency: 'USD',
  returned: false,
  ...more,
});
const asked = (payment: Payment, transfers: readonly Transfer[], ms: number) =>
  planAsked(payment, workOf(payment), { transfers, askedAt: at(ms) }, contextAt(ms));
const shape = (payment: Payment) =>
  [payment.status, ...payment.transactions.map((tx) => tx.reason ?? tx.status)].join(' ');

test('an issued code is pending for 15 minutes, with the next question and the later checks planned', () => {
  const payment = pending();
  expect(payment).toMatchObject({
    status: 'pending',
    code,
    expiresAt: at(LIFE_MS),
    work: { kind: 'await-transfer', queue: 'qr' },
  });
  expect(payment.work?.dueAt).toEqual(at(2_100));
  expect(payment.transferChecks).toEqual([15_000, 60_000, 3_600_000].map((ms) => at(LIFE_MS + ms)));
  expect(isPresentable(payment, at(LIFE_MS - 1))).toBe(true);
  expect(isPresentable(payment, at(LIFE_MS))).toBe(false);
});

test('a code issued after the caller was answered pending is announced', () => {
  const late = planIssued({ ...created, status: 'pending' }, workOf(created), { code }, contextAt(20_000));
  expect(late.events).toMatchObject([{ seq: 1, status: 'pending', notBefore: at(20_000), body: 'pending' }]);
  expect(late.announceAt).toEqual(at(20_000));
});

test('the bank is asked often at first, less often later, and always at the end', () => {
  const payment = pending();
  const next = (ms: number) => asked(payment, [], ms).work?.dueAt.getTime();
  expect([next(20_000), next(100_000), next(LIFE_MS - 1_000)]).toEqual([
    START + 22_000,
    START + 115_000,
    START + LIFE_MS + SETTLES_MS,
  ]);
});

test('a transfer in time counts even if it is known only after the end; the picture is removed', () => {
  const payment = asked(pending(), [transfer(LIFE_MS)], LIFE_MS + 30_000);
  expect(shape(payment)).toBe('approved approved');
  expect(payment).toMatchObject({ capturedMinor: 1_000, work: undefined, code: { value: '0002' } });
  expect(payment.code?.base64Image).toBeUndefined();
  expect(payment.events.at(-1)).toMatchObject({ status: 'approved', notBefore: at(LIFE_MS + 30_000) });
});

test('expiry is decided only after the bank’s books have settled', () => {
  expect(shape(asked(pending(), [], LIFE_MS + SETTLES_MS - 1))).toBe('pending pending');
  expect(shape(asked(pending(), [], LIFE_MS + SETTLES_MS))).toBe('expired expired');
  expect(shape(asked(pending(), [transfer(LIFE_MS + 1)], LIFE_MS + SETTLES_MS))).toBe(
    'expired expired paid-after-expiry',
  );
});

test('an answer to a question before the end does not expire the payment: the bank is asked again at once', () => {
  const update = { transfers: [], askedAt: at(LIFE_MS + SETTLES_MS - 1) };
  const payment = planAsked(pending(), workOf(pending()), update, contextAt(LIFE_MS + 20_000));
  expect(shape(payment)).toBe('pending pending');
  expect(payment.work?.dueAt).toEqual(at(LIFE_MS + 20_000));
});

test('another amount, another currency or a returned transfer does not pay the code', () => {
  for (const more of [{ amountMinor: 999 }, { currency: 'UYU' }]) {
    expect(shape(asked(pending(), [transfer(1_000, more)], LIFE_MS + SETTLES_MS))).toBe(
      'expired expired paid-another-amount',
    );
  }
  expect(shape(asked(pending(), [transfer(1_000, { returned: true })], LIFE_MS + SETTLES_MS))).toBe('expired expired');
});

test('a rejected payment is denied, unless the money arrived', () => {
  const rejected = { resultCode: '05', resultMessage: 'No' };
  const plan = (transfers: Transfer[]) =>
    planAsked(pending(), workOf(pending()), { transfers, rejected, askedAt: at(5_000) }, contextAt(5_000));
  expect(shape(plan([]))).toBe('denied denied');
  expect(plan([]).transactions[0]).toMatchObject({ errorCode: 'declined-by-acquirer', resultCode: '05' });
  expect(shape(plan([transfer(4_000)]))).toBe('approved approved');
});

test('a bank that does not answer is asked until the grace is over, then the payment expires with an alert', () => {
  const none = (ms: number) => planNotAnswered(pending(), workOf(pending()), contextAt(ms));
  expect(shape(none(LIFE_MS + GRACE_MS - 1))).toBe('pending pending');
  expect(shape(none(LIFE_MS + GRACE_MS))).toBe('expired expired');
  expect(none(LIFE_MS + GRACE_MS).alerts).toHaveLength(1);
});

test('an expired payment has the reason in its transaction or alert', () => {
  const over = asked(pending(), [], LIFE_MS + SETTLES_MS);
  expect(over.transactions[0]).toMatchObject({ resultCode: '68', resultMessage: 'Not paid in time' });
  const silent = planNotAnswered(pending(), workOf(pending()), contextAt(LIFE_MS + GRACE_MS));
  expect(silent.alerts).toMatchObject([
    { text: expect.stringMatching(/^the bank did not answer when the code expired/) },
  ]);
  expect(silent.transactions).toHaveLength(1);
});

test('a transfer changes only its own transaction', () => {
  const refundFirst = { id: 'txn_other', kind: 'refund', referenceId: 'o', amountMinor: 5, status: 'failed' } as const;
  const payment = { ...pending(), transactions: [...pending().transactions, { ...refundFirst, createdAt: at(0) }] };
  const paid = asked(payment, [transfer(1_000)], 2_000);
  expect(paid.transactions.map(({ id, status }) => [id, status])).toEqual([
    ['txn_1', 'approved'],
    ['txn_other', 'failed'],
  ]);
});

test('tries without an answer are counted, and an answer resets them', () => {
  const payment = pending();
  const silent = planNotAnswered(payment, workOf(payment), contextAt(5_000));
  expect(silent.work).toMatchObject({ tries: 1, dueAt: at(7_000), kind: 'await-transfer' });
  expect(planNotAnswered(silent, workOf(silent), contextAt(9_000)).work?.tries).toBe(2);
  expect(asked(silent, [], 9_000).work?.tries).toBe(0);
});

test('a payment without planned checks has none due', () => {
  const { transferChecks: _none, ...payment } = asked(pending(), [], LIFE_MS + SETTLES_MS);
  expect(planChecked(payment, undefined, contextAt(LIFE_MS * 9))).toBeUndefined();
});

test('a check without an answer is repeated after the last but one wait', () => {
  const expired = asked(pending(), [], LIFE_MS + SETTLES_MS);
  const context = contextAt(LIFE_MS + 4_000_000);
  expect(planChecked(expired, undefined, context)?.transferChecks).toEqual([at(LIFE_MS + 4_060_000)]);
});

test('a payment without a code is denied or failed', () => {
  const refuse = (kind: 'declined' | 'failed') =>
    planNotIssued(created, { kind, resultCode: '57', resultMessage: 'No' }, contextAt(100));
  expect([shape(refuse('declined')), shape(refuse('failed'))]).toEqual(['denied denied', 'failed failed']);
  expect(refuse('failed').transactions[0]?.errorCode).toBe('acquirer-offline');
});

test('a last check without an answer is repeated, with an answer it is the last', () => {
  const expired = asked(pending(), [], LIFE_MS + SETTLES_MS);
  const last = { ...expired, transferChecks: [at(LIFE_MS + 15_000)], transferCheckAt: at(LIFE_MS + 15_000) };
  const context = contextAt(LIFE_MS + 15_000);
  expect(planChecked(last, undefined, context)?.transferChecks).toHaveLength(1);
  expect(planChecked(last, { transfers: [], askedAt: context.now }, context)).toMatchObject({
    transferCheckAt: undefined,
  });
  expect(planChecked(last, { transfers: [], askedAt: at(LIFE_MS) }, contextAt(LIFE_MS))).toBeUndefined();
});

/** Tries any transfers in the bank's books and any times of questions: the same properties are always true. */
test('property: in any order of transfers and questions, there is one end and each transfer is recorded once', () => {
  const moment = fc.integer({ min: 0, max: LIFE_MS + 120_000 });
  const payer = fc.array(moment, { maxLength: 4 });
  const questions = fc.array(moment, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(payer, questions, fc.integer({ min: 0, max: 8 }), (pays, asks, silent) => {
      const transfers = [...pays].sort((a, b) => a - b).map((ms, index) => transfer(ms, { id: `t${index}` }));
      const known = (ms: number) => transfers.filter(({ paidAt }) => paidAt <= at(ms));
      const events: string[] = [];
      let payment = pending();
      const times = [...asks, LIFE_MS + 130_000, LIFE_MS + 4_000_000].sort((a, b) => a - b);
      for (const [index, ms] of times.entries()) {
        const update =
          index === silent && index < times.length - 2 ? undefined : { transfers: known(ms), askedAt: at(ms) };
        const before = payment;
        if (payment.work) {
          payment = update
            ? planAsked(payment, payment.work, update, contextAt(ms))
            : planNotAnswered(payment, payment.work, contextAt(ms));
        } else {
          payment = planChecked(payment, update, contextAt(ms)) ?? payment;
        }
        if (payment.status !== before.status) events.push(payment.status);
      }
      expect(events).toHaveLength(1);
      const inTime = transfers.some(({ paidAt }) => paidAt <= at(LIFE_MS));
      // A bank that does not answer at the end may cost a sale, but never money.
      expect(['approved', 'expired']).toContain(payment.status);
      if (payment.status === 'approved') expect(inTime).toBe(true);
      expect(payment.capturedMinor).toBe(payment.status === 'approved' ? 1_000 : 0);
      const recorded = payment.transactions.filter(({ status }) => status === 'approved').map(({ ticket }) => ticket);
      expect(recorded.sort()).toEqual(transfers.map(({ id }) => id).sort());
    }),
    { numRuns: 500 },
  );
});

const cancel = (payment: Payment, ms: number) => {
  const request = { referenceId: 'c', requestDigest: 'd' };
  return planOperation(payment, 'cancellation', request, {
    now: at(ms),
    txId: 'txn_c',
    awaitedUntil: at(ms),
    bounds: limits,
  });
};
const cancelled = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' } as const;
const refused = { kind: 'declined', resultCode: '12', resultMessage: 'No' } as const;

test('a cancellation ends a pending payment or returns an approved one; if refused, the payment waits as before', () => {
  const plan = cancel(pending(), 5_000);
  if (plan.kind !== 'planned') throw new Error(plan.kind);
  expect(plan.payment).toMatchObject({ work: { queue: 'processor', kind: 'cancel' }, heldMinor: 0 });
  expect(plan.payment.transactions.at(-1)).toMatchObject({ amountMinor: 1_000 });
  const over = settle(plan.payment, 'txn_c', cancelled, settleContext(at(6_000)));
  expect(shape(over)).toBe('cancelled failed approved');
  // A transfer of another amount may have arrived, and not every bank returns it.
  const [soonMs = 0] = settleContext(at(6_000)).schedule.transferCheckAfterMs;
  expect(over.transferCheckAt).toEqual(at(6_000 + soonMs));
  const waiting = settle(plan.payment, 'txn_c', refused, settleContext(at(6_000)));
  expect([shape(waiting), waiting.work?.kind]).toEqual(['pending pending denied', 'await-transfer']);
  expect(shape(asked(waiting, [transfer(5_500)], 7_000))).toBe('approved approved denied');
  const paid = asked(pending(), [transfer(1_000)], 2_000);
  const back = cancel(paid, 5_000);
  if (back.kind !== 'planned') throw new Error(back.kind);
  expect(settle(back.payment, 'txn_c', cancelled, settleContext(at(6_000)))).toMatchObject({
    status: 'cancelled',
    capturedMinor: 1_000,
    refundedMinor: 1_000,
  });
  const expired = asked(pending(), [], LIFE_MS + SETTLES_MS);
  expect(cancel(expired, LIFE_MS + 5_000)).toMatchObject({ kind: 'wrong-state' });
});
