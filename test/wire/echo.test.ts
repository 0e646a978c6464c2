/** What is sent is stored and returned: by POST, by GET, and as published. Only the allowed details of the card are shown. */
import { endpoints } from '../../api/routes.js';
import { keptFields } from '../../shared/domain/payment/payment.js';
import { publishedDocument, publishedSchemas } from '../contract/published-schema.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { walletScript } from '../support/wallet-keys.js';
import { maximalBody } from './maximal-bodies.js';
import { CARD_NUMBER, SECRET_CVC } from './payment-fields.js';
import { fieldsOf, valueAt, withValue } from './schema-walk.js';
import { withoutLimits } from './wire-client.js';

const published = publishedSchemas(publishedDocument());
const endpointOf = (operationId: string) => {
  const found = endpoints.find((endpoint) => endpoint.operationId === operationId);
  if (!found) throw new Error(`there is no endpoint ${operationId}`);
  return found;
};
const misfits = (operationId: string, body: unknown) => published.response(endpointOf(operationId), 200)(body);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'echo', settings: { ...withoutLimits, ...walletScript } });
  // A payment with a customer id needs a customer that exists.
  const customer = await gateway.call('POST', '/v1/customers', { email: 'ana@example.com' });
  if (customer.status === 200) echoed.customerId = customer.body.id;
  // A merchant-initiated payment names an earlier payment with the same card to which the payer agreed.
  const first = await post('/v1/payments', maximal('createPayment', { recurring: { type: 'initial' } }));
  echoed.recurring.initialPaymentId = first.body.id;
});
afterAll(() => gateway?.close());

let count = 0;
const maximal = (operationId: string, changes: Record<string, unknown> = {}) => {
  count += 1;
  const body = structuredClone(maximalBody(operationId));
  if ('customerId' in body) body.customerId = echoed.customerId;
  if ('recurring' in body)
    body.recurring = { ...(body.recurring as object), initialPaymentId: echoed.recurring.initialPaymentId };
  return { ...body, referenceId: `echo-${count}`, ...changes };
};
const post = (path: string, body: unknown) => gateway.call('POST', path, body);
const get = async (id: string) => (await gateway.call('GET', `/v1/payments/${id}`)).body;

/** The maximal payment as in an answer: numbers for decimals, UTC with milliseconds for date-times. */
const echoed = {
  merchantId: 1001,
  flow: 'direct',
  invoiceNumber: 'INV-MAX-1',
  processingMethod: 'api',
  items: [
    {
      referenceId: 'sku-1',
      name: 'Book',
      description: 'Hard cover',
      quantity: 2,
      price: 45.5,
      discount: 1.5,
      tax: { amount: 3.3, currency: 'USD' },
      metadata: { isbn: '978-3-16-148410-0' },
    },
  ],
  ...Object.fromEntries(keptFields.map((name) => [name, maximalBody('createPayment')[name]])),
  amount: {
    total: 122.05,
    currency: 'USD',
    tip: 2,
    tax: 22,
    taxedAmount: 100.05,
    details: {
      tax: { type: '17934', amount: 22, rate: 0.22 },
      taxedAmount: 100.05,
      tip: { amount: 2, description: 'Thanks' },
      discount: { amount: 1.5, description: 'Spring' },
      shipping: { amount: 0, description: 'Free' },
      surcharge: { amount: 0.5, description: 'Card' },
    },
    captured: 122.05,
    refunded: 0,
  },
  capture: { method: 'automatic' },
  customerId: 'cus_00000000000000000000000000000001',
  recurring: {
    type: 'subsequent',
    initialPaymentId: 'pay_00000000000000000000000000000001',
    frequency: 'monthly',
    reason: 'installment',
    networkTransactionId: expect.any(String),
    expiresAt: '2031-05-06T05:08:09.000Z',
  },
  metadata: { order: 'A-1', 'with space': 'ünï 日本 🌞' },
  paymentInstrument: { token: expect.any(String), type: 'persistent', expiresAt: '2040-01-31T15:00:00.000Z' },
  paymentMethod: {
    id: 'visa',
    name: 'Visa',
    type: 'card',
    source: 'card',
    card: { brand: 'visa', last4: '1111', expirationMonth: 11, expirationYear: 2041 },
  },
};

test('a payment with every field set is answered and read the same, as published', async () => {
  const sent = maximal('createPayment');
  const { status, body } = await post('/v1/payments', sent);
  expect(status).toBe(200);
  const { id, referenceId, status: state, createdAt, updatedAt, processedAt, transactions, actions, ...echo } = body;
  expect(echo).toEqual(echoed);
  expect([referenceId, state, actions]).toEqual([sent.referenceId, 'approved', []]);
  expect(transactions).toHaveLength(1);
  for (const time of [createdAt, updatedAt, processedAt, transactions[0].createdAt, transactions[0].processedAt]) {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  expect(await get(id)).toEqual(body);
  expect(misfits('createPayment', body)).toEqual([]);
  expect(misfits('getPayment', body)).toEqual([]);
  const { status: _none, ...stateless } = body;
  expect(misfits('getPayment', { ...stateless, unknown: 1 }).length).toBeGreaterThan(0);
});

test('no field of a payment request is accepted and then lost', () => {
  const shown = new Set([...Object.keys(echoed), 'referenceId']);
  const { body: schema } = endpointOf('createPayment').request ?? {};
  const taken = (schema ? fieldsOf(schema) : []).filter(({ path }) => path.length === 1).map(({ name }) => name);
  const todo =
    'is taken and shown nowhere: carry it as CONTRIBUTING.md says under "Adding a field", then add it to `echoed`';
  expect(taken.length).toBeGreaterThan(15);
  expect(taken.filter((name) => !shown.has(name)).map((name) => `${name} ${todo}`)).toEqual([]);
});

test('only brand, last4 and expiry of a card are answered, and no card or payer data is stored in the clear', async () => {
  const { body } = await post('/v1/payments', maximal('createPayment'));
  const document = await gateway.database.collection('payments').findOne({ _id: body.id });
  const answers = JSON.stringify([body, await get(body.id)]);
  expect(Object.keys(body.paymentMethod.card).sort()).toEqual(['brand', 'expirationMonth', 'expirationYear', 'last4']);
  for (const secret of [
    'keyed-by-field-secret',
    'ana@example.com',
    'Núñez',
    '1234567-8',
    '18 de Julio',
    'tokenizationSettings',
  ]) {
    expect([secret, answers.includes(secret)]).toEqual([secret, false]);
  }
  for (const place of [answers, JSON.stringify(document)]) {
    expect(place).not.toContain(CARD_NUMBER);
    expect(place).not.toContain(CARD_NUMBER.slice(0, 12));
    expect(place).not.toMatch(new RegExp(`"(cvc|cvv)[^"]*":"?${SECRET_CVC}`));
  }
  // The extra fields are stored beside the card, because the processor gets them.
  expect(JSON.stringify(document)).toContain('keyed-by-field-secret');
  const payer = ['ana@example.com', 'Núñez', '1234567-8'];
  const heldIn = (place: unknown) => payer.map((part) => JSON.stringify(place).includes(part));
  expect([heldIn(maximal('createPayment')), heldIn(document)]).toEqual([
    [true, true, true],
    [false, false, false],
  ]);
});

test('a payment with the required fields only has no empty members, and null is the same as absent', async () => {
  const { schema, minimal } = { schema: endpointOf('createPayment').request?.body, minimal: maximal('createPayment') };
  if (!schema) throw new Error('createPayment has a body');
  let sparse: unknown = minimal;
  let nulled: unknown = { ...minimal, referenceId: `${minimal.referenceId}-null` };
  // Deepest fields first, so that each field still exists when it is removed.
  for (const field of fieldsOf(schema)
    .filter(({ path }) => path.length > 0)
    .reverse()) {
    const kept =
      field.required ||
      field.name === 'items.0' ||
      field.name === 'paymentMethod.card' ||
      field.name === 'paymentMethod.source';
    if (kept || valueAt(sparse, field.path) === undefined) continue;
    sparse = withValue(sparse, field.path, undefined);
    nulled = withValue(nulled, field.path, field.nullable ? null : undefined);
  }
  const [first, second] = [await post('/v1/payments', sparse), await post('/v1/payments', nulled)];
  expect([first.status, second.status]).toEqual([200, 200]);
  const {
    id: _id,
    referenceId: _reference,
    createdAt: _c,
    updatedAt: _u,
    processedAt: _p,
    transactions: _t,
    ...shown
  } = first.body;
  expect(second.body).toMatchObject(shown);
  expect(Object.keys(second.body).sort()).toEqual(Object.keys(first.body).sort());
  expect(JSON.stringify(first.body)).not.toContain('null');
  expect(misfits('createPayment', first.body)).toEqual([]);
});

test('integers and decimals sent as text are answered as numbers', async () => {
  const schema = endpointOf('createPayment').request?.body;
  let texts: unknown = maximal('createPayment');
  for (const { path, type } of schema ? fieldsOf(schema) : []) {
    const given = valueAt(texts, path) !== undefined;
    if (given && (type === 'int32' || type === 'decimalText'))
      texts = withValue(texts, path, String(valueAt(texts, path)));
  }
  const { status, body } = await post('/v1/payments', texts);
  expect(status).toBe(200);
  expect(body).toMatchObject(echoed);
});

test('every operation answers as published, and the payment reads the same afterwards', async () => {
  const { body: held } = await post('/v1/payments', maximal('createPayment', { capture: { method: 'manual' } }));
  expect(held).toMatchObject({ status: 'authorized', capture: { method: 'manual' }, expiresAt: expect.any(String) });
  const captured = await post(`/v1/payments/${held.id}/captures`, maximal('capturePayment'));
  expect(captured.body).toMatchObject({ status: 'approved', amount: { total: 122.05, captured: 7.25 } });
  expect(misfits('capturePayment', captured.body)).toEqual([]);
  const refunded = await post(`/v1/payments/${held.id}/refunds`, maximal('refundPayment'));
  expect(refunded.body).toMatchObject({
    status: 'partially-refunded',
    amount: { captured: 7.25, refunded: 4 },
    transactions: [
      {},
      {},
      { type: 'refund', amount: 4, reason: 'return', description: 'Too small', metadata: echoed.metadata },
    ],
  });
  expect(misfits('refundPayment', refunded.body)).toEqual([]);
  expect(await get(held.id)).toEqual(refunded.body);

  const { body: other } = await post('/v1/payments', maximal('createPayment', { capture: { method: 'manual' } }));
  const cancelled = await post(`/v1/payments/${other.id}/cancellations`, maximal('cancelPayment'));
  expect(cancelled.body).toMatchObject({
    status: 'cancelled',
    transactions: [{}, { type: 'cancellation', reason: 'customer-request', description: 'Ordered twice' }],
  });
  expect(misfits('cancelPayment', cancelled.body)).toEqual([]);

  const verified = await post('/v1/payments/verify', maximal('verifyPayment'));
  expect(verified).toMatchObject({
    status: 200,
    body: { status: 'authorized', amount: { total: 1, currency: 'USD' } },
  });
  expect(misfits('verifyPayment', verified.body)).toEqual([]);
  const uyu = await post('/v1/payments/verify', maximal('verifyPayment', { amount: { currency: 'UYU' } }));
  expect(uyu.body.amount).toMatchObject({ total: 25, currency: 'UYU' });
  expect(misfits('getPayment', await gateway.until(verified.body.id, 'cancelled'))).toEqual([]);
});

test('refusals match the published error of their status', async () => {
  const refusals = [
    await post('/v1/payments', {}),
    await post('/v1/payments', maximal('createPayment', { merchantId: 2001 })),
    await gateway.call('POST', '/v1/payments', maximal('createPayment'), { auth: null }),
    await gateway.call('POST', '/v1/payments', 'x', { headers: { 'content-type': 'text/plain' } }),
    await post('/v1/payments', { pad: 'x'.repeat(70_000) }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([400, 403, 401, 415, 413]);
  for (const { status, body } of refusals) {
    expect([status, published.response(endpointOf('createPayment'), status)(body)]).toEqual([status, []]);
  }
});
