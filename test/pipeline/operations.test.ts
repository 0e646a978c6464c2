import { type Answer, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'operations' });
});
afterAll(() => gateway?.close());

const pay = (more: Record<string, unknown> = {}, card: Record<string, unknown> = {}) =>
  gateway.call('POST', '/v1/payments', paymentBody(more, card));
const authorize = async (card: Record<string, unknown> = {}) => {
  const { body } = await pay({ capture: { method: 'manual' } }, card);
  expect(body.status).toBe('authorized');
  return body;
};
let n = 0;
const reference = () => `op-${process.pid}-${++n}`;
const operate = (id: string, operation: string, body: Record<string, unknown> = {}): Promise<Answer> =>
  gateway.call('POST', `/v1/payments/${id}/${operation}`, { referenceId: reference(), ...body });

describe('capture', () => {
  test('takes the whole hold when no amount is given', async () => {
    const held = await authorize();
    expect(held.expiresAt).toBeDefined();
    const captured = await operate(held.id, 'captures');
    expect(captured.status).toBe(200);
    expect(captured.body).toMatchObject({ status: 'approved', amount: { captured: 10.5, refunded: 0 } });
    expect(captured.body.transactions.map((tx: { type: string }) => tx.type)).toEqual(['authorization', 'capture']);
    expect(captured.body.expiresAt).toBeUndefined();
  });

  test('takes a part only once: a second capture is refused', async () => {
    const held = await authorize();
    const captured = await operate(held.id, 'captures', { amount: '7.25' });
    expect(captured.body).toMatchObject({ status: 'approved', amount: { total: 10.5, captured: 7.25 } });
    const again = await operate(held.id, 'captures', { amount: 1 });
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict', type: 'api-error' } });
  });

  test('refuses an amount above the hold, with too many decimals, not positive or not a number', async () => {
    const held = await authorize();
    for (const amount of [10.51, '0.001', 0, '-1', 'ten']) {
      const refused = await operate(held.id, 'captures', { amount });
      expect(refused).toMatchObject({
        status: 400,
        body: { code: 'payment-invalid-amount', params: { amount: [expect.any(String)] } },
      });
    }
    expect((await operate(held.id, 'captures')).status).toBe(200);
  });

  test('of a null amount is refused: only an absent amount means the whole hold', async () => {
    const held = await authorize();
    expect(await operate(held.id, 'captures', { amount: null })).toMatchObject({
      status: 400,
      body: { params: { amount: ['"amount" must not be null: leave it out to capture all that is authorized'] } },
    });
    const { body } = await gateway.call('GET', `/v1/payments/${held.id}`);
    expect(body).toMatchObject({ status: 'authorized', amount: { captured: 0 } });
  });

  test('that the acquirer denies gets 422, and the hold stays', async () => {
    const held = await authorize({ number: '4000000000100026' });
    const denied = await operate(held.id, 'captures');
    expect(denied).toMatchObject({
      status: 422,
      body: { code: 'declined-by-acquirer', params: { paymentId: [held.id] } },
    });
    const { body } = await gateway.call('GET', `/v1/payments/${held.id}`);
    expect(body).toMatchObject({ status: 'authorized', amount: { captured: 0 } });
    expect(body.transactions[1]).toMatchObject({ type: 'capture', status: 'denied' });
  });

  test('is made automatically after `capture.delay`', async () => {
    const { body } = await pay({ capture: { delay: 1 } });
    expect(body).toMatchObject({ status: 'authorized', capture: { method: 'automatic', delay: 1 } });
    const captured = await gateway.until(body.id, 'approved');
    expect(captured.amount.captured).toBe(10.5);
  });
});

describe('cancellation', () => {
  test('releases the hold, and further operations are refused', async () => {
    const held = await authorize();
    const cancelled = await operate(held.id, 'cancellations', {
      reason: 'customer-request',
      description: 'changed mind',
    });
    expect(cancelled.body).toMatchObject({ status: 'cancelled' });
    expect(cancelled.body.transactions[1]).toMatchObject({
      type: 'cancellation',
      status: 'approved',
      reason: 'customer-request',
      description: 'changed mind',
    });
    for (const operation of ['captures', 'cancellations', 'refunds']) {
      expect((await operate(held.id, operation)).status).toBe(409);
    }
  });

  test('that the acquirer refuses gets 422, and the payment stays authorized', async () => {
    const held = await authorize({ number: '4000000000100034' });
    expect((await operate(held.id, 'cancellations')).status).toBe(422);
    expect((await gateway.call('GET', `/v1/payments/${held.id}`)).body.status).toBe('authorized');
  });

  test('of a captured payment gets 409 with the advice to refund', async () => {
    const { body } = await pay();
    const refused = await operate(body.id, 'cancellations');
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: expect.stringMatching(/refund/) },
    });
  });

  test('keeps a reason that is not listed as it was sent', async () => {
    const held = await authorize();
    const long = await operate(held.id, 'cancellations', { reason: 'x'.repeat(65) });
    expect(long).toMatchObject({ status: 400, body: { params: { reason: [expect.any(String)] } } });
    const { status, body } = await operate(held.id, 'cancellations', { reason: 'just because' });
    expect([status, body.status, body.transactions.at(-1).reason]).toEqual([200, 'cancelled', 'just because']);
  });
});

describe('refund', () => {
  test('is possible in parts until nothing is left', async () => {
    const { body } = await pay();
    const part = await operate(body.id, 'refunds', { amount: 4, reason: 'return', metadata: { rma: '7' } });
    expect(part.body).toMatchObject({ status: 'partially-refunded', amount: { refunded: 4 } });
    expect(part.body.transactions[1]).toMatchObject({
      type: 'refund',
      amount: 4,
      reason: 'return',
      metadata: { rma: '7' },
    });
    const more = await operate(body.id, 'refunds', { amount: '1.50' });
    expect(more.body).toMatchObject({ status: 'partially-refunded', amount: { refunded: 5.5 } });
    const tooMuch = await operate(body.id, 'refunds', { amount: 5.01 });
    expect(tooMuch).toMatchObject({ status: 400, body: { code: 'payment-invalid-amount' } });
    const rest = await operate(body.id, 'refunds');
    expect(rest.body).toMatchObject({ status: 'refunded', amount: { refunded: 10.5 } });
    expect((await operate(body.id, 'refunds')).status).toBe(409);
  });

  test('of a null amount is refused: only an absent amount means all that is left', async () => {
    const { body } = await pay();
    expect(await operate(body.id, 'refunds', { amount: null })).toMatchObject({
      status: 400,
      body: { params: { amount: ['"amount" must not be null: leave it out to refund all that is left'] } },
    });
    const after = await gateway.call('GET', `/v1/payments/${body.id}`);
    expect(after.body).toMatchObject({ status: 'approved', amount: { refunded: 0 } });
  });

  test('of a partial capture returns no more than was captured', async () => {
    const held = await authorize();
    await operate(held.id, 'captures', { amount: 3 });
    expect((await operate(held.id, 'refunds', { amount: 3.01 })).status).toBe(400);
    expect((await operate(held.id, 'refunds')).body).toMatchObject({ status: 'refunded', amount: { refunded: 3 } });
  });
});

describe('verify', () => {
  const verifyBody = (currency = 'USD', number = '4242424242424242') => {
    const { merchantId, referenceId, paymentMethod } = paymentBody({}, { number });
    return { merchantId, referenceId, amount: { currency }, paymentMethod };
  };

  test.each([
    ['USD', 1],
    ['UYU', 25],
  ])('in %s holds %d and is released by the gateway', async (currency, total) => {
    const verified = await gateway.call('POST', '/v1/payments/verify', verifyBody(currency));
    expect(verified.body).toMatchObject({ status: 'authorized', amount: { total, currency } });
    const final = await gateway.until(verified.body.id, 'cancelled');
    expect(final.transactions).toMatchObject([
      { type: 'authorization', status: 'approved', amount: total },
      { type: 'cancellation', status: 'approved', reason: 'card-verification' },
    ]);
  });

  test('without an invoice number is stored and answered with the reference, shortened by whole characters', async () => {
    const body = verifyBody();
    // The 64th and the 65th unit are the two halves of one character.
    const referenceId = `${body.referenceId.padEnd(63, '-')}\u{1f4d6}`;
    const verified = await gateway.call('POST', '/v1/payments/verify', { ...body, referenceId });
    expect(verified.body).toMatchObject({ status: 'authorized', referenceId });
    const stored = await gateway.call('GET', `/v1/payments/${verified.body.id}`);
    expect([verified.body.invoiceNumber, stored.body.invoiceNumber]).toEqual(Array(2).fill(referenceId.slice(0, 63)));
  });

  test('refuses other currencies and an amount', async () => {
    const other = await gateway.call('POST', '/v1/payments/verify', verifyBody('EUR'));
    expect(other).toMatchObject({ status: 400, body: { code: 'currency-not-found' } });
    const total = await gateway.call('POST', '/v1/payments/verify', {
      ...verifyBody(),
      amount: { currency: 'USD', total: 1 },
    });
    expect(total).toMatchObject({ status: 400, body: { params: { 'amount.total': [expect.any(String)] } } });
  });

  test('that the issuer refuses gets 422 funds-verification-failed, and is denied', async () => {
    const refused = await gateway.call('POST', '/v1/payments/verify', verifyBody('USD', '4000000000100133'));
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'funds-verification-failed', type: 'processor-error' },
    });
    const { body } = await gateway.call('GET', `/v1/payments/${refused.body.params.paymentId[0]}`);
    expect(body.status).toBe('denied');
  });
});

describe('duplicate references', () => {
  test('POST /v1/payments 409: names the payment of the reference, and whether the request is the same', async () => {
    const request = paymentBody();
    const { body: first } = await gateway.call('POST', '/v1/payments', request);
    const same = await gateway.call('POST', '/v1/payments', request);
    expect(same).toMatchObject({
      status: 409,
      body: {
        code: 'duplicated-reference-id',
        type: 'invalid-request-error',
        params: { existingId: [first.id], existingStatus: ['approved'], sameRequest: ['true'] },
      },
    });
    const other = await gateway.call('POST', '/v1/payments', { ...request, amount: { total: 11, currency: 'USD' } });
    expect(other.body.params.sameRequest).toEqual(['false']);
    expect((await gateway.ledger()).filter((entry) => entry.key === first.transactions[0].id)).toHaveLength(1);
  });

  test('a declined payment uses its reference up, a refused request does not', async () => {
    const declined = paymentBody({}, { number: '4000000000000002' });
    expect((await gateway.call('POST', '/v1/payments', declined)).status).toBe(422);
    expect((await gateway.call('POST', '/v1/payments', declined)).body.code).toBe('duplicated-reference-id');
    const invalid = paymentBody({ merchantId: 'x' });
    expect((await gateway.call('POST', '/v1/payments', invalid)).status).toBe(400);
    expect((await gateway.call('POST', '/v1/payments', { ...invalid, merchantId: 1001 })).status).toBe(200);
  });

  test('the same amount as number and as text is the same request', async () => {
    const { id } = await authorize();
    const capture = (amount: unknown, referenceId: string) =>
      gateway.call('POST', `/v1/payments/${id}/captures`, { referenceId, amount });
    const own = reference();
    expect((await capture(2, own)).status).toBe(200);
    expect((await capture('2.00', own)).body.params.sameRequest).toEqual(['true']);
    expect((await capture('2.01', own)).body.params.sameRequest).toEqual(['false']);
  });

  test('the reference of an operation is unique per client and kind, also across payments', async () => {
    const [a, b] = [await authorize(), await authorize()];
    const body = { referenceId: reference() };
    expect((await gateway.call('POST', `/v1/payments/${a.id}/captures`, body)).status).toBe(200);
    const within = await gateway.call('POST', `/v1/payments/${a.id}/captures`, body);
    expect(within.body).toMatchObject({ code: 'duplicated-reference-id', params: { existingStatus: ['approved'] } });
    const across = await gateway.call('POST', `/v1/payments/${b.id}/captures`, body);
    expect(across.body).toMatchObject({ code: 'duplicated-reference-id', params: { sameRequest: ['false'] } });
    expect((await gateway.call('POST', `/v1/payments/${a.id}/refunds`, body)).status).toBe(200);
    expect((await gateway.call('POST', `/v1/payments/${b.id}/cancellations`, body)).status).toBe(200);
  });

  test('another client may use the same reference', async () => {
    const request = paymentBody();
    await gateway.call('POST', '/v1/payments', request);
    const { clientId, apiKey } = gateway.sandbox.other;
    const other = await gateway.call(
      'POST',
      '/v1/payments',
      { ...request, merchantId: 2001 },
      { auth: `${clientId}:${apiKey}` },
    );
    expect(other.status).toBe(200);
  });
});

describe('access to payments', () => {
  test('another client gets the same 404 as for an id that does not exist', async () => {
    const { body } = await pay();
    const auth = `${gateway.sandbox.other.clientId}:${gateway.sandbox.other.apiKey}`;
    const strip = ({ body: { traceId: _, ...rest } }: Answer) => rest;
    const foreign = await gateway.call('GET', `/v1/payments/${body.id}`, undefined, { auth });
    const absent = await gateway.call('GET', '/v1/payments/pay_00000000000000000000000000000000', undefined, { auth });
    expect(foreign.status).toBe(404);
    expect(strip(foreign)).toEqual(strip(absent));
    for (const operation of ['captures', 'cancellations', 'refunds']) {
      const refused = await gateway.call(
        'POST',
        `/v1/payments/${body.id}/${operation}`,
        { referenceId: reference() },
        { auth },
      );
      expect(refused).toMatchObject({ status: 404, body: { code: 'payment-not-found' } });
    }
  });

  test('a secondary key uses granted merchants only', async () => {
    const { clientId, apiKey } = gateway.sandbox.secondary;
    const auth = `${clientId}:${apiKey}`;
    expect((await gateway.call('POST', '/v1/payments', paymentBody(), { auth })).status).toBe(200);
    const denied = await gateway.call('POST', '/v1/payments', paymentBody({ merchantId: 1002 }), { auth });
    expect(denied).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const { body } = await pay({ merchantId: 1002 });
    expect((await gateway.call('GET', `/v1/payments/${body.id}`, undefined, { auth })).status).toBe(404);
  });

  test('an unknown merchant is 400, a foreign one 403, no or wrong credentials 401', async () => {
    expect(await pay({ merchantId: 999_999 })).toMatchObject({ status: 400, body: { code: 'merchant-not-found' } });
    expect(await pay({ merchantId: 2001 })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    for (const auth of [null, 'nobody:nothing', `${gateway.sandbox.clientId}:${gateway.sandbox.other.apiKey}`]) {
      const refused = await gateway.call('POST', '/v1/payments', paymentBody(), { auth });
      expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized', traceId: expect.any(String) } });
    }
  });
});

test('an answered payment or operation, done or refused, no longer counts as waiting', async () => {
  const held = await authorize();
  expect((await operate(held.id, 'captures', { amount: 99 })).status).toBe(400);
  expect((await operate(held.id, 'captures')).status).toBe(200);
  expect((await operate(held.id, 'captures')).status).toBe(409);
  expect((await operate(held.id, 'refunds')).status).toBe(200);
  expect((await operate((await authorize()).id, 'cancellations')).status).toBe(200);
  expect((await pay({}, { number: '4000000000000002' })).status).toBe(422);
  // Each count that leaks is a slot less. Without any slot everything is refused until a restart.
  expect(await gateway.metrics.text()).toMatch(/^gateway_waiting\{.*\} 0$/m);
});
