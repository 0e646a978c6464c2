/** Charges without the payer (`recurring.type` `subsequent`) need a first payment that the payer agreed to. */
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let customerId: string;
beforeAll(async () => {
  gateway = await startGateway({ name: 'first-payments' });
  customerId = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
});
afterAll(() => gateway?.close());

const post = (body: unknown, auth?: string) =>
  gateway.call('POST', '/v1/payments', body, auth === undefined ? {} : { auth });
const byCard = (more: object = {}, card: object = {}) => post(paymentBody({ ...more }, { cvc: undefined, ...card }));
const byToken = (token: string, more: object = {}) =>
  post({ ...paymentBody(), paymentMethod: { source: 'token', paymentInstrument: { token } }, ...more });
const subsequent = (initialPaymentId?: string) => ({ recurring: { type: 'subsequent', initialPaymentId } });
const secondary = () => `${gateway.sandbox.clientId}:${gateway.sandbox.secondary.apiKey}`;
const NAMED = 'recurring.initialPaymentId';

/** Saves a card of the customer with a payment. Returns the token and the id of the payment. */
async function saveCard(more: object = {}, card: object = {}) {
  const paid = await post(paymentBody({ customerId, ...more }, { tokenizationSettings: { type: 'store' }, ...card }));
  expect(paid.status).toBe(200);
  return { token: paid.body.paymentInstrument.token as string, paymentId: paid.body.id as string };
}

const refused = (reason: RegExp) => ({
  status: 400,
  body: { code: 'request-validation-errors', params: { [NAMED]: [expect.stringMatching(reason)] } },
});

describe('a PAN-only credential', () => {
  test('is refused without a first payment, and with a made-up first payment', async () => {
    expect(await byCard(subsequent())).toMatchObject(refused(/is required/));
    expect(await byCard(subsequent('pay_00000000000000000000000000000000'))).toMatchObject(
      refused(/is not a known payment/),
    );
  });

  test('is refused for an initial payment that names a first payment', async () => {
    const first = await byCard({ recurring: { type: 'initial', initialPaymentId: null } });
    expect(first.status).toBe(200);
    const recurring = { type: 'initial', initialPaymentId: first.body.id };
    expect(await byCard({ recurring })).toMatchObject(refused(/only allowed with type subsequent/));
  });

  test.each([
    ['initial', { recurring: { type: 'initial' } }, {}],
    ['made with its cvc', {}, { cvc: '123' }],
  ])('is charged after a payment that was %s', async (_name, more, card) => {
    const first = await byCard(more, card);
    const { status, body } = await byCard(subsequent(first.body.id));
    expect([status, body.status, body.recurring.initialPaymentId]).toEqual([200, 'approved', first.body.id]);
  });

  test.each([
    ['of another card', { number: '5555555555554444', cvc: '123' }, /another card/],
    ['that expires otherwise', { expYear: 2035, cvc: '123' }, /another card/],
    ['without consent', {}, /consent/],
  ])('is refused after a payment %s', async (_name, card, reason) => {
    const first = await byCard({}, card);
    expect(first.body.status).toBe('approved');
    expect(await byCard(subsequent(first.body.id))).toMatchObject(refused(reason));
  });

  test('is refused after a declined payment, and after a subsequent charge', async () => {
    const number = '4000000000000002';
    const declined = await byCard({}, { number, cvc: '123' });
    const id = declined.body.params.paymentId[0];
    expect(await byCard(subsequent(id), { number })).toMatchObject(refused(/not approved/));
    const first = await byCard({ recurring: { type: 'initial' } });
    const later = await byCard(subsequent(first.body.id));
    expect(await byCard(subsequent(later.body.id))).toMatchObject(refused(/consent/));
  });

  test('is refused after a payment that the client or the key cannot see', async () => {
    const first = await byCard({ merchantId: 1002, recurring: { type: 'initial' } });
    const body = () => paymentBody(subsequent(first.body.id));
    expect(await post(body(), secondary())).toMatchObject(refused(/is not a known payment/));
    const { clientId, apiKey } = gateway.sandbox.other;
    expect(await post({ ...body(), merchantId: 2001 }, `${clientId}:${apiKey}`)).toMatchObject(
      refused(/is not a known payment/),
    );
  });

  test('is compared with a saved card by its masked number: a guessed number is not confirmed', async () => {
    const { paymentId } = await saveCard();
    const right = '4242424242424242';
    // The same first and last digits and a valid check digit: one digit is raised by one, the next digit of the same weight lowered by one.
    const wrong = `${right.slice(0, 9)}3${right[10]}1${right.slice(12)}`;
    const { referenceId } = (await byCard(subsequent(paymentId))).body;
    for (const number of [right, wrong]) {
      const { body } = await byCard({ ...subsequent(paymentId), referenceId }, { number });
      expect(body.code).toBe('duplicated-reference-id');
      const renewed = { ...subsequent(paymentId), referenceId };
      expect(await byCard(renewed, { number, expYear: 2036 })).toMatchObject(refused(/another card/));
    }
    expect(await byCard(subsequent(paymentId), { number: '4111111111111111' })).toMatchObject(refused(/another card/));
  });
});

describe('a saved card', () => {
  test('is charged after the payment that saved it, which the request need not name', async () => {
    const { token, paymentId } = await saveCard();
    const { body } = await byToken(token, subsequent());
    const recurring = { type: 'subsequent', initialPaymentId: paymentId, networkTransactionId: expect.any(String) };
    expect([body.status, body.recurring]).toEqual(['approved', recurring]);
  });

  test('that was saved without consent of its payer needs a charge that the payer agreed to', async () => {
    const { token } = await saveCard({}, { cvc: undefined });
    expect(await byToken(token, subsequent())).toMatchObject(refused(/is required/));
    const first = await byToken(token, { recurring: { type: 'initial' } });
    const { body } = await byToken(token, subsequent());
    expect([body.status, body.recurring.initialPaymentId]).toEqual(['approved', first.body.id]);
  });

  test('is refused after a first payment that the key may not see', async () => {
    const { token } = await saveCard({}, { cvc: undefined });
    const elsewhere = await byToken(token, { merchantId: 1002, recurring: { type: 'initial' } });
    expect(elsewhere.body.status).toBe('approved');
    const body = { paymentMethod: { source: 'token', paymentInstrument: { token } }, ...subsequent() };
    expect(await post({ ...paymentBody(), ...body }, secondary())).toMatchObject(refused(/is required/));
    expect((await byToken(token, subsequent())).body.recurring.initialPaymentId).toBe(elsewhere.body.id);
  });

  test('is refused after a first payment of another card', async () => {
    const [one, other] = [await saveCard(), await saveCard({}, { number: '5555555555554444' })];
    expect(await byToken(one.token, subsequent(other.paymentId))).toMatchObject(refused(/another card/));
  });
});

test('a saved card is not charged when the request names another customer', async () => {
  const { token } = await saveCard();
  const other = (await gateway.call('POST', '/v1/customers', { firstName: 'Bea' })).body.id;
  const refused = { status: 400, body: { params: { customerId: [expect.stringMatching(/saved card/)] } } };
  expect(await byToken(token, { customerId: other })).toMatchObject(refused);
  expect((await byToken(token, { customerId })).body.status).toBe('approved');
  expect((await byToken(token)).body.status).toBe('approved');

  const { merchantId, paymentMethod: _card, ...paymentRequest } = paymentBody();
  const session = (more: object) =>
    gateway.call('POST', '/v1/sessions', {
      merchantId,
      referenceId: `session-${paymentRequest.referenceId}`,
      type: 'checkout',
      paymentRequest,
      token,
      ...more,
    });
  expect(await session({ customerId: other })).toMatchObject(refused);
  expect((await session({ customerId })).status).toBe(200);
});
