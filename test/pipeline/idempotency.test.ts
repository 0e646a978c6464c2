/** `Idempotency-Key` with a whole gateway: a repeated request is answered again and not executed again. */
import { request as httpRequest } from 'node:http';
import { type Answer, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { until, waitFor } from '../support/patience.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'idempotency' });
});
afterAll(() => gateway?.close());

let keys = 0;
const newKey = () => `key-${process.pid}-${++keys}`;
const post = (path: string, body: unknown, key: string, auth?: string): Promise<Answer> =>
  gateway.call('POST', path, body, { headers: { 'idempotency-key': key }, ...(auth !== undefined && { auth }) });
const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed');
const rows = () => gateway.database.collection<{ _id: string; seed: string; answer?: unknown }>('idempotency_rows');
const chargesOf = async (paymentId: string) => {
  const { body } = await gateway.call('GET', `/v1/payments/${paymentId}`);
  const ids = body.transactions.map((tx: { id: string }) => tx.id);
  return (await gateway.ledger()).filter(({ key, result }) => ids.includes(key) && result === 'approved').length;
};
/** Simulates a process that died before it stored its answer: no process works on the request and no answer is stored. */
const forgetAnswers = () =>
  rows().updateMany({ answer: { $exists: true } }, {
    $unset: { answer: '' },
    $set: { leaseUntil: new Date(0) },
  } as never);

describe('a payment', () => {
  test('that is repeated gets the same status and body, marked as replayed, and is charged once', async () => {
    const [body, key] = [paymentBody(), newKey()];
    const first = await post('/v1/payments', body, key);
    expect([first.status, first.body.status, replayed(first)]).toEqual([200, 'approved', null]);
    const again = await post('/v1/payments', body, key);
    expect([again.status, replayed(again)]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await chargesOf(first.body.id)).toBe(1);
  });

  test('has its refund replayed when the amount is repeated as text', async () => {
    const paid = await gateway.call('POST', '/v1/payments', paymentBody());
    const [path, key, refund] = [`/v1/payments/${paid.body.id}/refunds`, newKey(), { referenceId: newKey() }];
    const first = await post(path, { ...refund, amount: 1 }, key);
    const again = await post(path, { ...refund, amount: '1.00' }, key);
    expect([first.status, again.status, replayed(again)]).toEqual([200, 200, 'true']);
  });

  test('that was declined gets the same decline again', async () => {
    const [body, key] = [paymentBody({}, { number: '4000000000000002' }), newKey()];
    const first = await post('/v1/payments', body, key);
    const again = await post('/v1/payments', body, key);
    expect([first.status, again.status, replayed(again)]).toEqual([422, 422, 'true']);
    expect(again.body).toEqual(first.body);
  });

  test('whose saved card is deleted while it is accepted is stored, and refused the same way again', async () => {
    const saved = await gateway.call(
      'POST',
      '/v1/payments',
      paymentBody({}, { tokenizationSettings: { type: 'store' } }),
    );
    const { token } = (await until(async () => {
      const { body } = await gateway.call('GET', `/v1/payments/${saved.body.id}`);
      return body.paymentInstrument;
    })) as { token: string };
    const body = { ...paymentBody(), paymentMethod: { source: 'token', paymentInstrument: { token } } };
    const key = newKey();
    const { payments } = gateway.deps;
    const { insert } = payments;
    const deleteFirst: typeof insert = async (payment) => {
      await gateway.database.collection('payment_instruments').deleteOne({ _id: token } as never);
      return insert(payment);
    };
    Object.assign(payments, { insert: deleteFirst });
    const first = await post('/v1/payments', body, key).finally(() => Object.assign(payments, { insert }));
    expect([first.status, first.body.code]).toEqual([400, 'invalid-card-payment-method-token']);
    const [paymentId] = first.body.params.paymentId;
    const again = await post('/v1/payments', body, key);
    expect([again.status, replayed(again)]).toEqual([400, 'true']);
    expect(again.body).toEqual(first.body);
    expect(await chargesOf(paymentId)).toBe(0);
  });

  test('with a used reference is refused the same way again', async () => {
    const body = paymentBody();
    await gateway.call('POST', '/v1/payments', body);
    const key = newKey();
    const [first, again] = [await post('/v1/payments', body, key), await post('/v1/payments', body, key)];
    expect([first.status, first.body.code, replayed(first)]).toEqual([409, 'duplicated-reference-id', null]);
    expect([again.status, replayed(again)]).toEqual([409, 'true']);
    expect(again.body).toEqual(first.body);
  });

  test('sent ten times at once is charged once, and each call gets its answer or 409 with Retry-After', async () => {
    const [body, key] = [paymentBody(), newKey()];
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/v1/payments', body, key)));
    const done = answers.filter(({ status }) => status === 200);
    const conflicts = answers.filter(({ status }) => status === 409);
    expect(done.length).toBeGreaterThan(0);
    expect(done.length + conflicts.length).toBe(10);
    expect(new Set(done.map((one) => one.body.id)).size).toBe(1);
    for (const one of conflicts) expect([one.body.code, one.headers.get('retry-after')]).toEqual(['conflict', '2']);
    expect(await chargesOf(done[0]?.body.id)).toBe(1);
    expect(await gateway.database.collection('payments').countDocuments({ referenceId: body.referenceId })).toBe(1);
  });

  test('repeated without its cvc counts as the same body, but with another amount it does not', async () => {
    const [body, key] = [paymentBody(), newKey()];
    const first = await post('/v1/payments', body, key);
    const { cvc: _cvc, ...card } = body.paymentMethod.card;
    const again = await post('/v1/payments', { ...body, paymentMethod: { ...body.paymentMethod, card } }, key);
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    const other = await post('/v1/payments', { ...body, amount: { total: 11, currency: 'USD' } }, key);
    expect([other.status, other.body.code, other.headers.get('retry-after')]).toEqual([409, 'conflict', null]);
    expect(other.body.message).toMatch(/a different body/);
  });

  test('a refusal that changed nothing frees the key', async () => {
    const key = newKey();
    const body = paymentBody({ customerId: 'cus_unknown' });
    const refused = await post('/v1/payments', body, key);
    expect([refused.status, Object.keys(refused.body.params)]).toEqual([400, ['customerId']]);
    const { customerId: _unknown, ...right } = body as Record<string, unknown>;
    const paid = await post('/v1/payments', right, key);
    expect([paid.status, replayed(paid)]).toEqual([200, null]);
  });

  test('does not share its key with other clients or other paths', async () => {
    const key = newKey();
    const [mine, verify] = [paymentBody(), paymentBody()];
    expect((await post('/v1/payments', mine, key)).status).toBe(200);
    const { clientId, apiKey } = gateway.sandbox.other;
    const theirs = await post('/v1/payments', { ...mine, merchantId: 2001 }, key, `${clientId}:${apiKey}`);
    expect([theirs.status, replayed(theirs)]).toEqual([200, null]);
    const verified = await post('/v1/payments/verify', { ...verify, amount: { currency: 'USD' } }, key);
    expect([verified.status, verified.body.status, replayed(verified)]).toEqual([200, 'authorized', null]);
  });
});

describe('after a crash', () => {
  test('before the payment was stored, the next call pays, under the id that was chosen first', async () => {
    const [body, key] = [paymentBody(), newKey()];
    // A first call pays. Then everything that it stored is removed, except the row that it began with.
    const first = await post('/v1/payments', body, key);
    await gateway.payments.collection.deleteOne({ _id: first.body.id });
    await forgetAnswers();
    const again = await post('/v1/payments', body, key);
    expect([again.status, again.body.id, again.body.status]).toEqual([200, first.body.id, 'approved']);
    expect(again.body.transactions[0].id).not.toBe(first.body.transactions[0].id);
  });

  test('after the payment was stored, its outcome is answered and nothing is charged again', async () => {
    const [body, key] = [paymentBody(), newKey()];
    const first = await post('/v1/payments', body, key);
    await forgetAnswers();
    const again = await post('/v1/payments', body, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await chargesOf(first.body.id)).toBe(1);
    expect(replayed(await post('/v1/payments', body, key))).toBe('true');
  });

  test('a payment is answered with its outcome even if its customer was deleted meanwhile', async () => {
    const { body: customer } = await gateway.call('POST', '/v1/customers', { firstName: 'Ana' });
    const [body, key] = [paymentBody({ customerId: customer.id }), newKey()];
    const first = await post('/v1/payments', body, key);
    await gateway.call('DELETE', `/v1/customers/${customer.id}`);
    await forgetAnswers();
    const again = await post('/v1/payments', body, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  test('a declined payment is answered with the same 422', async () => {
    const [body, key] = [paymentBody({}, { number: '4000000000009995' }), newKey()];
    const first = await post('/v1/payments', body, key);
    await forgetAnswers();
    const again = await post('/v1/payments', body, key);
    const { traceId: _first, ...answered } = first.body;
    expect(again).toMatchObject({ status: 422, body: answered });
  });

  test('a refund is answered with its outcome, and made once', async () => {
    const { body: paid } = await gateway.call('POST', '/v1/payments', paymentBody());
    const [body, key] = [{ referenceId: `refund-${newKey()}`, amount: 4 }, newKey()];
    const first = await post(`/v1/payments/${paid.id}/refunds`, body, key);
    expect(first.body).toMatchObject({ status: 'partially-refunded', amount: { refunded: 4 } });
    await forgetAnswers();
    const again = await post(`/v1/payments/${paid.id}/refunds`, body, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await gateway.ledger()).filter(({ key: id }) => id === first.body.transactions[1].id)).toHaveLength(1);
  });

  test('the creation of a customer is answered with the customer that was created', async () => {
    const [body, key] = [{ email: `${newKey()}@example.com` }, newKey()];
    const first = await post('/v1/customers', body, key);
    await forgetAnswers();
    const again = await post('/v1/customers', body, key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await gateway.database.collection('customers').countDocuments({ email: body.email })).toBe(1);
  });

  test('a call gets 409 with Retry-After while the lease of the call before still runs', async () => {
    const [body, key] = [paymentBody(), newKey()];
    await post('/v1/payments', body, key);
    await rows().updateMany({ answer: { $exists: true } }, {
      $unset: { answer: '' },
      $set: { leaseUntil: new Date(Date.now() + 30_000) },
    } as never);
    const again = await post('/v1/payments', body, key);
    expect([again.status, again.body.code, again.headers.get('retry-after')]).toEqual([409, 'conflict', '2']);
  });
});

test.each([
  ['captures', { capture: { method: 'manual' } }, 'approved'],
  ['cancellations', { capture: { method: 'manual' } }, 'cancelled'],
  ['refunds', {}, 'refunded'],
])('%s: ten calls at once with one key move the money once', async (operation, more, status) => {
  const { body: payment } = await gateway.call('POST', '/v1/payments', paymentBody(more));
  const [body, key] = [{ referenceId: newKey() }, newKey()];
  const path = `/v1/payments/${payment.id}/${operation}`;
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(path, body, key)));
  const done = answers.filter((one) => one.status === 200);
  expect(done.length).toBeGreaterThan(0);
  for (const one of done) expect(one.body.status).toBe(status);
  for (const one of answers.filter((other) => other.status !== 200)) expect(one.headers.get('retry-after')).toBe('2');
  expect((await post(path, body, key)).body).toEqual(done[0]?.body);
  expect(done[0]?.body.transactions).toHaveLength(2);
});

test('a key that is too long, not printable or given twice is refused with 400, and a GET ignores its key', async () => {
  for (const key of ['k'.repeat(256), 'k\tk', 'kä']) {
    const refused = await post('/v1/payments', paymentBody(), key);
    expect([refused.status, refused.body.code]).toEqual([400, 'request-validation-errors']);
    expect(Object.keys(refused.body.params)).toEqual(['Idempotency-Key']);
  }
  const twice = await new Promise((resolve) => {
    const { clientId, apiKey } = gateway.sandbox;
    const headers = { 'Idempotency-Key': ['one', 'two'], authorization: `Basic ${btoa(`${clientId}:${apiKey}`)}` };
    const json = { ...headers, 'content-type': 'application/json' };
    httpRequest(`${gateway.baseUrl}/v1/payments`, { method: 'POST', headers: json }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end(JSON.stringify(paymentBody()));
  });
  expect(twice).toBe(400);
  expect((await post('/v1/payments', paymentBody(), `${'k'.repeat(230)}-${newKey()}`)).status).toBe(200);
  const key = newKey();
  const read = () => gateway.call('GET', '/v1/customers', undefined, { headers: { 'idempotency-key': key } });
  expect([(await read()).status, replayed(await read())]).toEqual([200, null]);
});

test('the stored row contains neither card number nor key, and no longer counts once it has expired', async () => {
  const [body, key] = [paymentBody({}, { number: '5555555555554444', cvc: '937' }), `needle-${newKey()}`];
  const { body: paid } = await post('/v1/payments', body, key);
  // A read sees the answer when a majority has it, and the call does not wait for that.
  const stored = async () => JSON.stringify(await rows().find({}).toArray());
  const text = await waitFor(stored, (seen) => seen.includes(paid.id), 'the answer is in the row');
  expect(['5555555555554444', 'needle-'].filter((part) => text.includes(part))).toEqual([]);
  const [index] = (await rows().indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds === 0);
  expect(index?.key).toEqual({ expireAt: 1 });
  // A row that has expired and is not removed yet no longer counts.
  await rows().updateMany({}, { $set: { expireAt: new Date(Date.now() - 1_000) } } as never);
  const late = await post('/v1/payments', body, key);
  expect([late.status, late.body.code, replayed(late)]).toEqual([409, 'duplicated-reference-id', null]);
});
