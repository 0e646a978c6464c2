/** Pages in which the audit of the books searches for orphans. */
import { findOrphans } from '../../shared/store/orphans.js';
import { approvedPayment, authorizedPayment, createdPayment } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('find_orphans');
});
beforeEach(() => store.payments.deleteMany({}));
afterAll(() => store?.close());

const page = (from: string | undefined, limit: number) => findOrphans(store.payments, from, limit);
const orphan = (_id: string) => createdPayment({ _id, work: undefined });
const healthy = (_id: string) => authorizedPayment({ _id });

test('a collection without payments is one empty page', async () => {
  expect(await page(undefined, 2)).toEqual({ found: [] });
});

test('each page reads up to its limit of payments, in the order of their ids, and returns where it ends', async () => {
  await store.put(...['pay_1', 'pay_3', 'pay_5'].map(orphan), ...['pay_2', 'pay_4'].map(healthy));
  expect(await page(undefined, 2)).toEqual({ found: ['pay_1'], next: 'pay_2' });
  expect(await page('pay_2', 2)).toEqual({ found: ['pay_3'], next: 'pay_4' });
  expect(await page('pay_4', 2)).toEqual({ found: ['pay_5'] });
  expect(await page(undefined, 5)).toEqual({ found: ['pay_1', 'pay_3', 'pay_5'], next: 'pay_5' });
  expect(await page('pay_5', 5)).toEqual({ found: [] });
  expect(await page(undefined, 6)).toEqual({ found: ['pay_1', 'pay_3', 'pay_5'] });
});

test('a document without a merchant is not an orphan, but counts towards the limit of a page', async () => {
  await store.put(orphan('pay_1'), orphan('pay_3'), approvedPayment({ _id: 'pay_4' }));
  await store.database.connection.db?.collection('payments').insertOne({ _id: 'pay_2', status: 'created' } as never, {
    bypassDocumentValidation: true,
  });
  expect(await page(undefined, 3)).toEqual({ found: ['pay_1', 'pay_3'], next: 'pay_3' });
});
