/**
 * Every filter of `GET /v1/payments/query` and every pair of them: the right payments, and never more work in one statement
 * than a window. `npm run queries` does it over a million payments and prints what each took.
 */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { paymentStatuses } from '../../shared/domain/payment/statuses.js';
import type { Principal } from '../../shared/domain/principal.js';
import {
  createPaymentQueries,
  type PaymentFilter,
  type PaymentPosition,
  type PaymentQueries,
} from '../../shared/store/payment-queries.repository.js';
import { createdPayment } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

const STORED = Number(process.env.PAYMENTS_STORED ?? 1_200);
const isLarge = STORED >= 100_000;
const CLIENT = 'cli_queries';
const DAY = Date.UTC(2026, 0, 5);
const WINDOW = 50;
const PAGE = 21;
/** Some more than two windows have a rare key in their metadata. */
const RARE = Math.ceil(STORED / 130);
/** Longest that a page may take in the large form (docs/performance.md). */
const PAGE_MS = 200;

const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T;

/** The n-th payment: common and rare values of everything that is filtered by; now and then a hundred share a millisecond. */
function aPayment(n: number): Payment {
  const status = n % 401 === 0 ? 'created' : n % 97 === 0 ? pick(paymentStatuses, Math.floor(n / 97)) : 'approved';
  const { work, ...payment } = createdPayment({
    clientId: CLIENT,
    merchantId: n % 1_500 === 3 ? 8 : 7,
    status,
    createdAt: new Date(DAY + (n % 700 < 100 ? Math.floor(n / 700) * 700 : n)),
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
/** Filters by name: what is rare, what is common, what there is none of. */
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

/** Each alone, and each pair that does not ask for the same twice. */
function questions(): [string, PaymentFilter][] {
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
  stored = [];
  const BATCH = 5_000;
  for (let from = 0; from < STORED; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, STORED - from) }, (_, index) => aPayment(from + index));
    await store.put(...batch);
    if (!isLarge) stored.push(...batch);
    if (isLarge && from % 50_000 === 0) process.stderr.write(`${from} of ${STORED} payments stored\n`);
  }
});
afterAll(() => store?.close());

const fits = (filter: PaymentFilter, payment: Payment) => {
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
    // A full page goes on behind its last payment; one that ended early says where.
    after = last && payments.length === limit ? { createdAt: last.createdAt, id: last._id } : stoppedAt;
  } while (after);
  return ids;
}

const newestFirst = (a: Payment, b: Payment) =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1);

const theRightPayments = () => {
  test.each([
    ['one window a page', 0],
    ['windows until the page is full', Number.POSITIVE_INFINITY],
  ])('%s', async (_name, pageMs) => {
    const queries = createPaymentQueries(store.database, { window: WINDOW, pageMs });
    const sorted = [...stored].sort(newestFirst);
    const check = async ([name, filter]: [string, PaymentFilter]) => {
      const expected = sorted.filter((payment) => fits(filter, payment)).map(({ _id }) => _id);
      expect([name, await walk(queries, filter, 500)]).toEqual([name, expected]);
    };
    await Promise.all(questions().map(check));
  });

  test('a key of one merchant walks its own', async () => {
    const queries = createPaymentQueries(store.database, { window: WINDOW, pageMs: 0 });
    const filter: PaymentFilter = { currency: 'USD' };
    const expected = stored.filter((one) => one.merchantId === 8 && fits(filter, one)).sort(newestFirst);
    const found = await walk(queries, filter, 500, { ...principal, merchants: [8] });
    expect(found).toEqual(expected.map(({ _id }) => _id));
    const own = new Set(stored.filter(({ merchantId }) => merchantId === 7).map(({ _id }) => _id));
    const ends: (string | undefined)[] = [];
    for (const [, filter] of questions()) {
      const { stoppedAt } = await queries.find({ ...principal, merchants: [7] }, filter, undefined, PAGE);
      if (stoppedAt) ends.push(stoppedAt.id);
    }
    // A cursor can be read by whoever has it.
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.filter((id) => !own.has(id ?? ''))).toEqual([]);
  });
};

test('no statement looks at more than a window and what it sorts', async () => {
  const { db } = store.database.connection;
  if (!db) throw new Error('there is no database');
  const queries = createPaymentQueries(store.database, { window: WINDOW, pageMs: 0 });
  await db.command({ profile: 2 });
  try {
    for (const [, filter] of questions()) await queries.find(principal, filter, undefined, PAGE);
  } finally {
    await db.command({ profile: 0 });
  }
  const worked = await db
    .collection('system.profile')
    .find({ ns: store.payments.namespace, keysExamined: { $exists: true } })
    .toArray();
  expect(worked.length).toBeGreaterThan(questions().length);
  const most = (field: 'docsExamined' | 'keysExamined') => Math.max(...worked.map((one) => Number(one[field] ?? 0)));
  expect(worked.filter(({ planSummary }) => planSummary === 'COLLSCAN')).toEqual([]);
  expect(most('docsExamined')).toBeLessThanOrEqual(2 * WINDOW);
  expect(most('keysExamined')).toBeLessThanOrEqual(3 * WINDOW);
});

const theTimeOfPages = async () => {
  const queries = createPaymentQueries(store.database);
  const middle = { createdAt: new Date(DAY + STORED / 2), id: 'pay_' };
  const rows: { question: string; first: number; middle: number; found: number }[] = [];
  const timed = async (filter: PaymentFilter, after?: PaymentPosition) => {
    const startedAt = performance.now();
    const { payments } = await queries.find(principal, filter, after, PAGE);
    return { ms: Math.round(performance.now() - startedAt), found: payments.length };
  };
  for (const [question, filter] of questions()) {
    const first = await timed(filter);
    rows.push({ question, first: first.ms, middle: (await timed(filter, middle)).ms, found: first.found });
  }
  rows.sort((a, b) => Math.max(b.first, b.middle) - Math.max(a.first, a.middle));
  const lines = rows
    .slice(0, 25)
    .map((row) => `${row.first} ms, ${row.middle} ms, ${row.found} found: ${row.question}`);
  process.stderr.write(`${rows.length} questions over ${STORED} payments; the slowest:\n${lines.join('\n')}\n`);
  expect(rows.filter((row) => Math.max(row.first, row.middle) > PAGE_MS)).toEqual([]);
};

if (isLarge) test('each first page, and one in the middle, within 200 ms', theTimeOfPages);
else describe('the right payments', theRightPayments);
