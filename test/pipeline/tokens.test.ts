import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { saveInstrument } from '../../workers/processor/save-instrument.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let customerId: string;
beforeAll(async () => {
  gateway = await startGateway({ name: 'tokens' });
  const customer = await gateway.call('POST', '/v1/customers', { email: 'payer@example.com' });
  customerId = customer.body.id;
});
afterAll(() => gateway?.close());

const cardsOf = (customer: string) => {
  const owner = { clientId: gateway.sandbox.clientId, merchants: 'all' } as const;
  return createPaymentInstrumentRepository(gateway.database).listByCustomer(owner, customer, new Date());
};
const stored = () => cardsOf(customerId);
const save = (number = '4242424242424242', tokenizationSettings: object = { type: 'store' }, more: object = {}) =>
  gateway.call(
    'POST',
    '/v1/payments',
    paymentBody(
      { customerId, ...more },
      { number, tokenizationSettings, cardholder: { firstName: 'Ana', lastName: 'Paz' } },
    ),
  );
const charge = (token: string, more: object = {}, cvc?: string) =>
  gateway.call('POST', '/v1/payments', {
    ...paymentBody(),
    paymentMethod: { source: 'token', paymentInstrument: { token, ...(cvc !== undefined && { cvc }) } },
    ...more,
  });

async function newestToken(): Promise<string> {
  const [newest] = await stored();
  if (!newest) throw new Error('nothing was saved');
  return newest._id;
}

test('a card is saved with its payment before the answer is sent, and can be charged', async () => {
  const paid = await save();
  expect(paid).toMatchObject({ status: 200, body: { status: 'approved' } });
  const [instrument] = await stored();
  expect(instrument).toMatchObject({
    tokenizationType: 'persistent',
    paymentMethodId: 'visa',
    last4: '4242',
    cardholderName: 'Ana Paz',
    cardType: 'credit',
    cardOrigin: 'international',
    paymentId: paid.body.id,
  });
  expect(JSON.stringify(instrument)).not.toContain('4242424242424242');
  const charged = await charge(instrument?._id ?? '');
  expect(charged).toMatchObject({
    status: 200,
    body: {
      status: 'approved',
      paymentMethod: { id: 'visa', source: 'token', card: { brand: 'visa', last4: '4242' } },
    },
  });
  const withCvc = await charge(instrument?._id ?? '', {}, '123');
  expect(withCvc.body.status).toBe('approved');
  expect(await charge(instrument?._id ?? '', {}, '1234')).toMatchObject({
    status: 400,
    body: { code: 'invalid-card-cvc' },
  });
});

test('a declined payment saves no card; a verification saves it when the request asks for it', async () => {
  const before = (await stored()).length;
  expect((await save('4000000000000002')).status).toBe(422);
  expect(await stored()).toHaveLength(before);
  const { merchantId, referenceId } = paymentBody();
  const card = { number: '5555555555554444', expMonth: 12, expYear: 2034, tokenizationSettings: { type: 'temporal' } };
  const verified = await gateway.call('POST', '/v1/payments/verify', {
    merchantId,
    referenceId,
    amount: { currency: 'USD' },
    paymentMethod: { source: 'card', card },
  });
  expect(verified.body.status).toBe('authorized');
  const payment = await gateway.payments.findById(verified.body.id);
  const instruments = createPaymentInstrumentRepository(gateway.database);
  const saved = await instruments.find(gateway.sandbox.clientId, payment?.tokenization?.token ?? '');
  expect(saved).toMatchObject({ tokenizationType: 'temporal', paymentMethodId: 'mastercard' });
  expect(Number(saved?.expiresAt) - Number(payment?.createdAt)).toBe(24 * 3_600_000);
});

test('the token of a card that is saved without a customer is shown in the payment, but in no list', async () => {
  const settings = { type: 'store', expiration: '2030-01-31T12:00:00Z' };
  const body = paymentBody({}, { tokenizationSettings: settings });
  const paid = await gateway.call('POST', '/v1/payments', body);
  const { token } = paid.body.paymentInstrument;
  expect(paid.body.paymentInstrument).toEqual({ token, type: 'persistent', expiresAt: '2030-01-31T12:00:00.000Z' });
  const read = await gateway.call('GET', `/v1/payments/${paid.body.id}`);
  expect(read.body.paymentInstrument).toEqual(paid.body.paymentInstrument);
  const listed = await gateway.call('GET', `/v1/payments/query?id=${paid.body.id}`);
  expect(listed.body.data).toMatchObject([{ id: paid.body.id }]);
  expect(JSON.stringify(listed.body)).not.toContain(token);
  expect((await charge(token)).body).toMatchObject({ status: 'approved' });
  // Letters of a GUID may be of either case.
  expect((await charge(token.toUpperCase())).body).toMatchObject({ status: 'approved' });
  // A payment that charges a saved card saves no card.
  expect((await charge(token)).body.paymentInstrument).toBeUndefined();
});

test('a payment shows the token of either type, and none when it is declined or saves no card', async () => {
  const temporal = await save('4242424242424242', { type: 'temporal' });
  const { token, expiresAt } = temporal.body.paymentInstrument;
  expect(temporal.body.paymentInstrument).toEqual({ token, type: 'temporal', expiresAt });
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  const stored = await save();
  expect(stored.body.paymentInstrument).toEqual({ token: await newestToken(), type: 'persistent', expiresAt: null });
  const declined = await save('4000000000000002');
  const read = await gateway.call('GET', `/v1/payments/${declined.body.params.paymentId[0]}`);
  const plain = await gateway.call('POST', '/v1/payments', paymentBody());
  expect([read.body.status, read.body.paymentInstrument, plain.body.paymentInstrument]).toEqual([
    'denied',
    undefined,
    undefined,
  ]);
});

test('a temporal token with an expiration beyond a day is refused, not shortened', async () => {
  const expiration = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const refused = await save('4242424242424242', { type: 'temporal', expiration: expiration(25) });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      code: 'request-validation-errors',
      params: { 'paymentMethod.card.tokenizationSettings.expiration': [expect.stringContaining('24 hours')] },
    },
  });
  const within = expiration(23);
  const paid = await save('4242424242424242', { type: 'temporal', expiration: within });
  expect(paid.body.paymentInstrument).toMatchObject({ type: 'temporal', expiresAt: within });
});

test('a past expiration is refused; an expired token cannot be used, and its card is destroyed', async () => {
  const past = await save('4242424242424242', { type: 'store', expiration: '2020-01-01T00:00:00Z' });
  expect(past).toMatchObject({
    status: 400,
    body: { params: { 'paymentMethod.card.tokenizationSettings.expiration': [expect.any(String)] } },
  });
  const soon = new Date(Date.now() + 1_500).toISOString();
  expect((await save('4242424242424242', { type: 'store', expiration: soon })).status).toBe(200);
  const token = await newestToken();
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  expect(await charge(token)).toMatchObject({ status: 400, body: { code: 'invalid-card-payment-method-token' } });
  for (;;) {
    const instrument = (await stored()).find(({ _id }) => _id === token);
    if (!instrument?.card) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect((await stored()).find(({ _id }) => _id === token)?.card).toBeUndefined();
});

test('a token that is unknown, malformed, deleted or of another client gets the same answer', async () => {
  await save();
  const token = await newestToken();
  const auth = `${gateway.sandbox.other.clientId}:${gateway.sandbox.other.apiKey}`;
  const foreign = await gateway.call(
    'POST',
    '/v1/payments',
    { ...paymentBody({ merchantId: 2001 }), paymentMethod: { source: 'token', paymentInstrument: { token } } },
    { auth },
  );
  expect((await gateway.call('DELETE', `/v1/customers/${customerId}/payment-instruments/${token}`)).status).toBe(200);
  const answers = [
    foreign,
    await charge(token),
    await charge('no-such-token'),
    await charge('8b1a9953-c461-4123-8bd1-ffffffffffff'),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid-card-payment-method-token', type: 'card-error' },
    });
    expect(answer.body.params).toEqual({ 'paymentMethod.paymentInstrument.token': [expect.any(String)] });
    expect(answer.body.params).toEqual(answers[0]?.body.params);
  }
});

test('the first payment of …0125 is approved, later charges by its token are declined', async () => {
  expect((await save('4000000000100125')).status).toBe(200);
  const declined = await charge(await newestToken());
  expect(declined).toMatchObject({ status: 422, body: { code: 'declined-by-acquirer' } });
});

test('a network token is charged with its cryptogram; its brand is in id', async () => {
  const networkToken = {
    number: '4111111111111111',
    expMonth: 12,
    expYear: 2034,
    cryptogram: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    eci: '05',
  };
  const request = (more: object) => ({
    ...paymentBody(),
    paymentMethod: { source: 'network-token', networkToken, ...more },
  });
  const paid = await gateway.call('POST', '/v1/payments', request({ id: 'visa' }));
  expect(paid).toMatchObject({
    status: 200,
    body: { status: 'approved', paymentMethod: { id: 'visa', source: 'network-token' } },
  });
  expect(await gateway.call('POST', '/v1/payments', request({}))).toMatchObject({
    status: 400,
    body: { params: { 'paymentMethod.id': [expect.any(String)] } },
  });
  expect(await gateway.call('POST', '/v1/payments', request({ id: 'amex' }))).toMatchObject({
    status: 400,
    body: { code: 'invalid-card-payment-method' },
  });
  const payment = await gateway.payments.findById(paid.body.id);
  expect(payment?.cvc).toBeUndefined();
});

test('a click-to-pay check-out is handed to the processor; only the processor learns the card', async () => {
  const clickToPayToken = { correlationId: 'c-1', merchantTransactionId: 'm-1', scheme: 'mastercard' };
  const paid = await gateway.call('POST', '/v1/payments', {
    ...paymentBody(),
    paymentMethod: { source: 'click-to-pay-token', clickToPayToken },
  });
  expect(paid).toMatchObject({
    status: 200,
    body: { status: 'approved', paymentMethod: { id: 'mastercard', source: 'click-to-pay-token' } },
  });
  expect(paid.body.paymentMethod.card).toBeUndefined();
});

test.each([
  [
    { source: 'token', card: { number: '4242424242424242', expMonth: 12, expYear: 2034 } },
    'paymentMethod.paymentInstrument',
  ],
  [{ source: 'card', paymentInstrument: { token: 'x' } }, 'paymentMethod.card'],
  [
    {
      source: 'card',
      card: { number: '4242424242424242', expMonth: 12, expYear: 2034 },
      paymentInstrument: { token: 'x' },
    },
    'paymentMethod.paymentInstrument',
  ],
  [{ source: 'paper' }, 'paymentMethod.source'],
  [{}, 'paymentMethod.card'],
])('a source is accepted only with its own member: %j', async (paymentMethod, field) => {
  const refused = await gateway.call('POST', '/v1/payments', { ...paymentBody(), paymentMethod });
  expect(refused).toMatchObject({
    status: 400,
    body: { code: 'request-validation-errors', params: { [field]: [expect.any(String)] } },
  });
});

test('a card that is deleted before its payment noted the saving does not reappear', async () => {
  const { body } = await save();
  const token = await newestToken();
  const { collection } = gateway.payments;
  // The state after a process that died between its two writes; not due yet, so that no sweep runs before the deletion.
  const waiting = { tokenizeAt: new Date(Date.now() + 3_600_000) };
  await collection.updateOne({ _id: body.id }, { $set: waiting, $inc: { version: 1 } } as never);
  const deleted = await gateway.call('DELETE', `/v1/customers/${customerId}/payment-instruments/${token}`);
  expect(deleted.status).toBe(200);
  await collection.updateOne({ _id: body.id, ...waiting }, {
    $set: { tokenizeAt: new Date(0) },
    $inc: { version: 1 },
  } as never);
  while ((await gateway.payments.findById(body.id))?.tokenizeAt) await new Promise((resolve) => setImmediate(resolve));
  expect((await stored()).map(({ _id }) => _id)).not.toContain(token);
  expect((await charge(token)).body.code).toBe('invalid-card-payment-method-token');
});

test('a card that a slow worker saves again after its deletion does not reappear', async () => {
  const { body } = await save();
  const [card] = await stored();
  const payment = await gateway.payments.findById(body.id);
  if (!card || !payment) throw new Error('nothing was saved');
  const path = `/v1/customers/${customerId}/payment-instruments/${card._id}`;
  expect((await gateway.call('DELETE', path)).status).toBe(200);
  // The slow worker read the payment before the saved card was noted.
  const instruments = createPaymentInstrumentRepository(gateway.database);
  const { vault, bins, clock, log } = gateway.deps;
  const worker = { payments: gateway.payments, instruments, vault, bins, clock, log, renderCallback: () => '' };
  await saveInstrument(worker, { ...payment, tokenizeAt: clock.now() });
  expect(await instruments.find(card.clientId, card._id)).toBeUndefined();
  expect((await gateway.call('DELETE', path)).status).toBe(404);
});

test('a deletion that names another customer is refused, and the payment is not changed', async () => {
  const { body } = await save();
  const before = await gateway.payments.findById(body.id);
  const { body: another } = await gateway.call('POST', '/v1/customers', { email: 'another@example.com' });
  const path = `/v1/customers/${another.id}/payment-instruments/${await newestToken()}`;
  expect(await gateway.call('DELETE', path)).toMatchObject({
    status: 404,
    body: { code: 'payment-instrument-not-found' },
  });
  expect(await gateway.payments.findById(body.id)).toEqual(before);
});

test('a card that is saved after its customer was deleted is not kept', async () => {
  const { body: customer } = await gateway.call('POST', '/v1/customers', { email: 'leaves@example.com' });
  await save('4242424242424242', { type: 'store' }, { customerId: customer.id });
  const instruments = createPaymentInstrumentRepository(gateway.database);
  const { clientId } = gateway.sandbox;
  const [saved] = await cardsOf(customer.id);
  if (!saved) throw new Error('nothing was saved');
  expect((await gateway.call('DELETE', `/v1/customers/${customer.id}`)).status).toBe(200);
  // As a worker does whose payment was under way during the deletion.
  await instruments.insert(saved);
  expect(await instruments.find(clientId, saved._id)).toBeUndefined();
  expect((await charge(saved._id)).body.code).toBe('invalid-card-payment-method-token');
});

test('a secondary key sees and removes saved cards of its merchants only', async () => {
  const { clientId, secondary } = gateway.sandbox;
  const auth = `${clientId}:${secondary.apiKey}`;
  const { body: customer } = await gateway.call('POST', '/v1/customers', { email: 'of-two@example.com' });
  for (const merchantId of [1001, 1002]) {
    await save('4242424242424242', { type: 'store' }, { customerId: customer.id, merchantId });
  }
  const path = `/v1/customers/${customer.id}/payment-instruments`;
  const all = (await gateway.call('GET', path)).body;
  expect(all).toHaveLength(2);
  const own = (await gateway.call('GET', path, undefined, { auth })).body;
  expect(own).toHaveLength(1);
  const foreign = all.find(({ token }: { token: string }) => token !== own[0].token).token;
  const refused = await gateway.call('DELETE', `${path}/${foreign}`, undefined, { auth });
  expect([refused.status, refused.body.code]).toEqual([404, 'payment-instrument-not-found']);
  expect((await gateway.call('DELETE', `${path}/${own[0].token}`, undefined, { auth })).status).toBe(200);
  expect((await gateway.call('GET', path)).body).toMatchObject([{ token: foreign }]);
});

test('a secondary key that repeats the reference of a payment it may not see learns nothing about it', async () => {
  const { clientId, secondary } = gateway.sandbox;
  const auth = `${clientId}:${secondary.apiKey}`;
  const taken = paymentBody({ merchantId: 1002 });
  const { body: paid } = await gateway.call('POST', '/v1/payments', taken);
  const again = { ...taken, merchantId: 1001 };
  const refused = { code: 'duplicated-reference-id', params: { existingId: [''], existingStatus: [''] } };
  expect((await gateway.call('POST', '/v1/payments', again, { auth })).body).toMatchObject(refused);
  const session = {
    merchantId: 1001,
    referenceId: `${taken.referenceId}-session`,
    type: 'checkout',
    paymentRequest: { ...taken, merchantId: undefined, paymentMethod: undefined },
  };
  expect((await gateway.call('POST', '/v1/sessions', session, { auth })).body).toMatchObject(refused);
  expect((await gateway.call('POST', '/v1/payments', again)).body.params.existingId).toEqual([paid.id]);
});

describe('a secondary key learns only that a reference is used', () => {
  const asSecondary = () => ({ auth: `${gateway.sandbox.clientId}:${gateway.sandbox.secondary.apiKey}` });
  const unseen = {
    status: 409,
    body: {
      code: 'duplicated-reference-id',
      params: { existingId: [''], existingStatus: [''], sameRequest: ['false'] },
    },
  };

  test.each([
    ['captures', { capture: { method: 'manual' } }],
    ['cancellations', { capture: { method: 'manual' } }],
    ['refunds', {}],
  ])('by %s of a merchant that the key may not use', async (operation, more) => {
    const paid = async (merchantId: number) =>
      (await gateway.call('POST', '/v1/payments', paymentBody({ merchantId, ...more }))).body.id;
    const [hidden, own] = [await paid(1002), await paid(1001)];
    const used = { referenceId: `${operation}-${process.pid}` };
    const { body } = await gateway.call('POST', `/v1/payments/${hidden}/${operation}`, used);
    const path = `/v1/payments/${own}/${operation}`;
    expect(await gateway.call('POST', path, used, asSecondary())).toMatchObject(unseen);
    // A key that may see the operation gets its id.
    const seen = await gateway.call('POST', path, used);
    expect(seen.body.params.existingId).toEqual([body.transactions.at(-1).id]);
  });

  test('by a session of a merchant that the key may not use', async () => {
    const { merchantId: _own, paymentMethod: _card, ...paymentRequest } = paymentBody();
    const session = { merchantId: 1002, referenceId: paymentRequest.referenceId, type: 'checkout', paymentRequest };
    const made = await gateway.call('POST', '/v1/sessions', session);
    const taken = paymentBody({ referenceId: paymentRequest.referenceId });
    expect(await gateway.call('POST', '/v1/payments', taken, asSecondary())).toMatchObject(unseen);
    expect((await gateway.call('POST', '/v1/payments', taken)).body.params.existingId).toEqual([made.body.id]);
    const again = await gateway.call('POST', '/v1/sessions', { ...session, merchantId: 1001 }, asSecondary());
    expect(again).toMatchObject(unseen);
  });

  test('by a payment that another key was answered with under the same Idempotency-Key', async () => {
    const taken = paymentBody({ merchantId: 1002 });
    const { body: paid } = await gateway.call('POST', '/v1/payments', taken);
    const headers = { 'idempotency-key': `unseen-${process.pid}` };
    const again = { ...taken, merchantId: 1001 };
    expect((await gateway.call('POST', '/v1/payments', again, { headers })).body.params.existingId).toEqual([paid.id]);
    expect(await gateway.call('POST', '/v1/payments', again, { headers, ...asSecondary() })).toMatchObject(unseen);
  });
});

test('a secondary key cannot delete a customer with a saved card of another merchant', async () => {
  const { clientId, secondary } = gateway.sandbox;
  const auth = `${clientId}:${secondary.apiKey}`;
  const save = async (customerId: string, merchantId: number) => {
    const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' };
    const paymentMethod = { source: 'card', card: { ...card, tokenizationSettings: { type: 'store' } } };
    const paid = await gateway.call('POST', '/v1/payments', paymentBody({ merchantId, customerId, paymentMethod }));
    expect(paid.status).toBe(200);
  };
  const newCustomer = async () => (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
  const [shared, own] = [await newCustomer(), await newCustomer()];
  for (const merchantId of [1001, 1002]) await save(shared, merchantId);
  await save(own, 1001);

  const refused = await gateway.call('DELETE', `/v1/customers/${shared}`, undefined, { auth });
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  expect((await gateway.call('GET', `/v1/customers/${shared}/payment-instruments`)).body).toHaveLength(2);
  expect((await gateway.call('DELETE', `/v1/customers/${own}`, undefined, { auth })).status).toBe(200);
  expect((await gateway.call('DELETE', `/v1/customers/${shared}`)).status).toBe(200);
});
