import fc from 'fast-check';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { lateApprovalReversed, planLateApproval } from '../../shared/domain/payment/plan-reversal.js';
import { settle } from '../../shared/domain/payment/settle.js';
import { type BookEntry, beginComparison, effectsOf } from '../../shared/domain/reconcile/compare-books.js';
import {
  approved,
  approvedPayment,
  authorizedPayment,
  createdPayment,
  declined,
  failed,
  firstTx,
  later,
  settleContext,
  start,
} from './payment/a-payment.js';

const PROCESSOR = 'fake';
const window = { from: later(-1_000), until: later(60_000) };

/** Builds the book entry of the payment's first transaction, as a processor lists it. */
const lineOf = (payment: Payment, more: Partial<BookEntry> = {}): BookEntry => {
  const { id: key, kind, amountMinor } = firstTx(payment);
  const line = { kind, key, original: null, amountMinor, currency: 'USD', result: 'approved' };
  return { at: start.toISOString(), ...line, ...more };
};

/** Compares entries with payments, which are added one at a time. */
const compare = (entries: readonly BookEntry[], payments: readonly Payment[], more: object = {}) => {
  const comparison = beginComparison({ processor: PROCESSOR, entries, ...window, ...more });
  for (const payment of payments) comparison.add([payment]);
  return comparison.findings();
};
const kinds = (...given: Parameters<typeof compare>) => compare(...given).map(({ kind }) => kind);

const paid = approvedPayment();
const held = authorizedPayment();
const open = createdPayment();
const refused = settle(open, firstTx(open).id, declined, settleContext());
const offline = settle(open, firstTx(open).id, failed, settleContext());
const openId = firstTx(open).id;
const partly = settle(open, openId, { ...approved, approvedMinor: 700 }, settleContext());
const takenBack = lateApprovalReversed(planLateApproval(offline, openId, start), openId, start);
const reversal: Partial<BookEntry> = { kind: 'reversal', key: 'txn_r-reverse', result: 'reversed' };

test.each([
  ['the same on both sides', [lineOf(paid)], [paid], []],
  ['a hold', [lineOf(held)], [held], []],
  ['a payment that the gateway does not know', [lineOf(paid)], [], ['unknown-payment']],
  ['a decline that the gateway does not know', [lineOf(paid, { result: 'declined' })], [], []],
  [
    'a refund that the payment does not have',
    [lineOf(paid), lineOf(paid, { key: 'txn_other', kind: 'refund', original: firstTx(paid).id })],
    [paid],
    ['unknown-operation'],
  ],
  ['approved there, open here', [lineOf(open)], [open], ['not-settled']],
  ['approved there, declined here', [lineOf(open)], [refused], ['contradicted']],
  ['approved there, failed here', [lineOf(open)], [offline], ['contradicted']],
  ['being taken back', [lineOf(open)], [planLateApproval(offline, firstTx(open).id, start)], []],
  [
    'taken back on both sides: the books list a reversal by what it reversed',
    [lineOf(open), lineOf(open, { ...reversal, original: openId })],
    [takenBack],
    [],
  ],
  ['a partial approval', [lineOf(partly, { amountMinor: 700 })], [partly], []],
  ['a partial approval of another part', [lineOf(partly)], [partly], ['amount-differs']],
  ['a verification that the gateway does not know', [lineOf(held, { kind: 'verification' })], [], ['unknown-payment']],
  ['approved here, not listed', [], [paid], ['missing']],
  ['approved here, declined there', [lineOf(paid, { result: 'declined' })], [paid], ['missing']],
  ['approved here, failed there later', [lineOf(paid), lineOf(paid, { result: 'failed' })], [paid], ['missing']],
  [
    'approved here, reversed there',
    [lineOf(paid), lineOf(paid, { ...reversal, original: firstTx(paid).id })],
    [paid],
    ['missing'],
  ],
  ['open here, not listed', [], [open], []],
  ['another amount', [lineOf(paid, { amountMinor: 2_000 })], [paid], ['amount-differs']],
  ['another currency', [lineOf(paid, { currency: 'EUR' })], [paid], ['amount-differs']],
  ['one key twice', [lineOf(paid), lineOf(paid)], [paid], ['doubled']],
  [
    'one key twice, one of them reversed',
    [lineOf(paid), lineOf(paid), lineOf(paid, { ...reversal, original: firstTx(paid).id })],
    [paid],
    [],
  ],
  ['what is not one of our keys', [lineOf(paid, { key: 'order-17' })], [], []],
  ['a transfer of a bank', [lineOf(paid, { kind: 'transfer' })], [], []],
  ['before the time', [lineOf(paid, { at: later(-2_000).toISOString() })], [], []],
  ['at its end', [lineOf(paid, { at: window.until.toISOString() })], [], []],
  ['of another processor', [], [{ ...paid, processor: 'other' }], []],
] as const)('findings of a comparison: %s', (_name, entries, payments, expected) => {
  expect(kinds(entries, payments as readonly Payment[])).toEqual(expected);
});

test('a finding names payment, key, and both amounts with their currencies', () => {
  const [finding] = compare([lineOf(paid, { amountMinor: 900, currency: 'JPY' })], [paid]);
  expect(finding).toMatchObject({
    ...{ paymentId: paid._id, key: firstTx(paid).id },
    ...{ amountMinor: 900, currency: 'JPY', heldMinor: 1050, heldCurrency: 'USD' },
  });
});

test('a payment created in the window but settled after it is compared in the next window', () => {
  const { transactions } = paid;
  const settledLate = { ...paid, transactions: transactions.map((tx) => ({ ...tx, processedAt: window.until })) };
  expect(kinds([], [settledLate])).toEqual([]);
  expect(kinds([], [settledLate], { from: window.until, until: later(120_000) })).toEqual(['missing']);
});

const payments = fc
  .array(fc.constantFrom<() => Payment>(approvedPayment, authorizedPayment), { minLength: 1, maxLength: 12 })
  .map((makers) => makers.map((make) => make()));

test('property: equal books have no finding, in any order and with any entries of others', () => {
  fc.assert(
    fc.property(payments, fc.nat(5), (made, others) => {
      const foreign = Array.from({ length: others }, (_, at) => lineOf(paid, { key: `other-${at}` }));
      const lines = [...foreign, ...made.map((payment) => lineOf(payment)).reverse()];
      expect(compare(lines, made)).toEqual([]);
    }),
  );
});

test('property: each lost entry and each lost payment is exactly one finding', () => {
  fc.assert(
    fc.property(payments, fc.infiniteStream(fc.constantFrom('line', 'payment', 'none')), (made, stream) => {
      const lost = made.map(() => stream.next().value as string);
      const lines = made.filter((_, at) => lost[at] !== 'line').map((payment) => lineOf(payment));
      const kept = made.filter((_, at) => lost[at] !== 'payment');
      const found = compare(lines, kept);
      const keyed = (what: string) => made.filter((_, at) => lost[at] === what).map((one) => firstTx(one).id);
      expect(found.filter(({ kind }) => kind === 'missing').map(({ key }) => key)).toEqual(keyed('line'));
      expect(found.filter(({ kind }) => kind === 'unknown-payment').map(({ key }) => key)).toEqual(keyed('payment'));
      expect(found).toHaveLength(lost.filter((what) => what !== 'none').length);
    }),
  );
});

test('property: adjoining windows together find the same as one window, and nothing twice', () => {
  const at = fc.integer({ min: -1_000, max: 59_999 });
  fc.assert(
    fc.property(fc.array(at, { maxLength: 12 }), at, (times, cut) => {
      const lines = times.map((ms, index) => lineOf(paid, { key: `txn_${index}`, at: later(ms).toISOString() }));
      const halves = [...compare(lines, [], { until: later(cut) }), ...compare(lines, [], { from: later(cut) })];
      const keys = (found: ReturnType<typeof compare>) => found.map(({ key }) => key).sort();
      expect(keys(halves)).toEqual(keys(compare(lines, [])));
    }),
  );
});

test('effects: a pending refund counts only after its approval', () => {
  const refund = lineOf(paid, { kind: 'refund', key: 'txn_refund', original: firstTx(paid).id });
  expect(effectsOf([{ ...refund, result: 'pending' }]).size).toBe(0);
  expect(effectsOf([{ ...refund, result: 'pending' }, refund]).get('txn_refund')?.count).toBe(1);
});

test('effects: an approval ends with a failure, not when its key is declined later', () => {
  const after = (result: string) => effectsOf([lineOf(paid), lineOf(paid, { result })]).size;
  expect([after('failed'), after('declined'), after('pending')]).toEqual([0, 1, 1]);
});

test('effects: a reversal that failed or has no original ends no effect', () => {
  const original = firstTx(paid).id;
  const left = (more: Partial<BookEntry>) => effectsOf([lineOf(paid), lineOf(paid, { ...reversal, ...more })]).size;
  expect(left({ original })).toBe(0);
  expect(left({ original, result: 'failed' })).toBe(1);
  expect(left({ original: null })).toBe(1);
});

test('a finding of an unknown operation names the payment that it acts on, if that is known', () => {
  const refund = lineOf(paid, { key: 'txn_other', kind: 'refund', original: firstTx(paid).id });
  const [known] = compare([lineOf(paid), refund], [paid]);
  expect(known).toMatchObject({ kind: 'unknown-operation', key: 'txn_other', paymentId: paid._id });
  const [unknown] = compare([{ ...refund, original: 'txn_unknown' }], []);
  expect(unknown).toMatchObject({ kind: 'unknown-operation' });
  expect(unknown).not.toHaveProperty('paymentId');
});

test('a bank transfer is not missing in the books of a card processor', () => {
  const transfer = { ...paid, paymentMethod: { ...paid.paymentMethod, type: 'bank-transfer' } } as Payment;
  expect(kinds([], [transfer])).toEqual([]);
});
