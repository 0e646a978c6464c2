/** Reads of payments on the real MongoDB: by their ids and other keys, and by the sweeps, longest waiting first. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { kindsOf } from '../../shared/domain/payment/work.js';
import { comparedFields } from '../../shared/domain/reconcile/compare-books.js';
import { createPaymentRepository, type PaymentRepository } from '../../shared/store/payment.repository.js';
import { findByReading } from '../../shared/store/payments-by-key.js';
import { pagesMadeWithin } from '../../shared/store/payments-made-within.js';
import { approvedPayment, createdPayment, firstTx, later, paymentIn, start } from '../domain/payment/a-payment.js';
import { OF_LATER_RELEASE } from './open-store.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
let payments: PaymentRepository;
beforeAll(async () => {
  store = await openPaymentStore('reads');
});
beforeEach(async () => {
  await store.payments.deleteMany({});
  payments = createPaymentRepository(store.database, true);
});
afterAll(() => store?.close());

/** Tolerance (ms): a server may read the clock of the machine less often than the test does. */
const CLOCK_STEP_MS = 100;
const idsOf = (found: readonly { readonly _id: string }[]) => found.map(({ _id }) => _id);
const authentication = { required: true, reason: 'always', sessionId: 'session' } as NonNullable<Payment['threeDs']>;
const code = { value: 'content', url: 'https://bank.example' };

describe('one payment', () => {
  test('is found by its 3DS session, and by its code only for its client', async () => {
    await store.put(createdPayment({ _id: 'a', threeDs: authentication }), createdPayment({ _id: 'b', code }));
    expect((await payments.findByThreeDsSession('session'))?._id).toBe('a');
    expect(await payments.findByThreeDsSession('another')).toBeUndefined();
    expect((await payments.findByCode('cli_a', 'content'))?._id).toBe('b');
    expect(await payments.findByCode('cli_b', 'content')).toBeUndefined();
    expect(await payments.findByCode('cli_a', 'another')).toBeUndefined();
  });

  test('has a version, and several reads of versions in one tick each get their own', async () => {
    await store.put(createdPayment({ _id: 'a', version: 3 }), createdPayment({ _id: 'b', version: 5 }));
    const looks = ['b', 'a', 'none', 'b'].map((id) => payments.findVersion(id));
    expect(await Promise.all(looks)).toEqual([5, 3, undefined, 5]);
  });
});

test('payments are found by their ids, in the order of ids', async () => {
  await store.put(createdPayment({ _id: 'b' }), createdPayment({ _id: 'a' }), createdPayment({ _id: 'c' }));
  expect(idsOf(await payments.findByIds(['b', 'a', 'none']))).toEqual(['a', 'b']);
});

test('the oldest charges of a saved card of a client are found', async () => {
  const charge = (_id: string, ms: number, more: Partial<Payment> = {}) =>
    createdPayment({ _id, instrument: 'tok_1', createdAt: later(ms), ...more });
  await store.put(charge('b', 2), charge('a', 1), charge('of another', 0, { clientId: 'cli_b' }));
  await store.put(charge('of another card', 0, { instrument: 'tok_2' }));
  expect(idsOf(await payments.findChargesOf('cli_a', 'tok_1'))).toEqual(['a', 'b']);
  await store.put(...Array.from({ length: limits.firstChargesRead }, (_, n) => charge(`later ${n}`, 10 + n)));
  expect(await payments.findChargesOf('cli_a', 'tok_1')).toHaveLength(limits.firstChargesRead);
});

test('payments of a client are found by creation time, without the end of the range', async () => {
  const made = (_id: string, ms: number, clientId = 'cli_a') => createdPayment({ _id, createdAt: later(ms), clientId });
  await store.put(
    made('before', -1),
    made('first', 0),
    made('last', 9),
    made('after', 10),
    made('of another', 5, 'cli_b'),
  );
  const found = [];
  for await (const page of payments.pagesMadeWithin('cli_a', start, later(10))) found.push(...page);
  expect(found.map(({ _id }) => _id)).toEqual(['first', 'last']);
  expect(Object.keys(found[0] ?? {}).sort()).toEqual(['_id', 'createdAt', ...comparedFields].sort());
});

test("pages of a client's payments miss and repeat none, even when many were created in one millisecond", async () => {
  const atMs = [0, 1, 1, 1, 1, 2, 2, 3];
  const made = atMs.map((ms, n) => createdPayment({ _id: `page_${n}`, createdAt: later(ms), clientId: 'cli_pages' }));
  await store.put(...made.toReversed());
  for (const size of [1, 2, 3, 8, 9]) {
    const pages: string[][] = [];
    for await (const page of pagesMadeWithin(store.payments, 'cli_pages', start, later(10), size)) {
      pages.push(page.map(({ _id }) => _id));
    }
    expect(pages.flat()).toEqual(made.map(({ _id }) => _id));
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(size);
  }
});

test('payments are found by transaction keys: by index if their processor sends updates, else by a scan', async () => {
  const [known, other] = [createdPayment({ takesUpdates: true }), createdPayment()];
  await store.put(known, other, createdPayment());
  const keys = [known, other].map((payment) => firstTx(payment).id);
  expect(idsOf(await payments.findByTransactions(keys, 'index'))).toEqual([known._id]);
  expect(idsOf(await payments.findByTransactions(keys, 'scan')).sort()).toEqual([known._id, other._id].sort());
});

test('a scan reads payments in pages, and no statement reads more than a page', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const stored = ids.map((_id) => createdPayment({ _id }));
  await store.put(...stored);
  const keys = ['a', 'd', 'e'].map((id) => firstTx(stored[ids.indexOf(id)] as Payment).id);
  const filters: object[] = [];
  const find = (...given: Parameters<typeof store.payments.find>) => {
    filters.push(given[0] ?? {});
    return store.payments.find(...given);
  };
  const watched = { find } as unknown as typeof store.payments;
  expect(idsOf(await findByReading(watched, keys, 2))).toEqual(['a', 'd', 'e']);
  expect(filters.filter((filter) => 'transactions.id' in filter)).toMatchObject([
    { _id: { $gt: '', $lte: 'b' } },
    { _id: { $gt: 'b', $lte: 'd' } },
    { _id: { $gt: 'd' } },
  ]);
  expect(idsOf(await findByReading(store.payments, keys, 5))).toEqual(['a', 'd', 'e']);
  expect(await findByReading(store.payments, ['txn_none'], 1)).toEqual([]);
});

describe('sweeps', () => {
  test.each([
    ['findRefundChecks', (at: Date) => ({ refundCheckAt: at })],
    ['findTransferChecks', (at: Date) => ({ transferCheckAt: at })],
    ['findToTokenize', (at: Date) => ({ tokenizeAt: at })],
    ['findToAnnounce', (at: Date) => ({ announceAt: at })],
    ['findDueDeadlines', (at: Date) => ({ deadline: { kind: 'expire' as const, at } })],
  ] as const)(
    '%s finds the longest waiting first, up to the limit, without payments of a later release',
    async (find, due) => {
      const waiting = (_id: string, ms: number, more: Partial<Payment> = {}) =>
        paymentIn('authorized', { deadline: undefined, ...due(later(ms)), _id, ...more } as Partial<Payment>);
      await store.put(waiting('b', -1), waiting('a', -2), waiting('c', 0), waiting('not due', 1));
      await store.put(waiting('later release', -3, { schemaVersion: OF_LATER_RELEASE }), approvedPayment());
      expect(idsOf(await payments[find](start, 10))).toEqual(['a', 'b', 'c']);
      expect(idsOf(await payments[find](start, 2))).toEqual(['a', 'b']);
    },
  );

  test.each([
    ['findRefundChecks', 'refundCheckAt'],
    ['findTransferChecks', 'transferCheckAt'],
    ['findToAnnounce', 'announceAt'],
    ['findDueDeadlines', 'deadline'],
  ] as const)('%s finds the next page', async (find, field) => {
    const waiting = (_id: string, ms: number) => {
      const at = later(ms);
      const due = field === 'deadline' ? { deadline: { kind: 'expire' as const, at } } : { [field]: at };
      return paymentIn('authorized', { deadline: undefined, ...due, _id });
    };
    await store.put(waiting('b', -1), waiting('a', -2), waiting('c', 0));
    expect(idsOf(await payments[find](start, 2, 1))).toEqual(['b', 'c']);
  });

  const dueAt = (_id: string, ms: number, more: Partial<NonNullable<Payment['work']>> = {}): Payment => {
    const payment = createdPayment({ _id });
    return { ...payment, work: { ...(payment.work as NonNullable<Payment['work']>), dueAt: later(ms), ...more } };
  };

  test('due work is found oldest first, not in the order of storing', async () => {
    await store.put(dueAt('b', -1), dueAt('c', 0), dueAt('a', -2), dueAt('not due', 1));
    const found = await payments.findDueWork('processor', kindsOf('processor'), start, 10);
    expect(found.map(({ paymentId }) => paymentId)).toEqual(['a', 'b', 'c']);
  });

  test('the depth and oldest work of a queue count only due work of that queue', async () => {
    expect(await payments.measureQueue('processor', start)).toEqual({ depth: 0, oldest: undefined });
    await store.put(
      dueAt('b', -1),
      dueAt('a', -2),
      dueAt('not due', 1),
      dueAt('other', -9, { queue: 'qr', kind: 'issue-code' }),
    );
    expect(await payments.measureQueue('processor', start)).toEqual({ depth: 2, oldest: later(-2) });
    expect(await payments.measureQueue('qr', start)).toEqual({ depth: 1, oldest: later(-9) });
  });

  test('leases are renewed by the database clock, only of the given payments and tokens', async () => {
    const held = (_id: string, leaseToken: string) => dueAt(_id, 0, { leaseToken, leaseUntil: later(1) });
    await store.put(held('a', 'mine'), held('b', 'of another'), held('c', 'mine'));
    const beforeMs = Date.now();
    await payments.renewLeases(['a', 'b'], ['mine']);
    const afterMs = Date.now();
    const until = async (id: string) => (await store.read(id)).work?.leaseUntil as Date;
    const renewedMs = (await until('a')).getTime() - limits.leaseMs;
    expect({ early: renewedMs < beforeMs - CLOCK_STEP_MS, late: renewedMs > afterMs }).toEqual({
      early: false,
      late: false,
    });
    expect([await until('b'), await until('c')]).toEqual([later(1), later(1)]);
  });
});

test('an internal update that meets a used reference is an error that names the payment', async () => {
  const [payment, other] = [createdPayment({ _id: 'a' }), createdPayment()];
  await store.put(payment, other);
  const taking = (one: Payment): Payment => ({ ...one, refKeys: [...one.refKeys, ...other.refKeys] });
  await expect(payments.update(payment, taking)).rejects.toThrow('payment a: an own operation met a used reference');
});
