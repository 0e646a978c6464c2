/** 3DS sessions on the real MongoDB: which are found, in which order, and their sums. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import {
  createThreeDsSessionRepository,
  type ThreeDsSessionFilter,
} from '../../shared/store/threeds-session.repository.js';
import { createdPayment, later, start } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('threeds');
  await store.put(
    withSession('a'),
    withSession('b', { merchantId: 1002, amount: { totalMinor: 2000, currency: 'EUR' } }, 'failed'),
    withSession('c', { paymentMethod: { ...base.paymentMethod, id: 'mastercard' } }),
    createdPayment({ _id: 'without' }),
    withSession('of another', { clientId: 'cli_b' }),
  );
});
afterAll(() => store?.close());

const base = createdPayment();
const seconds = { a: 0, b: 1, c: 1 } as Readonly<Record<string, number>>;
const withSession = (_id: string, more: Partial<Payment> = {}, status = 'authenticated') =>
  createdPayment({
    _id,
    threeDs: {
      required: true,
      reason: 'amount-at-threshold',
      sessionId: `session of ${_id}`,
      status,
      createdAt: later((seconds[_id] ?? 0) * 1_000),
    } as never,
    ...more,
  });
const own: ThreeDsSessionFilter = { clientId: 'cli_a', merchants: 'all' };
const sessions = () => createThreeDsSessionRepository(store.database);
const found = async (filter: Partial<ThreeDsSessionFilter> = {}, page = 1, size = 10) =>
  (await sessions().page({ ...own, ...filter }, page, size)).map(({ _id }) => _id);

test('a page has the payments with a session, newest first', async () => {
  expect(await found()).toEqual(['c', 'b', 'a']);
  expect(await found({}, 1, 2)).toEqual(['c', 'b']);
  expect(await found({}, 2, 2)).toEqual(['a']);
  expect(await found({ clientId: 'cli_b' })).toEqual(['of another']);
});

test.each<[string, Partial<ThreeDsSessionFilter>, string[]]>([
  ['the merchants that may be seen', { merchants: [1002] }, ['b']],
  ['no merchant', { merchants: [] }, []],
  ['a session', { sessionId: 'session of a' }, ['a']],
  ['a session of a merchant that may not be seen', { sessionId: 'session of a', merchants: [1002] }, []],
  ['a session of another client', { sessionId: 'session of of another' }, []],
  ['a status', { status: 'failed' }, ['b']],
  ['a payment method', { paymentMethodId: 'mastercard' }, ['c']],
  ['a currency', { currency: 'EUR' }, ['b']],
  ['an amount from', { amounts: [{ currencies: { except: ['JPY'] }, minMinor: 2000 }] }, ['b']],
  ['an amount up to', { amounts: [{ currencies: { except: ['JPY'] }, maxMinor: 1050 }] }, ['c', 'a']],
  ['an amount of one currency', { amounts: [{ currencies: { only: ['USD'] }, minMinor: 1050 }] }, ['c', 'a']],
  ['an amount of the others', { amounts: [{ currencies: { except: ['USD'] }, minMinor: 1 }] }, ['b']],
  [
    'either of two ranges',
    {
      amounts: [
        { currencies: { only: ['EUR'] }, minMinor: 2000 },
        { currencies: { only: ['USD'] }, maxMinor: 1050 },
      ],
    },
    ['c', 'b', 'a'],
  ],
  ['a date from', { minDate: later(1_000) }, ['c', 'b']],
  ['a date up to', { maxDate: start }, ['a']],
  ['all of it', { minDate: later(1_000), status: 'failed', currency: 'USD' }, []],
])('a page is filtered by %s', async (_name, filter, expected) => {
  expect(await found(filter)).toEqual(expected);
});

test('a summary has counts and totals by status, method and currency', async () => {
  const groups = await sessions().summarize(own);
  const usd = { status: 'authenticated', currency: 'USD', count: 1, totalMinor: 1050 };
  expect(groups).toHaveLength(3);
  expect(groups).toEqual(
    expect.arrayContaining([
      { ...usd, paymentMethodId: base.paymentMethod.id },
      { ...usd, paymentMethodId: 'mastercard' },
      { status: 'failed', paymentMethodId: base.paymentMethod.id, currency: 'EUR', count: 1, totalMinor: 2000 },
    ]),
  );
  const [sum] = await sessions().summarize({ ...own, currency: 'USD', paymentMethodId: 'mastercard' });
  expect(sum).toMatchObject({ count: 1, totalMinor: 1050 });
});
