/** The database refuses every kind of write that drifts from the description of a payment. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createReferenceReservations } from '../../shared/store/reference-reservation.repository.js';
import { createSealedRecordRepository, sealedPlaces } from '../../shared/store/sealed-record.repository.js';
import { createdPayment } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('drift');
});
afterAll(() => store?.close());

const refused = { code: 121 };

/** Values that the compiler refuses, but that a cast, an adapter's answer or a pipeline may still write. */
const invalidFields: readonly (readonly [string, Record<string, unknown>])[] = [
  ['a field that is not described', { pan: '4' }],
  ['a status that does not exist', { status: 'paid' }],
  ['half a cent', { capturedMinor: 0.5 }],
  ['an amount below zero', { heldMinor: -1 }],
  ['an amount that is no safe integer', { capturedMinor: 2 ** 53 }],
  ['a number where a text belongs', { invoiceNumber: 7 }],
  ['a text where a time belongs', { announceAt: '2026-01-01T00:00:00Z' }],
  ['null where a field may be absent', { callbackUrl: null }],
  ['a field of work that is not described', { work: { ...createdPayment().work, secret: 1 } }],
  ['work without its kind', { work: { ...createdPayment().work, kind: undefined } }],
  ['an element of a list', { transactions: [{ ...createdPayment().transactions[0], status: 'lost' }] }],
  ['a sealed value that lost its tag', { cvc: { ...createdPayment().cvc, ct: undefined } }],
];

describe.each([
  ['batched', true],
  ['alone', false],
])('writes sent %s', (_name, batched) => {
  const payments = () => createPaymentRepository(store.database, batched);

  test.each(invalidFields)('an insert of %s is refused', async (_drift, more) => {
    const [sound, drifting] = [createdPayment(), createdPayment(more as Partial<Payment>)];
    const { insert } = payments();
    const [kept, lost] = await Promise.allSettled([insert(sound), insert(drifting)]);
    expect(kept).toEqual({ status: 'fulfilled', value: 'inserted' });
    expect(lost).toMatchObject({ status: 'rejected', reason: refused });
    expect(await store.payments.countDocuments({ _id: { $in: [sound._id, drifting._id] } })).toBe(1);
  });

  // A single save is an update; several saves of one version are a pipeline that replaces the documents.
  test.each(invalidFields)('a single save and several saves of %s are refused', async (_drift, more) => {
    const before = [createdPayment(), createdPayment(), createdPayment()];
    await store.put(...before);
    const { save } = payments();
    const drifted = before.map((payment) => ({ ...payment, ...more }) as Payment);
    await expect(save(before[0] as Payment, drifted[0] as Payment)).rejects.toMatchObject(refused);
    const results = await Promise.allSettled(before.map((payment, at) => save(payment, drifted[at] as Payment)));
    expect(results).toEqual(before.map(() => expect.objectContaining({ status: 'rejected' })));
    expect(await Promise.all(before.map(({ _id }) => store.read(_id)))).toMatchObject(
      before.map(({ _id }) => ({ _id, version: 1 })),
    );
  });
});

test('a replacement of an envelope by one that lacks a field is refused', async () => {
  const payment = createdPayment();
  await store.put(payment);
  const [place] = sealedPlaces;
  const { card: envelope } = payment;
  if (!envelope) throw new Error('it has a card');
  const before = { envelope, binding: { recordId: payment._id, field: 'card', clientId: 'cli_a' }, id: payment._id };
  const replaced = createSealedRecordRepository(store.database).replace(place, [
    { before, envelope: { ...envelope, kid: undefined } as never },
  ]);
  await expect(replaced).rejects.toMatchObject(refused);
});

test('a wrong type that the database computes is refused, as in claims and marks', async () => {
  const payment = createdPayment();
  await store.put(payment);
  const computed = [{ $set: { 'work.leaseUntil': { $toString: '$$NOW' } } }];
  await expect(store.payments.updateMany({ _id: payment._id }, computed as never)).rejects.toMatchObject(refused);
  const pushed = store.payments.updateOne({ _id: payment._id }, { $addToSet: { answered: 'first' } } as never);
  await expect(pushed).rejects.toMatchObject(refused);
});

test('the collection also holds reservations of sessions, but nothing between a reservation and a payment', async () => {
  const session = { _id: 'ses_1', clientId: 'cli_a', paymentRequest: { referenceId: 'r-1' } };
  expect(await createReferenceReservations(store.database).reserve(session as never)).toBe('reserved');
  await expect(store.payments.insertOne({ ...session, refKeys: ['payment:r-2'] } as never)).rejects.toMatchObject(
    refused,
  );
});

test('a reservation that is refused for another reason than its reference is an error, not a duplicate', async () => {
  const session = { _id: 'ses_2', clientId: 7, paymentRequest: { referenceId: 'r-3' } };
  const reserved = createReferenceReservations(store.database).reserve(session as never);
  await expect(reserved).rejects.toMatchObject(refused);
});
