/** Queries over a few payments: by every reference that a payment may have, by link, and never payments of another client. */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { refKey } from '../../shared/domain/payment/plan-operation.js';
import type { Principal } from '../../shared/domain/principal.js';
import { tryRefKey } from '../../shared/domain/session/rules.js';
import { createPaymentQueries, type QueryBounds } from '../../shared/store/payment-queries.repository.js';
import type { PaymentFilter } from '../../shared/store/payment-query-conditions.js';
import { createdPayment, later } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('query_owners');
});
beforeEach(() => store.payments.deleteMany({}));
afterAll(() => store?.close());

/** Long time limits, and windows so small that every page without an index has several of them. */
const bounds: QueryBounds = { window: 2, pageMs: Number.POSITIVE_INFINITY, statementMs: 120_000, queryMs: 240_000 };
const queries = () => createPaymentQueries(store.database, bounds);
const of = (clientId: string): Principal => ({ clientId, keyId: 'key_1', merchants: 'all' }) as Principal;
const find = async (clientId: string, filter: PaymentFilter, limit = 100) =>
  (await queries().find(of(clientId), filter, undefined, limit)).payments.map(({ _id }) => _id);

let nth = 0;
/** Builds a payment that is newer than the previous one. */
function payment(more: Partial<Payment> = {}): Payment {
  nth += 1;
  return createdPayment({ clientId: 'cli_a', createdAt: later(nth), ...more });
}

test('a reference finds the payment of the API and the payments of every possible try of a session', async () => {
  const attempts = Array.from({ length: limits.sessionTriesMax }, (_, at) => at + 1);
  const keys = [
    refKey('payment', 'ref-1'),
    ...attempts.flatMap((attempt) => [tryRefKey('payment', attempt, 'ref-1'), tryRefKey('session', attempt, 'ref-1')]),
  ];
  const found = keys.map((key) => payment({ refKeys: [key] }));
  await store.put(
    ...found,
    payment({ refKeys: [refKey('refund', 'ref-1')] }),
    payment({ refKeys: [refKey('payment', 'ref-10')] }),
    payment({ clientId: 'cli_b', refKeys: [refKey('payment', 'ref-1')] }),
  );
  const newest = found.map(({ _id }) => _id).reverse();
  expect(await find('cli_a', { referenceId: 'ref-1' })).toEqual(newest);
  expect(await find('cli_a', { referenceId: 'ref-1' }, 3)).toEqual(newest.slice(0, 3));
});

test('no query finds a payment of another client', async () => {
  const alike = { refKeys: ['payment:ref-1'], metadata: [{ k: 'order', v: 'o1' }] };
  const [mine, theirs] = [payment(alike), payment({ ...alike, clientId: 'cli_b' })];
  await store.put(mine, theirs, payment({ clientId: 'cli_b' }), payment({ clientId: 'cli_b' }));
  const filters: readonly PaymentFilter[] = [
    {},
    { referenceId: 'ref-1' },
    { status: 'created' },
    { merchantId: mine.merchantId },
    { metadataKey: 'order' },
    { metadataKey: 'order', metadataValue: 'o1' },
    { currency: mine.amount.currency },
    { paymentMethodId: mine.paymentMethod.id },
    { amounts: [{ currencies: { except: ['JPY'] }, minMinor: 1 }] },
    { minDate: later(0), maxDate: later(1_000_000) },
  ];
  for (const filter of filters) expect([filter, await find('cli_a', filter)]).toEqual([filter, [mine._id]]);
  expect(await find('cli_a', { id: theirs._id })).toEqual([]);
});

test('an amount is filtered in all currencies except some', async () => {
  const paying = (totalMinor: number, currency: string) => payment({ amount: { totalMinor, currency } });
  const [low, high, yen] = [paying(100, 'USD'), paying(5_000, 'EUR'), paying(5_000, 'JPY')];
  await store.put(low, high, yen);
  const cents = { currencies: { except: ['JPY'] }, minMinor: 1_000 } as const;
  expect(await find('cli_a', { amounts: [cents] })).toEqual([high._id]);
  const whole = { currencies: { only: ['JPY'] }, minMinor: 10 } as const;
  expect(await find('cli_a', { amounts: [cents, whole] })).toEqual([yen._id, high._id]);
});

test('a page that runs out of time returns where it stopped, and the next page continues there', async () => {
  const stored = Array.from({ length: 5 }, () => payment());
  await store.put(...stored);
  const rare: PaymentFilter = { currency: 'XXX' };
  const hurried = createPaymentQueries(store.database, { ...bounds, pageMs: -1 });
  const first = await hurried.find(of('cli_a'), rare, undefined, 10);
  const positionOf = ({ createdAt, _id: id }: Payment) => ({ createdAt, id });
  expect(first).toEqual({ payments: [], stoppedAt: positionOf(stored[3] as Payment) });
  const second = await hurried.find(of('cli_a'), rare, first.stoppedAt, 10);
  expect(second).toEqual({ payments: [], stoppedAt: positionOf(stored[1] as Payment) });
  expect(await hurried.find(of('cli_a'), rare, second.stoppedAt, 10)).toEqual({ payments: [] });
});

test('the payments of a link are listed in pages, newest first, with their total number', async () => {
  const through = (id: string, more: Partial<Payment> = {}) =>
    payment({ paymentLink: { id, externalId: 'l' }, ...more });
  const mine = [through('link_1'), through('link_1'), through('link_1')];
  await store.put(...mine, through('link_2'), through('link_1', { clientId: 'cli_b' }), payment());
  const newest = mine.map(({ _id }) => _id).reverse();
  const pageOf = async (page: number) => {
    const { payments, totalItems } = await queries().listByLink('cli_a', 'link_1', { page, size: 2 });
    return [payments.map(({ _id }) => _id), totalItems];
  };
  expect(await pageOf(1)).toEqual([newest.slice(0, 2), 3]);
  expect(await pageOf(2)).toEqual([newest.slice(2), 3]);
  expect(await pageOf(3)).toEqual([[], 3]);
});
