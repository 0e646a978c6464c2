/** Customers and their saved cards with a whole gateway: every documented status, and the stored documents. */

import { randomBytes, randomUUID } from 'node:crypto';
import { deleteCustomer } from '../../api/customers/delete-customer.js';
import type { ApiDeps } from '../../api/deps.js';
import { endpoints } from '../../api/routes.js';
import type { Customer } from '../../shared/domain/customer.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { Where } from '../../shared/store/database.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { type Check, publishedDocument, publishedSchemas } from '../contract/published-schema.js';
import { type Answer, type CallOptions, paymentBody, startGateway, type TestGateway } from '../support/gateway.js';

const published = publishedSchemas(publishedDocument());

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'customers', pools: ['processor'] });
});
afterAll(() => gateway?.close());

/** Checks by operation and status: compiling one takes far longer than a call. */
const checks = new Map<string, Check>();

/** Calls an endpoint and checks the answer against the schema that is published for its status. */
async function call(operationId: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
  const endpoint = endpoints.find((one) => one.operationId === operationId);
  if (!endpoint) throw new Error(`there is no ${operationId}`);
  const answer = await gateway.call(endpoint.method.toUpperCase(), path, body, options);
  const name = `${operationId} ${answer.status}`;
  const check = checks.get(name) ?? published.response(endpoint, answer.status);
  checks.set(name, check);
  expect([answer.status, check(answer.body)]).toEqual([answer.status, []]);
  return answer;
}
const create = (body: unknown, options?: CallOptions) => call('createCustomer', '/v1/customers', body, options);
const read = (id: string, options?: CallOptions) => call('getCustomer', `/v1/customers/${id}`, undefined, options);
const update = (id: string, body: unknown, options?: CallOptions) =>
  call('updateCustomer', `/v1/customers/${id}`, body, options);
const remove = (id: string, options?: CallOptions) => call('deleteCustomer', `/v1/customers/${id}`, undefined, options);
const list = (query = '', options?: CallOptions) => call('listCustomers', `/v1/customers${query}`, undefined, options);
const asOther = (): CallOptions => ({
  auth: `${gateway.sandbox.other.clientId}:${gateway.sandbox.other.apiKey}`,
});
const asSecondary = (): CallOptions => ({
  auth: `${gateway.sandbox.secondary.clientId}:${gateway.sandbox.secondary.apiKey}`,
});
let count = 0;
const unique = (text: string) => `${text}-${process.pid}-${++count}`;

const full = () => ({
  referenceId: unique('user'),
  metadata: { tier: 'gold' },
  description: 'Likes books',
  email: 'Ana@Example.com',
  phone: '+598 99 123 456',
  firstName: 'Ana',
  lastName: 'Núñez',
  document: { type: '3', value: '1234567-8' },
  identification: { type: 2, value: '219999830019' },
  birthdate: '1990-02-28',
  address: { line1: 'Av. 18 de Julio 1000', city: 'Montevideo', country: 'UY', postalCode: '11100' },
  shipping: { address: { line1: 'Rambla 1' }, name: 'Ana N.', phone: '099' },
});

describe('creating and reading', () => {
  test('every field is returned, including computed and empty fields', async () => {
    const sent = full();
    const { status, body } = await create(sent);
    expect(status).toBe(200);
    const { id, createdAt, updatedAt, ...rest } = body;
    expect(id).toMatch(/^cus_[0-9a-f]{32}$/);
    expect([createdAt, updatedAt]).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      expect.stringMatching(/Z$/),
    ]);
    expect(rest).toEqual({
      ...sent,
      name: 'Ana Núñez',
      document: { type: 3, value: '1234567-8' },
      birthdate: '1990-02-28T00:00:00.000Z',
      address: { ...sent.address, line2: null, state: null },
      shipping: {
        ...sent.shipping,
        address: { line1: 'Rambla 1', line2: null, city: null, country: null, postalCode: null, state: null },
      },
      status: 'active',
    });
    expect((await read(id)).body).toEqual(body);
    const stored = await gateway.database.collection('customers').findOne({ _id: id } as never);
    expect(Object.keys(stored ?? {})).not.toContain('name');
  });

  test.each([
    ['referenceId', () => ({ referenceId: unique('only') })],
    ['email', () => ({ email: 'a@example.com' })],
    ['phone', () => ({ phone: '099' })],
    ['firstName', () => ({ firstName: 'Ana' })],
    ['lastName', () => ({ lastName: 'Núñez' })],
    ['document', () => ({ document: { value: '1' } })],
    ['identification', () => ({ identification: { value: '1' } })],
  ])('a customer is identified by %s alone', async (_name, body) => {
    const made = await create(body());
    expect(made.status).toBe(200);
    expect(made.body.metadata).toBeNull();
  });

  test.each([
    ['nothing', {}],
    ['nulls', { email: null, firstName: null, document: { type: 3, value: null } }],
    ['a description', { description: 'nobody', metadata: { a: 'b' } }],
  ])('a customer with only %s is refused', async (_name, body) => {
    const refused = await create(body);
    expect([refused.status, refused.body.code]).toEqual([400, 'request-validation-errors']);
    expect(refused.body.params.body[0]).toMatch(/referenceId, email, phone/);
  });

  test.each([
    ['id', { id: 'cus_1' }],
    ['name', { name: 'Ana' }],
    ['status', { status: 'blocked' }],
    ['clientId', { clientId: 'cli_1' }],
    ['version', { version: 7 }],
    ['address.line1', { address: { city: 'X' } }],
    ['address.country', { address: { line1: 'x', country: 'URY' } }],
    ['address.country', { address: { line1: 'x', country: 'UK' } }],
    ['document.type', { document: { type: 'passport' } }],
    ['metadata.$where', { metadata: { $where: '1' } }],
    ['email', { email: 'nobody' }],
  ])('%s is refused, and named in the answer', async (field, more) => {
    const refused = await create({ firstName: 'Ana', ...more });
    expect([refused.status, Object.keys(refused.body.params)]).toEqual([400, [field]]);
  });

  test('a reference is unique per client, also in a race, and free again after the customer is deleted', async () => {
    const body = { referenceId: unique('race'), firstName: 'Ana' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(body)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const [id] = won.map((one) => one.body.id);
    for (const lost of answers.filter(({ status }) => status !== 200)) {
      expect([lost.status, lost.body.code, lost.body.params]).toEqual([
        409,
        'duplicated-reference-id',
        { existingId: [id], existingStatus: ['active'], sameRequest: ['true'] },
      ]);
    }
    const other = await create({ ...body, firstName: 'Bea' });
    expect(other.body.params.sameRequest).toEqual(['false']);
    expect((await create(body, asOther())).status).toBe(200);
    await remove(id);
    expect((await create(body)).status).toBe(200);
  });
});

describe('updating', () => {
  test('an absent field stays, null clears a field, and an object is replaced as a whole', async () => {
    const { body: made } = await create(full());
    const changed = await update(made.id, {
      phone: null,
      description: 'New',
      address: { line1: 'Elsewhere 1' },
      metadata: { other: 'x' },
    });
    expect(changed.body).toEqual({
      ...made,
      phone: null,
      description: 'New',
      address: { line1: 'Elsewhere 1', line2: null, city: null, country: null, postalCode: null, state: null },
      metadata: { other: 'x' },
      updatedAt: changed.body.updatedAt,
    });
    expect((await read(made.id)).body).toEqual(changed.body);
    const cleared = await update(made.id, { metadata: null, shipping: null, birthdate: null, lastName: null });
    expect(cleared.body).toMatchObject({ metadata: null, shipping: null, birthdate: null, name: 'Ana' });
    const stored = await gateway.database.collection('customers').findOne({ _id: made.id } as never);
    expect(Object.values(stored ?? {})).not.toContain(null);
  });

  test('the body of a GET can be sent back: its read-only fields are ignored', async () => {
    const { body: made } = await create(full());
    const same = await update(made.id, { ...made, id: 'cus_other', name: 'Nobody', createdAt: '2001-01-01T00:00:00Z' });
    expect([same.status, { ...same.body, updatedAt: '' }]).toEqual([200, { ...made, updatedAt: '' }]);
    const unknown = await update(made.id, { clientId: 'cli_1', version: 4 });
    expect([unknown.status, Object.keys(unknown.body.params).sort()]).toEqual([400, ['clientId', 'version']]);
  });

  test('an update must leave an identifying field', async () => {
    const { body: made } = await create({ email: 'a@example.com', description: 'x' });
    const refused = await update(made.id, { email: null });
    expect([refused.status, Object.keys(refused.body.params)]).toEqual([400, ['body']]);
    expect((await update(made.id, { email: null, phone: '1' })).status).toBe(200);
  });

  test('the reference of another customer is refused with 409', async () => {
    const [{ body: one }, { body: two }] = [await create(full()), await create(full())];
    const refused = await update(two.id, { referenceId: one.referenceId });
    expect([refused.status, refused.body.code, refused.body.params.existingId]).toEqual([
      409,
      'duplicated-reference-id',
      [one.id],
    ]);
    expect((await update(two.id, { referenceId: two.referenceId })).status).toBe(200);
  });

  test('simultaneous changes of different fields are all kept', async () => {
    const { body: made } = await create({ firstName: 'Ana' });
    const changes = [{ phone: '1' }, { description: '2' }, { lastName: '3' }, { metadata: { a: '4' } }];
    const answers = await Promise.all(changes.map((change) => update(made.id, change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await read(made.id)).body).toMatchObject({
      phone: '1',
      description: '2',
      lastName: '3',
      metadata: { a: '4' },
    });
  });

  test('the list finds a customer by the changed e-mail, not by the old one', async () => {
    const [before, after] = [`${unique('b')}@example.com`, `${unique('a')}@example.com`];
    const { body: made } = await create({ email: before });
    await update(made.id, { email: after.toUpperCase() });
    expect((await list(`?email=${after}`)).body).toHaveLength(1);
    expect((await list(`?email=${before}`)).body).toEqual([]);
  });
});

describe('lists', () => {
  test('are newest first, in pages with links and a total count', async () => {
    const email = `${unique('page')}@example.com`;
    const made = [];
    for (let n = 0; n < 5; n += 1) made.push((await create({ email, firstName: String(n) })).body.id);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await list(`?email=${email}&size=2&page=${page}`));
    expect(pages.map(({ body }) => body.length)).toEqual([2, 2, 1, 0]);
    expect(pages.flatMap(({ body }) => body.map((one: { id: string }) => one.id))).toEqual(made.reverse());
    for (const { headers } of pages) expect(headers.get('x-total-count')).toBe('5');
    const base = `${gateway.config.publicBaseUrl}/v1/customers?email=${encodeURIComponent(email)}`;
    expect(pages[1]?.headers.get('link')).toBe(
      ['first', 'prev', 'next', 'last']
        .map((rel, index) => `<${base}&page=${[1, 1, 3, 3][index]}&size=2>; rel="${rel}"`)
        .join(', '),
    );
  });

  test('are filtered by reference, e-mail in any case, and dates, and show no customer of another client', async () => {
    const sent = { ...full(), email: `${unique('Filter')}@Example.com` };
    const { body: made } = await create(sent);
    const found = async (query: string, options?: CallOptions) =>
      (await list(query, options)).body.map((one: { id: string }) => one.id);
    expect(await found(`?referenceId=${sent.referenceId}`)).toEqual([made.id]);
    expect(await found(`?email=${sent.email.toLowerCase()}`)).toEqual([made.id]);
    expect(await found(`?email=${sent.email}&minDate=${made.createdAt}&maxDate=${made.createdAt}`)).toEqual([made.id]);
    const later = new Date(Date.parse(made.createdAt) + 1).toISOString();
    expect(await found(`?email=${sent.email}&minDate=${later}`)).toEqual([]);
    expect(await found(`?referenceId=${sent.referenceId}`, asOther())).toEqual([]);
    expect(await found(`?referenceId=${sent.referenceId}`, asSecondary())).toEqual([made.id]);
  });

  test.each([
    ['size=0', 'size'],
    ['size=101', 'size'],
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['minDate=yesterday', 'minDate'],
    ['minDate=2026-02-01&maxDate=2026-01-01', 'maxDate'],
    ['email[$ne]=x', 'query'],
    ['referenceId=a&referenceId=b', 'referenceId'],
  ])('%s is 400', async (query, field) => {
    const refused = await list(`?${query}`);
    expect([refused.status, Object.keys(refused.body.params)]).toEqual([400, [field]]);
  });

  test('are read through an index', async () => {
    const { clientId } = gateway.sandbox;
    const filters: Where<Customer>[] = [{ clientId }, { clientId, referenceId: 'x' }, { clientId, emailKey: 'x' }];
    for (const filter of filters) {
      const plan = await gateway.database
        .collection<Customer>('customers')
        .find(filter)
        .sort({ createdAt: -1, _id: -1 })
        .explain('queryPlanner');
      expect(JSON.stringify(plan['queryPlanner'].winningPlan)).not.toContain('COLLSCAN');
    }
  });
});

const key = () => randomBytes(12);
async function saveCard(customerId: string, more: Partial<PaymentInstrument> = {}): Promise<string> {
  const instrument: PaymentInstrument = {
    _id: randomUUID(),
    clientId: gateway.sandbox.clientId,
    merchantId: 1001,
    customerId,
    tokenizationType: 'persistent',
    paymentMethodId: 'visa',
    bin: '424242',
    last4: '4242',
    expMonth: 12,
    expYear: 2034,
    card: { v: 1, alg: 'A256GCM', kid: 'card:1', iv: key(), ct: key() },
    createdAt: new Date(),
    ...more,
  };
  await createPaymentInstrumentRepository(gateway.database).insert(instrument);
  return instrument._id;
}

describe('saved cards', () => {
  const cards = (id: string, options?: CallOptions) =>
    call('listPaymentInstruments', `/v1/customers/${id}/payment-instruments`, undefined, options);
  const forget = (id: string, token: string, options?: CallOptions) =>
    call('deletePaymentInstrument', `/v1/customers/${id}/payment-instruments/${token}`, undefined, options);

  test('are shown masked, with the issuer when it is known', async () => {
    const { body: customer } = await create({ firstName: 'Ana' });
    expect((await cards(customer.id)).body).toEqual([]);
    const issuer = { id: '104', name: 'Test Bank', shortName: 'Test', country: 'Uruguay', countryCode: 'UY' };
    const old = await saveCard(customer.id, { createdAt: new Date(1), expYear: 2020 });
    const token = await saveCard(customer.id, { cardType: 'credit', issuer, cardholderName: 'ANA NUNEZ' });
    const { body } = await cards(customer.id);
    const shown = { name: 'Visa **** 4242', expMonth: 12, tokenizationType: 'persistent' };
    expect(body).toEqual([
      { ...shown, token, type: 'credit', issuer, expYear: 2034, status: 'active' },
      { ...shown, token: old, type: null, issuer: null, expYear: 2020, status: 'expired' },
    ]);
    expect((await cards(customer.id, asSecondary())).body).toEqual(body);
    expect((await cards(customer.id, asOther())).body.code).toBe('customer-not-found');
  });

  test('are deleted once, with their sealed card', async () => {
    const { body: customer } = await create({ firstName: 'Ana' });
    const { body: stranger } = await create({ firstName: 'Bea' });
    const token = await saveCard(customer.id);
    const wrong = await forget(stranger.id, token);
    expect([wrong.status, wrong.body.code]).toEqual([404, 'payment-instrument-not-found']);
    expect((await forget(customer.id, token, asOther())).body.code).toBe('customer-not-found');
    expect((await cards(customer.id)).body).toHaveLength(1);
    const gone = await forget(customer.id, token);
    expect([gone.status, gone.body]).toEqual([200, {}]);
    expect(await gateway.database.collection('payment_instruments').findOne({ _id: token } as never)).toBeNull();
    expect((await forget(customer.id, token)).status).toBe(404);
  });

  test('are deleted with their customer', async () => {
    const { body: customer } = await create({ firstName: 'Ana' });
    const { body: stranger } = await create({ firstName: 'Bea' });
    const tokens = [await saveCard(customer.id), await saveCard(customer.id)];
    const kept = await saveCard(stranger.id);
    const gone = await remove(customer.id);
    expect([gone.status, gone.body]).toEqual([200, {}]);
    const left = await gateway.database
      .collection('payment_instruments')
      .find({ _id: { $in: [...tokens, kept] } } as never)
      .toArray();
    expect(left.map(({ _id }) => String(_id))).toEqual([kept]);
    for (const answer of [
      await remove(customer.id),
      await read(customer.id),
      await update(customer.id, { phone: '1' }),
      await cards(customer.id),
      await forget(customer.id, tokens[0] ?? ''),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'customer-not-found']);
    }
  });
});

test('a key cannot see or delete a card of a merchant it may not use, nor delete the card’s customer', async () => {
  const { body: customer } = await create({ firstName: 'Ana' });
  const granted = await saveCard(customer.id);
  const hidden = await saveCard(customer.id, { merchantId: 1002 });
  const path = `/v1/customers/${customer.id}/payment-instruments`;
  const tokens = async (options?: CallOptions) =>
    (await call('listPaymentInstruments', path, undefined, options)).body.map(({ token }: { token: string }) => token);
  expect(await tokens(asSecondary())).toEqual([granted]);
  const kept = await call('deletePaymentInstrument', `${path}/${hidden}`, undefined, asSecondary());
  expect([kept.status, kept.body.code]).toEqual([404, 'payment-instrument-not-found']);
  // One card of another merchant is enough to keep the customer, even if the key may use all its other cards.
  const refused = await remove(customer.id, asSecondary());
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  expect((await tokens()).sort()).toEqual([granted, hidden].sort());
});

test('deleting a customer removes the cards first, and again afterwards for cards saved meanwhile', async () => {
  const steps: string[] = [];
  const note = <T>(step: string, answer: T) => {
    steps.push(step);
    return Promise.resolve(answer);
  };
  const deps = {
    customers: { find: () => note('find', {}), remove: () => note('remove customer', true) },
    instruments: { removeAllOf: () => note('remove cards', 0) },
  } as unknown as ApiDeps;
  await deleteCustomer(deps, 'cus_1', { clientId: 'cli_1', keyId: 'key_1', merchants: 'all' });
  expect(steps).toEqual(['find', 'remove cards', 'remove customer', 'remove cards']);
});

test('a customer of another client is answered like a customer that does not exist', async () => {
  const { body: made } = await create({ firstName: 'Ana' });
  const strip = ({ body: { traceId: _, ...rest } }: Answer) => rest;
  const absent = await read('cus_00000000000000000000000000000000', asOther());
  expect(strip(await read(made.id, asOther()))).toEqual(strip(absent));
  expect((await update(made.id, { phone: '1' }, asOther())).status).toBe(404);
  expect((await remove(made.id, asOther())).status).toBe(404);
  expect((await read(made.id, asSecondary())).status).toBe(200);
  for (const answer of [await create({}, { auth: null }), await list('', { auth: null })]) {
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
  }
});

test('the customer of a payment must belong to the client', async () => {
  const pay = (customerId: string, options?: CallOptions) =>
    gateway.call('POST', '/v1/payments', paymentBody({ customerId }), options);
  const { body: mine } = await create({ firstName: 'Ana' });
  const { body: theirs } = await create({ firstName: 'Bea' }, asOther());
  const paid = await pay(mine.id);
  expect([paid.status, paid.body.customerId]).toEqual([200, mine.id]);
  expect((await pay(mine.id, asSecondary())).status).toBe(200);
  for (const id of [theirs.id, 'cus_unknown']) {
    const refused = await pay(id);
    expect([refused.status, refused.body.code, refused.body.params]).toEqual([
      400,
      'request-validation-errors',
      { customerId: ['is not a known customer'] },
    ]);
  }
  await remove(mine.id);
  expect((await pay(mine.id)).status).toBe(400);
  expect((await gateway.call('GET', `/v1/payments/${paid.body.id}`)).body.customerId).toBe(mine.id);
});
