/** The errors in the table of docs/decisions.md that depend on the state of a payment, tested on a whole gateway. */
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { CARD_NUMBER } from './payment-fields.js';
import { withValue } from './schema-walk.js';
import { withoutLimits } from './wire-client.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    name: 'states',
    settings: { ...withoutLimits, PROCESSOR_TIMEOUT_MS: '2000', RESPONSE_WAIT_MS: '25000' },
  });
});
afterAll(() => gateway?.close());

describe('the state of a payment', () => {
  const pay = async (more: Record<string, unknown> = {}, number = CARD_NUMBER) => {
    const sent = paymentBody(more, { number });
    return { sent, ...(await gateway.call('POST', '/v1/payments', sent)) };
  };
  const operate = (id: string, operation: string, more: Record<string, unknown> = {}) =>
    gateway.call('POST', `/v1/payments/${id}/${operation}`, { referenceId: `${operation}-${Math.random()}`, ...more });

  test('a reference is used once; the 409 names its payment and tells whether the request was the same', async () => {
    const { sent, body: first } = await pay();
    const existing = { existingId: [first.id], existingStatus: ['approved'] };
    const same = await gateway.call('POST', '/v1/payments', sent);
    expect(same).toMatchObject({
      status: 409,
      body: { code: 'duplicated-reference-id', params: { ...existing, sameRequest: ['true'] } },
    });
    const other = await gateway.call('POST', '/v1/payments', { ...sent, invoiceNumber: 'another' });
    expect(other).toMatchObject({ status: 409, body: { params: { ...existing, sameRequest: ['false'] } } });
  });

  test('a reference refused by validation can be used again, and that of a declined payment cannot', async () => {
    const sent = paymentBody();
    expect((await gateway.call('POST', '/v1/payments', { ...sent, flow: 'pos' })).status).toBe(400);
    expect((await gateway.call('POST', '/v1/payments', sent)).status).toBe(200);
    const declined = await pay({}, '4000000000000002');
    expect(declined.status).toBe(422);
    expect((await gateway.call('POST', '/v1/payments', declined.sent)).body.code).toBe('duplicated-reference-id');
  });

  test.each([
    ['4000000000000002', 'declined-by-acquirer', 'generic_decline'],
    ['4000000000100018', 'authentication-required', 'authentication_required'],
    ['4000000000100075', 'acquirer-offline', undefined],
  ])('the card %s is refused with 422 %s and the id of the payment', async (number, code, declineCode) => {
    const { status, body } = await pay({}, number);
    expect([status, body.code, body.type, body.declineCode]).toEqual([422, code, 'processor-error', declineCode]);
    expect(body.params).toEqual({ paymentId: [expect.stringMatching(/^pay_/)] });
  });

  test('a verification is refused for a failing card, an unsupported currency and an amount', async () => {
    const { capture: _capture, ...verify } = { ...paymentBody(), capture: undefined };
    const sent = (card: string, amount: unknown) => ({
      ...verify,
      referenceId: `verify-${Math.random()}`,
      amount,
      paymentMethod: withValue(verify.paymentMethod, ['card', 'number'], card),
    });
    const ask = (body: unknown) => gateway.call('POST', '/v1/payments/verify', body);
    expect(await ask(sent('4000000000100133', { currency: 'USD' }))).toMatchObject({
      status: 422,
      body: { code: 'funds-verification-failed' },
    });
    expect(await ask(sent('4000000000100018', { currency: 'USD' }))).toMatchObject({
      status: 422,
      body: { code: 'authentication-required' },
    });
    expect(await ask(sent(CARD_NUMBER, { currency: 'EUR' }))).toMatchObject({
      status: 400,
      body: { code: 'currency-not-found' },
    });
    expect(await ask(sent(CARD_NUMBER, { currency: 'USD', total: 1 }))).toMatchObject({
      status: 400,
      body: { code: 'request-validation-errors', params: { 'amount.total': expect.anything() } },
    });
  });

  test('an operation that the state does not allow is a conflict, and a wrong amount is invalid', async () => {
    const { body: bought } = await pay();
    expect(await operate(bought.id, 'captures')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await operate(bought.id, 'cancellations')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    for (const amount of [10.51, '0', '-1', '1.001', '1e1', 'NaN']) {
      const { status, body } = await operate(bought.id, 'refunds', { amount });
      expect([amount, status, body.code, Object.keys(body.params)]).toEqual([
        amount,
        400,
        'payment-invalid-amount',
        ['amount'],
      ]);
    }
    const { body: held } = await pay({ capture: { method: 'manual' } });
    expect(await operate(held.id, 'refunds')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await operate(held.id, 'captures', { amount: 10.51 })).toMatchObject({
      status: 400,
      body: { code: 'payment-invalid-amount' },
    });
    const wrongReason = await operate(held.id, 'cancellations', { reason: 'x'.repeat(65) });
    expect(wrongReason.body).toMatchObject({
      code: 'request-validation-errors',
      params: { reason: expect.anything() },
    });
    expect((await operate(held.id, 'cancellations', { reason: 'order-cancelled' })).status).toBe(200);
  });

  test('unknown payments, long ids, unknown paths and wrong methods have their own codes', async () => {
    const get = (path: string) => gateway.call('GET', path);
    for (const id of [
      'pay_00000000000000000000000000000000',
      'x',
      '%00',
      '%E2%80%A8',
      '..%2F..%2Fadmin',
      '$ne',
      '{"$ne":1}',
      '1e400',
    ]) {
      expect([id, (await get(`/v1/payments/${id}`)).body.code]).toEqual([id, 'payment-not-found']);
    }
    expect((await get(`/v1/payments/${'x'.repeat(201)}`)).body.code).toBe('request-validation-errors');
    expect((await get('/v1/payments/%E0%A4%A')).body.code).toBe('request-validation-errors');
    expect((await get('/v1/nothing')).body).toMatchObject({ code: 'not-found', status: 404 });
    const wrong = await gateway.call('DELETE', '/v1/payments');
    expect([wrong.status, wrong.body.code, wrong.headers.get('allow')]).toEqual([405, 'method-not-allowed', 'POST']);
  });
});
