/** References that a session holds or a lost payment used, on the real MongoDB: no payment can be created under them. */
import type { Session } from '../../shared/domain/session/session.js';
import { createReferenceReservations } from '../../shared/store/reference-reservation.repository.js';
import { createdPayment } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('references');
});
beforeEach(async () => {
  await store.payments.deleteMany({});
});
afterAll(() => store?.close());

const reservations = () => createReferenceReservations(store.database);
const session = (_id: string, referenceId?: string) =>
  ({ _id, clientId: 'cli_a', ...(referenceId && { paymentRequest: { referenceId } }) }) as Session;
const idsOf = async () => (await store.payments.find({}).toArray()).map(({ _id }) => _id).sort();
const KEY = 'payment:r';

test('a session reserves its reference once, and another session of the client is refused', async () => {
  const { reserve } = reservations();
  expect(await reserve(session('ses_a', 'r'))).toBe('reserved');
  expect(await reserve(session('ses_a', 'r'))).toBe('reserved');
  expect(await reserve(session('ses_b', 'r'))).toBe('duplicate');
  expect(await reserve({ ...session('ses_c', 'r'), clientId: 'cli_b' })).toBe('reserved');
  expect(await idsOf()).toEqual(['ses_a', 'ses_c']);
});

test('a session without a payment reserves nothing', async () => {
  expect(await reservations().reserve(session('ses_a'))).toBe('reserved');
  expect(await idsOf()).toEqual([]);
});

test('the reference of a payment cannot be reserved', async () => {
  await store.put(createdPayment({ refKeys: [KEY] }));
  expect(await reservations().reserve(session('ses_a', 'r'))).toBe('duplicate');
});

test('an error other than a used reference is thrown', async () => {
  const broken = { ...session('ses_a', 'r'), clientId: 7 as never };
  await expect(reservations().reserve(broken)).rejects.toMatchObject({ code: 121 });
  await expect(reservations().blockReference('lost', 7 as never, KEY)).rejects.toMatchObject({ code: 121 });
});

test('the reference of a lost payment is blocked once and replaces the reservation of a session', async () => {
  const { reserve, blockReference } = reservations();
  await reserve(session('ses_a', 'r'));
  await blockReference('lost', 'cli_a', KEY);
  expect(await idsOf()).toEqual(['lost']);
  await blockReference('lost', 'cli_a', KEY);
  expect(await idsOf()).toEqual(['lost']);
  expect(await reserve(session('ses_a', 'r'))).toBe('duplicate');
});

test('blocking a reference keeps the payment that has it', async () => {
  const payment = createdPayment({ refKeys: [KEY] });
  await store.put(payment);
  await reservations().blockReference('lost', 'cli_a', KEY);
  expect(await idsOf()).toEqual([payment._id]);
});

test('blocking a reference keeps the session of another client with the same reference', async () => {
  const { reserve, blockReference } = reservations();
  await reserve({ ...session('ses_b', 'r'), clientId: 'cli_b' });
  await blockReference('lost', 'cli_a', KEY);
  expect(await idsOf()).toEqual(['lost', 'ses_b']);
});
