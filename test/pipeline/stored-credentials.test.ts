/** Charges of stored cards: what the networks get about first and later uses, at any processor. */
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { gatewaySettings, methodsOf } from '../support/merchant-settings.js';
import { type RecordingProcessor, startRecordingProcessor } from '../support/recording-processor.js';

let gateway: TestGateway;
let recorder: RecordingProcessor;
beforeAll(async () => {
  recorder = await startRecordingProcessor();
  gateway = await startGateway({ name: 'stored-credentials', settings: { SANDBOX_PROCESSOR_URL: recorder.url } });
  recorder.forwardTo(gateway.simulatorUrl);
  const settings = gatewaySettings({ paymentProcessor: { id: 'sandbox-forgetful', acquirer: 'another-acquirer' } });
  await gateway.call('PUT', `${methodsOf(1002)}/visa`, { id: 'visa', settings });
});
afterEach(() => recorder.answer(undefined));
afterAll(async () => {
  await gateway?.close();
  await recorder?.close();
});

type Body = Record<string, unknown>;
const pay = (more: Body = {}, card: Body = {}) => gateway.call('POST', '/v1/payments', paymentBody(more, card));
const stored = () => recorder.last('authorizations').credential.stored;
const byToken = (token: string) => ({ source: 'token', paymentInstrument: { token } });
const store = { tokenizationSettings: { type: 'store' } };

async function save(
  more: Body = {},
  card: Body = {},
): Promise<{ token: string; id: string; networkTransactionId: string }> {
  const { body } = await pay(more, { ...store, ...card });
  const { networkTransactionId } = body.transactions[0];
  return { token: body.paymentInstrument.token, id: body.id, networkTransactionId };
}

test('a card that is used once is not sent as stored; a saved card is, for its first and later uses', async () => {
  await pay();
  expect(stored()).toBeUndefined();
  const { token, networkTransactionId } = await save();
  expect(stored()).toEqual({ initiator: 'payer', use: 'first', reason: 'unscheduled' });
  await pay({ paymentMethod: byToken(token) });
  expect(stored()).toEqual({ initiator: 'payer', use: 'subsequent', reason: 'unscheduled', networkTransactionId });
});

test('a charge without the payer names the first payment, for the network and for its processor', async () => {
  const { token, id, networkTransactionId } = await save({ recurring: { type: 'initial', frequency: 'monthly' } });
  expect(stored()).toEqual({ initiator: 'payer', use: 'first', reason: 'recurring', frequency: 'monthly' });
  const recurring = { type: 'subsequent', frequency: 'monthly' };
  const { body } = await pay({ paymentMethod: byToken(token), recurring });
  expect(body.recurring).toMatchObject({ initialPaymentId: id, networkTransactionId: expect.any(String) });
  expect(stored()).toEqual({
    initiator: 'merchant',
    use: 'subsequent',
    reason: 'recurring',
    frequency: 'monthly',
    networkTransactionId,
    firstPayment: expect.objectContaining({
      processorReference: expect.stringContaining('sbx_'),
      networkTransactionId,
    }),
  });
});

test('another processor gets the network’s id of the first payment, and nothing of the first processor', async () => {
  const { token, networkTransactionId } = await save({ recurring: { type: 'initial' } });
  const recurring = { type: 'subsequent', reason: 'installment' };
  const { status } = await pay({ merchantId: 1002, paymentMethod: byToken(token), recurring });
  expect(status).toBe(200);
  expect(recorder.last('authorizations').acquirer).toBe('another-acquirer');
  expect(stored()).toEqual({ initiator: 'merchant', use: 'subsequent', reason: 'installment', networkTransactionId });
});

test('a card whose first payment had no network transaction id gets and keeps that of the next charge', async () => {
  recorder.answer((_path, { networkTransactionId: _none, ...answer }) => answer);
  const { token } = await save();
  recorder.answer(undefined);
  const { body: second } = await pay({ paymentMethod: byToken(token) });
  expect(stored()).not.toHaveProperty('networkTransactionId');
  for (const _time of [1, 2]) {
    await pay({ paymentMethod: byToken(token) });
    expect(stored()).toMatchObject({ networkTransactionId: second.transactions[0].networkTransactionId });
  }
});

test('a charge without the payer and without a first payment is refused, and nothing is sent', async () => {
  recorder.answer((_path, answer) => answer);
  const { body: plain } = await pay({}, { cvc: undefined });
  const sent = recorder.requests.length;
  for (const recurring of [{ type: 'subsequent' }, { type: 'subsequent', initialPaymentId: plain.id }]) {
    const { status, body } = await pay({ recurring });
    expect([status, Object.keys(body.params)]).toEqual([400, ['recurring.initialPaymentId']]);
  }
  expect(recorder.requests).toHaveLength(sent);
});

test('a card whose expiry the processor updated is charged and listed with the new expiry', async () => {
  const customer = (await gateway.call('POST', '/v1/customers', { email: 'ana@example.com' })).body.id;
  const { token } = await save({ customerId: customer }, { number: '4000000000100166', expMonth: 1, expYear: 2031 });
  const { body } = await pay({ customerId: customer, paymentMethod: byToken(token) });
  expect(recorder.last('authorizations').credential.card).toMatchObject({ expMonth: 12, expYear: 2039 });
  expect(body.transactions[0].updatedCard).toEqual({ expirationMonth: 12, expirationYear: 2039 });
  const { body: listed } = await gateway.call('GET', `/v1/customers/${customer}/payment-instruments`);
  expect(listed).toMatchObject([{ token, expMonth: 12, expYear: 2039 }]);
});
