/**
 * Every filter of `GET /v1/payments/query` and every pair of them finds the right payments, and a page never reads more than its
 * windows. `npm run queries` runs them over a million payments and prints the time of each.
 */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { paymentStatuses } from '../../shared/domain/payment/statuses.js';
import type { Principal } from '../../shared/domain/principal.js';
import {
  createPaymentQueries,
  type PaymentQueries,
  type QueryBounds,
} from '../../shared/store/payment-queries.repository.js';
import type { PaymentFilter, PaymentPosition } from '../../shared/store/payment-query-conditions.js';
import { createdPayment } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

const STORED = 400;
const CLIENT = 'cli_queries';
const DAY = Date.UTC(2026, 0, 5);
/** Number of payments in a window: fewer than share a millisecond. */
const WINDOW = 100;
const PAGE = 21;
/** Every `RARE`-th payment has a rare metadata key: more payments than a window. */
const RARE = Math.ceil(STORED / 150);
/** One window a page. The time limits are long, so that a query on a busy machine does not count as slow. */
const oneWindow: QueryBounds = { window: WINDOW, pageMs: 0, statementMs: 120_000, queryMs: 240_000 };

const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T;

/** Builds the n-th payment, with common and rare values of every filtered field. Some payments, more than a window, share a millisecond. */
function aPayment(n: number): Payment {
  const status = n % 201 === 0 ? 'created' : n % 31 === 0 ? pick(paymentStatuses, Math.floor(n / 31)) : 'approved';
  const { work, ...payment } = createdPayment({
    clientId: CLIENT,
    merchantId: n % 300 === 3 ? 8 : 7,
    status,
    createdAt: new Date(DAY + (n % 350 < 120 ? Math.floor(n / 350) * 350 : n)),
    amount: { totalMinor: n % 1_999 === 5 ? 9_999_999 : 100 + (n % 50), currency: n % 1_700 === 9 ? 'JPY' : 'USD' },
  });
  const metadata = [{ k: 'channel', v: 'web' }, ...(n % RARE === 1 ? [{ k: 'order', v: 'o1' }] : [])];
  return {
    ...payment,
    paymentMethod: { ...payment.paymentMethod, id: n % 1_300 === 2 ? 'mastercard' : 'visa' },
    metadata,
    ...(status === 'created' && work && { work: { ...work, dueAt: new Date(Date.now() + 3_600_000) } }),
  } as Payment;
}

const usd = { only: ['USD'] } as const;
/** Filters by name: for rare values, for common values, and for values that no payment has. */
const filters: Readonly<Record<string, PaymentFilter>> = {
  'merchantId common': { merchantId: 7 },
  'merchantId rare': { merchantId: 8 },
  'status approved': { status: 'approved' },
  'status created': { status: 'created' },
  'status denied': { status: 'denied' },
  'currency common': { currency: 'USD' },
  'currency rare': { currency: 'JPY' },
  'currency none': { currency: 'EUR' },
  'paymentMethodId common': { paymentMethodId: 'visa' },
  'paymentMethodId rare': { paymentMethodId: 'mastercard' },
  'minAmount rare': { amounts: [{ currencies: usd, minMinor: 9_000_000 }] },
  'minAmount, maxAmount': { amounts: [{ currencies: usd, minMinor: 100, maxMinor: 120 }] },
  'maxAmount none': { amounts: [{ currencies: usd, maxMinor: 5 }] },
  minDate: { minDate: new Date(DAY + STORED / 3) },
  maxDate: { maxDate: new Date(DAY + STORED / 2) },
  'metadataKey common': { metadataKey: 'channel' },
  'metadataKey rare': { metadataKey: 'order' },
  'metadata common': { metadataKey: 'channel', metadataValue: 'web' },
  'metadata rare': { metadataKey: 'order', metadataValue: 'o1' },
  'metadata none': { metadataKey: 'channel', metadataValue: 'none' },
};

/** Returns each filter alone, and each pair of filters for different fields. */
function filterCombinations(): [string, PaymentFilter][] {
  const names = Object.keys(filters);
  return names.flatMap((name, at) => {
    const one = filters[name] as PaymentFilter;
    const pairs = names.slice(at + 1).flatMap((other): [string, PaymentFilter][] => {
      const two = filters[other] as PaymentFilter;
      return Object.keys(two).some((key) => key in one) ? [] : [[`${name} + ${other}`, { ...one, ...two }]];
    });
    return [[name, one], ...pairs];
  });
}

const principal: Principal = { clientId: CLIENT, keyId: 'key_1', merchants: 'all' } as Principal;
let store: PaymentStore;
let stored: Payment[];

beforeAll(async () => {
  store = await openPaymentStore('queries');
  stored = Array.from({ length: STORED }, (_, index) => aPayment(index));
  await store.put(...stored);
});
afterAll(() => store?.close());

const matchesFilter = (filter: PaymentFilter, payment: Payment) => {
  const { createdAt, amount, metadata = [] } = payment;
  const { metadataKey: key, metadataValue: value } = filter;
  return (
    (filter.merchantId ?? payment.merchantId) === payment.merchantId &&
    (filter.status ?? payment.status) === payment.status &&
    (filter.currency ?? amount.currency) === amount.currency &&
    (filter.paymentMethodId ?? payment.paymentMethod.id) === payment.paymentMethod.id &&
    (filter.amounts ?? [{ currencies: usd }]).some(
      ({ minMinor = 0, maxMinor = Number.MAX_SAFE_INTEGER }: { minMinor?: number; maxMinor?: number }) =>
        (!filter.amounts || amount.currency === 'USD') &&
        amount.totalMinor >= minMinor &&
        amount.totalMinor <= maxMinor,
    ) &&
    createdAt >= (filter.minDate ?? createdAt) &&
    createdAt <= (filter.maxDate ?? createdAt) &&
    (key === undefined || metadata.some(({ k, v }) => k === key && (value ?? v) === v))
  );
};

async function walk(queries: PaymentQueries, filter: PaymentFilter, limit: number, as = principal): Promise<string[]> {
  const ids: string[] = [];
  let after: PaymentPosition | undefined;
  do {
    const { payments, stoppedAt }: Awaited<ReturnType<PaymentQueries['find']>> = await queries.find(
      as,
      filter,
      after,
      limit,
    );
    ids.push(...payments.map(({ _id }) => _id));
    const last = payments.at(-1);
    // After a full page the next one begins behind its last payment. A page that ended early returns where it stopped.
    after = last && payments.length === limit ? { createdAt: last.createdAt, id: last._id } : stoppedAt;
  } while (after);
  return ids;
}

const newestFirst = (a: Payment, b: Payment) =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1);

describe('a query finds the right payments', () => {
  const check = async (queries: PaymentQueries) => {
    const sorted = [...stored].sort(newestFirst);
    const checkOne = async ([name, filter]: [string, PaymentFilter]) => {
      const expected = sorted.filter((payment) => matchesFilter(filter, payment)).map(({ _id }) => _id);
      expect([name, await walk(queries, filter, 500)]).toEqual([name, expected]);
    };
    await Promise.all(filterCombinations().map(checkOne));
  };

  test.each([
    ['one window a page', 0],
    ['windows until the page is full', Number.POSITIVE_INFINITY],
  ])('with %s', (_name, pageMs) => check(createPaymentQueries(store.database, { ...oneWindow, pageMs })));

  test('for a key of one merchant, and its cursors name only payments of that merchant', async () => {
    const queries = createPaymentQueries(store.database, oneWindow);
    const filter: PaymentFilter = { currency: 'USD' };
    const expected = stored.filter((one) => one.merchantId === 8 && matchesFilter(filter, one)).sort(newestFirst);
    const found = await walk(queries, filter, 500, { ...principal, merchants: [8] });
    expect(found).toEqual(expected.map(({ _id }) => _id));
    const own = new Set(stored.filter(({ merchantId }) => merchantId === 7).map(({ _id }) => _id));
    const ends: (string | undefined)[] = [];
    for (const [, filter] of filterCombinations()) {
      const { stoppedAt } = await queries.find({ ...principal, merchants: [7] }, filter, undefined, PAGE);
      if (stoppedAt) ends.push(stoppedAt.id);
    }
    // A client can decode the cursor that it gets.
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.filter((id) => !own.has(id ?? ''))).toEqual([]);
  });

  test.each([
    ['two merchants', [7, 8]],
    ['more merchants than one statement takes', [...Array(250).keys()]],
    ['no merchant', []],
  ])('for a key of %s', async (_name, merchants) => {
    const queries = createPaymentQueries(store.database, oneWindow);
    const sorted = stored.filter(({ merchantId }) => merchants.includes(merchantId)).sort(newestFirst);
    for (const [name, filter] of Object.entries(filters)) {
      const expected = sorted.filter((payment) => matchesFilter(filter, payment)).map(({ _id }) => _id);
      expect([name, await walk(queries, filter, 500, { ...principal, merchants })]).toEqual([name, expected]);
    }
  });
});

interface Worked {
  readonly docsExamined: number;
  readonly keysExamined: number;
  readonly planSummary: string;
  readonly hasSortStage?: boolean;
}

/** Returns the statements that MongoDB ran for each question. */
async function statementsByFilter(as: Principal, asked: [string, PaymentFilter][]): Promise<Map<string, Worked[]>> {
  const { db } = store.database.connection;
  if (!db) throw new Error('there is no database');
  const queries = createPaymentQueries(store.database, oneWindow);
  const profile = db.collection('system.profile');
  const worked = new Map<string, Worked[]>();
  try {
    for (const [name, filter] of asked) {
      await profile.drop();
      await db.command({ profile: 2 });
      await queries.find(as, filter, { createdAt: new Date(DAY + STORED - 100), id: 'pay_' }, PAGE);
      await db.command({ profile: 0 });
      const ns = store.payments.namespace;
      worked.set(name, (await profile.find({ ns, keysExamined: { $exists: true } }).toArray()) as never);
    }
  } finally {
    await db.command({ profile: 0 });
    await profile.drop();
  }
  return worked;
}

/** Bound of index keys of a statement in which MongoDB merges many merchants: one key of each merchant, twice. */
const KEYS_OF_A_PART = 2 * limits.paymentQueryMerchants;

test.each<[string, Principal, number]>([
  ['all merchants', principal, 1],
  ['two merchants', { ...principal, merchants: [7, 8] }, 1],
  ['250 merchants', { ...principal, merchants: [...Array(250).keys()] }, 3],
])('a page examines no more than a window for a key of %s', async (_name, as, parts) => {
  // For a key of some merchants every pair uses the same index, that of its merchants: single filters are enough.
  const asked = as === principal ? filterCombinations() : Object.entries(filters);
  const worked = [...(await statementsByFilter(as, asked))].map(([name, statements]) => ({
    name,
    statements: statements.length,
    documents: statements.reduce((sum, { docsExamined }) => sum + docsExamined, 0),
    keys: statements.reduce((sum, { keysExamined }) => sum + keysExamined, 0),
    unbounded: statements.filter(({ planSummary }) => planSummary === 'COLLSCAN').length,
  }));
  expect(worked.filter(({ statements }) => statements === 0)).toEqual([]);
  expect(worked.filter(({ unbounded }) => unbounded > 0)).toEqual([]);
  // Two more are at the edges. With metadata, the end of a window is found only by reading its payments, so they are examined twice.
  // The keys also include the ends of the windows and the probes for rare values.
  const most = (name: string) => (name.includes('metadata ') ? 2 : 1) * WINDOW + 2;
  expect(worked.filter(({ name, documents }) => documents > most(name))).toEqual([]);
  expect(worked.filter(({ keys }) => keys > 4 * WINDOW + KEYS_OF_A_PART * parts)).toEqual([]);
});
