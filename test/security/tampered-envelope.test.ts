/** A sealed card that was changed in the database makes its payment fail once, with an alert and without a retry. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'tampered', settings: { TIME_SCALE: '10' } });
});
afterAll(() => gateway?.close());

test('a payment with a changed envelope fails at once with an alert and is not sent', async () => {
  const saved = await gateway.call(
    'POST',
    '/v1/payments',
    paymentBody({}, { tokenizationSettings: { type: 'store' } }),
  );
  expect(saved.status).toBe(200);
  const instruments = gateway.database.collection<{ _id: string; card: { ct: { buffer: Uint8Array } } }>(
    'payment_instruments',
  );
  const instrument = await instruments.findOne({});
  const ct = Buffer.from(instrument?.card.ct.buffer ?? []);
  ct[0] = (ct[0] ?? 0) ^ 1;
  await instruments.updateOne({}, { $set: { 'card.ct': ct } } as never);

  const token = instrument?._id ?? '';
  const answer = await gateway.call(
    'POST',
    '/v1/payments',
    paymentBody({ paymentMethod: { source: 'token', paymentInstrument: { token } } }),
  );
  expect(answer.status).toBe(422);
  const payment = (await gateway.payments.findById(answer.body.params.paymentId[0])) as Payment;
  expect(payment).toMatchObject({ status: 'failed', transactions: [{ status: 'failed', resultCode: '96' }] });
  expect(payment.work).toBeUndefined();
  expect(payment.alerts?.map(({ text }) => text)).toEqual([expect.stringContaining('does not open')]);
  const keys = (await gateway.ledger()).map(({ key }) => key);
  expect(keys).toEqual([saved.body.transactions[0].id]);
});

test('a saved card that was moved to another customer or merchant in the database does not open', async () => {
  const instruments = gateway.database.collection<{ _id: string; customerId?: string; merchantId: number }>(
    'payment_instruments',
  );
  for (const stolen of [{ customerId: 'cus_other' }, { merchantId: 1002 }]) {
    await instruments.deleteMany({});
    const body = paymentBody({}, { tokenizationSettings: { type: 'store' } });
    expect((await gateway.call('POST', '/v1/payments', body)).status).toBe(200);
    const token = (await instruments.findOne({}))?._id ?? '';
    const charge = () =>
      gateway.call(
        'POST',
        '/v1/payments',
        paymentBody({ paymentMethod: { source: 'token', paymentInstrument: { token } } }),
      );
    expect((await charge()).status).toBe(200);
    await instruments.updateOne({ _id: token }, { $set: stolen });
    const refused = await charge();
    expect(refused.status).toBe(422);
    const payment = (await gateway.payments.findById(refused.body.params.paymentId[0])) as Payment;
    expect(payment.alerts?.map(({ text }) => text)).toEqual([expect.stringContaining('does not open')]);
  }
});
