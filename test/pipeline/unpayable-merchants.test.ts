/** Sessions and links of a merchant that cannot be paid are refused when they are created; pages of earlier ones say so plainly. */
import { en } from '../../api/pages/texts/en.js';
import { createPaymentLink } from '../../api/payment-links/create-payment-link.js';
import type { PaymentLinkBody } from '../../api/payment-links/payment-link-request.schema.js';
import { createSession } from '../../api/sessions/create-session.js';
import type { SessionBody } from '../../api/sessions/session-request.schema.js';
import { issueKey } from '../../scripts/provisioning/issue-key.js';
import { openProvisioning } from '../../scripts/provisioning/provisioning.js';
import { systemClock } from '../../shared/clock.js';
import { createKeyReportRepository } from '../../shared/store/key-reports.repository.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { facilitatorSettings, gatewaySettings, methodsOf } from '../support/merchant-settings.js';
import { PATIENCE_MS, until } from '../support/patience.js';
import { type ProductionApi, startProductionApi } from '../support/production-api.js';
import { checkoutBody, makeSession, newReference, openSession, tokenizationBody } from './session-support.js';

const MERCHANT = 1002;
const methods = methodsOf(MERCHANT);
const settings = gatewaySettings();
const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' };

let gateway: TestGateway;
let production: ProductionApi;
beforeAll(async () => {
  gateway = await startGateway({ name: 'unpayable' });
  production = await startProductionApi(gateway);
});
afterAll(async () => {
  await production?.close();
  await gateway?.close();
});

const add = async (id: string, body: object = { settings }) =>
  expect((await gateway.call('POST', methods, { id, ...body })).status).toBe(200);
async function removeAll(): Promise<void> {
  const { body } = await gateway.call('GET', `${methods}?size=100`);
  for (const { id } of body) await gateway.call('DELETE', `${methods}/${id}`);
}
beforeEach(removeAll);

const checkout = (more: Record<string, unknown> = {}) => checkoutBody({ merchantId: MERCHANT, ...more });
const tokenization = (more: Record<string, unknown> = {}) => tokenizationBody({ merchantId: MERCHANT, ...more });
const link = (more: Record<string, unknown> = {}) => ({
  merchantId: MERCHANT,
  type: 'regular',
  amount: { total: 5, currency: 'USD' },
  settings: { amountMode: 'fixed', ...more },
});
const making: readonly (readonly [string, string, () => object])[] = [
  ['a checkout', '/v1/sessions', checkout],
  ['a tokenization', '/v1/sessions', tokenization],
  ['a link', '/v1/payment-links', link],
];

test.each(making)(
  '%s of a merchant without a payment method is refused with what to configure',
  async (_what, path, body) => {
    const { status, body: refusal } = await gateway.call('POST', path, body());
    expect([status, refusal.code]).toEqual([400, 'request-validation-errors']);
    expect(refusal.params).toEqual({ merchantId: [expect.stringContaining(`POST ${methods}`)] });
  },
);

test.each(making)(
  '%s is refused while the only method is disabled, and created once it is enabled',
  async (_what, path, body) => {
    await add('visa', { enabled: false, settings });
    const request = body();
    expect((await gateway.call('POST', path, request)).status).toBe(400);
    await gateway.call('PUT', `${methods}/visa`, { enabled: true, settings });
    // The first request was refused by validation, so its references are still free.
    expect([200, 201]).toContain((await gateway.call('POST', path, request)).status);
  },
);

test('a method that the request leaves out does not count', async () => {
  await add('visa');
  const types = await gateway.call('POST', '/v1/payment-links', link({ paymentMethodTypes: ['bank-transfer'] }));
  const ids = await gateway.call('POST', '/v1/payment-links', link({ paymentMethods: ['mastercard'] }));
  for (const { status, body } of [types, ids]) {
    expect([status, Object.keys(body.params)]).toEqual([400, ['merchantId']]);
  }
  await removeAll();
  await add('instant-transfer', { settings: facilitatorSettings() });
  expect((await gateway.call('POST', '/v1/payment-links', link())).status).toBe(201);
  expect((await gateway.call('POST', '/v1/sessions', checkout())).status).toBe(200);
  expect((await gateway.call('POST', '/v1/sessions', tokenization())).status).toBe(400);
  expect(
    (await gateway.call('POST', '/v1/sessions', tokenization({ settings: { tokenization: { features: ['list'] } } })))
      .status,
  ).toBe(200);
});

test('a method that does not take the currency does not count', async () => {
  await add('instant-transfer', { settings: facilitatorSettings() });
  const fixed = { total: 5, currency: 'UYU' };
  const paymentRequest = { referenceId: newReference('order'), invoiceNumber: 'A-1', amount: fixed };
  const allowing = (...allowedCurrencies: string[]) => ({
    amountMode: 'flexible',
    flexibleAmount: { allowedCurrencies },
  });
  const answers = [
    await gateway.call('POST', '/v1/payment-links', { ...link(), amount: fixed }),
    await gateway.call('POST', '/v1/payment-links', { ...link(allowing('UYU')), amount: undefined }),
    await gateway.call('POST', '/v1/sessions', checkout({ paymentRequest })),
  ];
  const reason = expect.stringContaining('instant-transfer does not take UYU');
  for (const { status, body } of answers) expect([status, body.params]).toEqual([400, { merchantId: [reason] }]);
  const either = { ...link(allowing('UYU', 'USD')), amount: undefined };
  expect((await gateway.call('POST', '/v1/payment-links', either)).status).toBe(201);
});

test('an amount that no QR code can carry is refused where only a bank transfer could be charged', async () => {
  await add('instant-transfer', { settings: facilitatorSettings() });
  const total = '10000000000.00';
  const amount = { total, currency: 'USD' };
  const asking = (over: object) => ({ referenceId: newReference('order'), invoiceNumber: 'A-1', ...over });
  const flexible = (minAmount: string) => ({
    amountMode: 'flexible',
    flexibleAmount: { allowedCurrencies: ['USD'], minAmount },
  });
  const ofSession = (minAmount: string) =>
    checkout({ paymentRequest: asking({}), settings: { checkout: flexible(minAmount) } });
  const transfers = { settings: { paymentMethodTypes: ['bank-transfer'] } };
  const FLEXIBLE_MIN = 'flexibleAmount.minAmount';
  const requests: readonly (readonly [string, string, object])[] = [
    ['/v1/sessions', 'paymentRequest.amount.total', checkout({ paymentRequest: asking({ amount }) })],
    ['/v1/sessions', 'paymentRequest.amount.total', checkout({ paymentRequest: asking({ amount }), ...transfers })],
    ['/v1/sessions', `settings.checkout.${FLEXIBLE_MIN}`, ofSession('10000000000')],
    ['/v1/payment-links', 'amount.total', { ...link(), amount }],
    ['/v1/payment-links', `settings.${FLEXIBLE_MIN}`, { ...link(flexible('10000000000')), amount: undefined }],
  ];
  for (const [path, field, body] of requests) {
    const { status, body: refusal } = await gateway.call('POST', path, body);
    const reason = `"${field}" has more than the 13 characters that the amount of a QR code may have`;
    expect([field, status, refusal.code, refusal.params]).toEqual([
      field,
      400,
      'payment-invalid-amount',
      { [field]: [reason] },
    ]);
  }
  const most = { ...amount, total: '9999999999.99' };
  expect((await gateway.call('POST', '/v1/payment-links', { ...link(), amount: most })).status).toBe(201);
  expect((await gateway.call('POST', '/v1/sessions', ofSession('9999999999.99'))).status).toBe(200);

  // A card can pay it. The page offers no transfer.
  await add('visa');
  const byCard = await makeSession(gateway, checkout({ paymentRequest: asking({ amount }) }));
  expect(await openSession(gateway, byCard)).toMatchObject({ takesCards: true, transfer: undefined });
  const byBoth = await makeSession(gateway, checkout({ paymentRequest: asking({ amount: most }) }));
  expect((await openSession(gateway, byBoth)).transfer).toMatchObject({ currencies: ['USD'] });
});

const onlyIn = (...currencies: string[]) => ({
  settings: gatewaySettings({
    routes: [{ paymentProcessor: { id: 'sandbox', acquirer: 'acquirer-1' }, conditions: { currencies } }],
  }),
});

test('a method none of whose routes takes the currency does not count', async () => {
  await add('visa', onlyIn('UYU'));
  const refused = expect.stringContaining('visa has no route that takes USD');
  for (const [path, body] of [
    ['/v1/sessions', checkout()],
    ['/v1/payment-links', link()],
  ] as const) {
    const { status, body: answered } = await gateway.call('POST', path, body);
    expect([status, answered.params]).toEqual([400, { merchantId: [refused] }]);
  }
  const settings = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'UYU'] } };
  const either = { ...link(), amount: undefined, settings };
  expect((await gateway.call('POST', '/v1/payment-links', either)).status).toBe(201);
  await add('mastercard');
  expect((await gateway.call('POST', '/v1/sessions', checkout())).status).toBe(200);
});

test('one route that takes the currency is enough', async () => {
  const conditions = (...currencies: string[]) => ({ conditions: { currencies } });
  const to = (acquirer: string) => ({ paymentProcessor: { id: 'sandbox', acquirer } });
  const routes = [
    { ...to('acquirer-1'), ...conditions('UYU') },
    { ...to('acquirer-2'), ...conditions('USD', 'UYU') },
  ];
  await add('visa', { settings: gatewaySettings({ routes }) });
  expect((await gateway.call('POST', '/v1/sessions', checkout())).status).toBe(200);
  expect((await gateway.call('POST', '/v1/payment-links', link())).status).toBe(201);
});

test('production refuses a session and a link without a payment method too', async () => {
  const { clientId } = gateway.sandbox;
  const asker = { principal: { clientId, keyId: 'key_1', merchants: 'all' as const }, traceId: 'trace' };
  const session: SessionBody = {
    merchantId: MERCHANT,
    referenceId: newReference('session'),
    type: 'checkout',
    paymentRequest: {
      referenceId: newReference('order'),
      invoiceNumber: 'A-1',
      amount: { total: '5.00', currency: 'USD' },
    },
  };
  const made: PaymentLinkBody = {
    merchantId: MERCHANT,
    type: 'regular',
    amount: { totalMinor: 500, currency: 'USD' },
    settings: { amountMode: 'fixed' },
  };
  const refusal = { code: 'request-validation-errors', params: { merchantId: [expect.stringContaining(methods)] } };
  await expect(createSession(production.deps, session, asker)).rejects.toMatchObject(refusal);
  await expect(createPaymentLink(production.deps, made, asker)).rejects.toMatchObject(refusal);
  await add('visa');
  expect((await createSession(production.deps, session, asker)).status).toBe('pending');
  expect((await createPaymentLink(production.deps, made, asker)).status).toBe('active');
});

describe('a processor that no worker of production has', () => {
  const route = (id: string, more: object = {}) => ({ paymentProcessor: { id, acquirer: `${id}-bank` }, ...more });
  const routed = (...routes: ReturnType<typeof route>[]) =>
    gatewaySettings({ paymentProcessor: routes[0]?.paymentProcessor, routes });
  const reports = () => createKeyReportRepository(gateway.database);
  const report = (processors?: readonly string[], role = 'processor') =>
    reports().renew(`report-${role}`, {
      role,
      host: 'h',
      pid: 1,
      masterKeyIds: ['t1'],
      ...(processors && { processors }),
    });
  let api: ProductionApi;
  let apiKey: string;
  beforeAll(async () => {
    const config = { ...gateway.config, environment: 'production' } as const;
    const { clientId } = gateway.sandbox;
    apiKey = (await issueKey(openProvisioning(gateway.database, config, systemClock), { clientId })).apiKey;
  });
  beforeEach(async () => {
    // Caches that last for seconds belong to a process: each test has an API of its own.
    api = await startProductionApi(gateway);
  });
  afterEach(async () => {
    await api?.close();
    for (const role of ['processor', 'processor+threeds', 'web']) await reports().remove(`report-${role}`);
  });

  async function call(path: string, body: object) {
    const { clientId } = gateway.sandbox;
    const authorization = `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(`${api.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
    return { status: answer.status, body: (await answer.json()) as any };
  }
  const payment = (more: object = {}) =>
    paymentBody({ merchantId: MERCHANT, referenceId: newReference('away'), ...more });
  const storedOf = (referenceId: unknown) => gateway.database.collection('payments').countDocuments({ referenceId });

  test('a payment through a processor that no worker has is refused, and nothing is stored', async () => {
    await report(['iso8583']);
    await add('visa', { settings: gatewaySettings({ paymentProcessor: { id: 'stripe', acquirer: 'a' } }) });
    for (const path of ['/v1/payments', '/v1/payments/dry-run']) {
      const asked = payment();
      const { status, body } = await call(path, asked);
      expect([status, body.code]).toEqual([400, 'invalid-card-payment-method']);
      expect(body.message).toContain('names the processor "stripe", for which this installation is not configured');
      expect(await storedOf(asked.referenceId)).toBe(0);
    }
    const refused = await call('/v1/sessions', checkout());
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('\\"stripe\\"')]);
    expect((await call('/v1/payment-links', link())).status).toBe(400);
  });

  test('a route with such a processor is passed over, and a method with only such routes is refused', async () => {
    await report(['iso8583'], 'processor+threeds');
    await add('visa', { settings: routed(route('stripe'), route('iso8583', { share: 0 })) });
    await add('mastercard', { settings: routed(route('stripe'), route('adyen')) });
    const over = await call('/v1/payments/dry-run', payment());
    expect([over.status, over.body.routing]).toEqual([
      200,
      [
        { processor: 'iso8583', acquirer: 'iso8583-bank', reason: 'chosen' },
        { processor: 'stripe', acquirer: 'stripe-bank', reason: 'unable', detail: 'processor' },
      ],
    ]);
    const asked = payment({ paymentMethod: { source: 'card', card: { ...card, number: '5555555555554444' } } });
    const none = await call('/v1/payments', asked);
    expect([none.status, none.body.code]).toEqual([400, 'invalid-card-payment-method']);
    expect(none.body.message).toMatch(/none can be charged \(one names the processor "stripe".+one names .+"adyen"/);
    expect(await storedOf(asked.referenceId)).toBe(0);
    expect((await call('/v1/sessions', checkout())).status).toBe(200);
    // The count finds a payment that is taken by the route that is left, even if its processor is not reached.
    // On a machine that stands still the outcome is unknown at first: then another payment is sent.
    await until(async () => {
      const accepted = payment();
      const { body } = await call('/v1/payments', accepted);
      expect(await storedOf(accepted.referenceId)).toBe(1);
      return body.code === 'acquirer-offline';
    });
    await gateway.call('DELETE', `${methods}/visa`);
    const refused = await call('/v1/sessions', checkout());
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('no route that can')]);
  });

  test.each([
    ['no worker runs', undefined],
    ['a worker of an earlier release does not say', []],
  ])('%s: no request is refused because of its processor', async (_name, silent) => {
    await report(undefined, 'web');
    if (silent) {
      await report(['iso8583']);
      await report(undefined, 'processor+threeds');
    }
    await add('visa', { settings: gatewaySettings({ paymentProcessor: { id: 'stripe', acquirer: 'a' } }) });
    expect((await call('/v1/payments/dry-run', payment())).status).toBe(200);
    expect((await call('/v1/sessions', checkout())).status).toBe(200);
  });

  test('one worker that has the processor is enough, and a new worker counts within seconds', async () => {
    await report(['iso8583']);
    await add('visa', { settings: gatewaySettings({ paymentProcessor: { id: 'stripe', acquirer: 'a' } }) });
    expect((await call('/v1/payments/dry-run', payment())).status).toBe(400);
    await report(['stripe'], 'processor+threeds');
    const endsAt = Date.now() + PATIENCE_MS;
    while ((await call('/v1/payments/dry-run', payment())).status !== 200) {
      expect(Date.now()).toBeLessThan(endsAt);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
});

interface Opened {
  readonly url: string;
  readonly headers: { readonly cookie: string };
}

/** Opens a session for the first time, as its payer does. Returns the address and the cookie of its page. */
async function open({ actions }: { actions: { href: string }[] }): Promise<Opened> {
  const { pathname, search } = new URL(actions[0]?.href ?? '');
  const entered = await fetch(`${gateway.baseUrl}${pathname}${search}`, { redirect: 'manual' });
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { url: `${gateway.baseUrl}${pathname}`, headers: { cookie } };
}

/** Makes two links of the merchant: one whose page asks for the amount, and one that leads to the checkout at once. */
async function makeLinks(): Promise<readonly string[]> {
  const flexible = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD'] } };
  const made = await Promise.all(
    [flexible, { ...flexible, skipPreCheckout: true }].map((settings) =>
      gateway.call('POST', '/v1/payment-links', { ...link(), amount: undefined, settings }),
    ),
  );
  return made.map(({ body }) => `${gateway.baseUrl}/links/${body.externalId}`);
}

/** Returns what payers of the links read, without following the redirect to the checkout. */
const readLinks = async (links: readonly string[]): Promise<readonly string[]> =>
  Promise.all(links.map(async (url) => (await fetch(url, { redirect: 'manual' })).text()));

/** Opens the page of a session and returns what its payer reads. */
async function read(session: { actions: { href: string }[] }): Promise<string> {
  const { url, headers } = await open(session);
  return (await fetch(url, { headers })).text();
}

test('a payer whose merchant has lost its methods sees that, and is not asked for a card', async () => {
  await add('visa');
  const [pay, save] = [await makeSession(gateway, checkout()), await makeSession(gateway, tokenization())];
  const links = await makeLinks();
  expect(await read(pay)).toContain('id="number"');
  expect(await read(save)).toContain('id="number"');
  expect((await readLinks(links))[0]).toContain('id="total"');
  await removeAll();
  for (const page of [await read(pay), await read(save), ...(await readLinks(links))]) {
    expect(page).toContain('Not available right now');
    expect(page).toContain('Ask Sandbox Coffee');
    // The payer may have paid here before.
    expect(page).not.toContain(en.nothingCharged);
    expect(page).not.toMatch(/id="(number|total)"/);
  }
});

test('a payer whose merchant is suspended sees that too, with cards and bank transfers configured', async () => {
  await add('visa');
  await add('instant-transfer', { settings: facilitatorSettings() });
  const [pay, save] = [await makeSession(gateway, checkout()), await makeSession(gateway, tokenization())];
  const links = await makeLinks();
  await gateway.deps.merchants.setStatus(MERCHANT, 'suspended');
  try {
    for (const page of [await read(pay), await read(save), ...(await readLinks(links))]) {
      expect(page).toContain('Not available right now');
    }
  } finally {
    await gateway.deps.merchants.setStatus(MERCHANT, 'active');
  }
  for (const session of [pay, save]) expect(await read(session)).toContain('id="number"');
});

test('a payer of a link of which a suspended merchant gets a part sees that before typing a card', async () => {
  const PART = 1001;
  await add('visa');
  await add('instant-transfer', { settings: facilitatorSettings() });
  const splitDestinations = [{ destinationMerchantId: PART, amountRule: { type: 'percentage', value: 10 } }];
  const made = await gateway.call('POST', '/v1/payment-links', { ...link(), splitDestinations });
  const url = `${gateway.baseUrl}/links/${made.body.externalId}`;
  const entered = await fetch(url, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' });
  expect(entered.status).toBe(303);
  const session = { actions: [{ href: new URL(entered.headers.get('location') ?? '', gateway.baseUrl).href }] };
  await gateway.deps.merchants.setStatus(PART, 'suspended');
  try {
    for (const page of [await (await fetch(url)).text(), await read(session)]) {
      expect(page).toContain('Not available right now');
    }
  } finally {
    await gateway.deps.merchants.setStatus(PART, 'active');
  }
  expect(await (await fetch(url)).text()).toContain(en.toPayment);
  expect(await read(session)).toContain('id="number"');
});

test('when one of two payment methods is removed, the page shows the other one', async () => {
  await add('visa');
  await add('instant-transfer', { settings: facilitatorSettings() });
  const session = await makeSession(gateway, checkout());
  expect(await read(session)).toContain('class="tabs"');
  await gateway.call('DELETE', `${methods}/visa`);
  const page = await read(session);
  expect(page).toContain('name="method" value="transfer"');
  expect(page).not.toContain('class="tabs"');
});

/** Makes a customer with a saved visa card of the merchant. */
async function saveCard(): Promise<{ customerId: string; token: string }> {
  const customerId = (await gateway.call('POST', '/v1/customers', { firstName: 'Ana' })).body.id;
  const saving = { ...card, tokenizationSettings: { type: 'store' } };
  const paid = await gateway.call(
    'POST',
    '/v1/payments',
    paymentBody({ merchantId: MERCHANT, customerId, referenceId: newReference('saved') }, saving),
  );
  expect([paid.status, paid.body.status]).toEqual([200, 'approved']);
  const [{ token }] = (await gateway.call('GET', `/v1/customers/${customerId}/payment-instruments`)).body;
  return { customerId, token };
}

test('a payer whose payment method is removed while paying reads that, and gets the remaining methods', async () => {
  await add('visa');
  await add('instant-transfer', { settings: facilitatorSettings() });
  const wallet = `/v1/merchants/${MERCHANT}/wallet-integrations/wallet-a-pay`;
  const profile = { walletMerchantName: 'Coffee', allowedOrigins: ['https://shop.example'] };
  const enabled = await gateway.call('PUT', wallet, { tosAccepted: true, mode: 'both', walletAPayProfile: profile });
  expect(enabled.status).toBe(200);
  const { url, headers } = await open(await makeSession(gateway, checkout()));
  const before = await (await fetch(url, { headers })).text();
  const [, form = ''] = /name="form" value="([^"]+)"/.exec(before) ?? [];
  expect(before).toContain('value="wallet-a"');
  await gateway.call('DELETE', wallet);
  await gateway.call('DELETE', `${methods}/instant-transfer`);
  for (const [sent, sentence] of [
    [{ action: 'wallet-a' }, en.walletGone],
    [{ method: 'transfer' }, en.transferNotForPayment],
  ] as const) {
    const body = new URLSearchParams({ form, attempt: '1', ...sent });
    const answered = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
    const page = await answered.text();
    expect([answered.status, page.includes(sentence), page.includes(en.nothingCharged)]).toEqual([409, true, true]);
    expect([page.includes('id="number"'), page.includes('value="wallet-a"')]).toEqual([true, false]);
  }
});

test('a session for one saved card needs the payment method of its brand', async () => {
  await add('visa');
  await add('mastercard');
  const saved = await saveCard();
  const session = await makeSession(gateway, checkout(saved));
  expect(await read(session)).not.toContain('Not available right now');
  await gateway.call('PUT', `${methods}/visa`, onlyIn('UYU'));
  const elsewhere = await gateway.call('POST', '/v1/sessions', checkout(saved));
  await gateway.call('PUT', `${methods}/visa`, { enabled: false, settings });
  const disabled = await gateway.call('POST', '/v1/sessions', checkout(saved));
  await gateway.call('DELETE', `${methods}/visa`);
  const removed = await gateway.call('POST', '/v1/sessions', checkout(saved));
  for (const [{ status, body }, why] of [
    [elsewhere, 'visa has no route that takes USD'],
    [disabled, 'visa is disabled'],
    [removed, 'visa is not configured'],
  ] as const) {
    expect([status, body.params]).toEqual([400, { token: [expect.stringContaining(why)] }]);
    expect(body.params.token[0]).toContain(`POST ${methods}`);
  }
  expect(await read(session)).toContain('Not available right now');
});

test('saved cards of a brand that the merchant no longer accepts are not offered for payment', async () => {
  await add('visa');
  await add('mastercard');
  const { customerId } = await saveCard();
  const pay = await makeSession(gateway, checkout({ customerId }));
  const save = await makeSession(gateway, tokenization({ customerId }));
  for (const session of [pay, save]) expect(await read(session)).toContain('4242');
  await gateway.call('DELETE', `${methods}/visa`);
  const page = await read(pay);
  expect([page.includes('4242'), page.includes('id="number"')]).toEqual([false, true]);
  // The tokenization page still shows the card, so that the payer can delete it.
  expect(await read(save)).toContain('4242');
  await gateway.call('POST', methods, { id: 'visa', settings });
  expect(await read(pay)).toContain('4242');
});

test('a card that no route takes for the chosen amount is not reported as a wrong brand', async () => {
  await add('visa', onlyIn('UYU'));
  const checkoutSettings = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'UYU'] } };
  const { url, headers } = await open(
    await makeSession(gateway, checkout({ settings: { checkout: checkoutSettings } })),
  );
  const [, form = ''] = /name="form" value="([^"]+)"/.exec(await (await fetch(url, { headers })).text()) ?? [];
  const typed = { number: card.number, exp: '12/34', cvc: card.cvc, total: '5', currency: 'USD' };
  const body = new URLSearchParams({ form, attempt: '1', source: 'new', ...typed });
  const answered = await fetch(url, { method: 'POST', headers, body });
  const page = await answered.text();
  expect([answered.status, page.includes(en.wrongForAmount), page.includes(en.wrongBrand)]).toEqual([400, true, false]);
});

test('a saved card that no route takes for the chosen amount is refused at the choice, not at hidden fields', async () => {
  await add('visa');
  const { customerId, token } = await saveCard();
  await gateway.call('PUT', `${methods}/visa`, onlyIn('UYU'));
  const checkoutSettings = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'UYU'] } };
  const { url, headers } = await open(
    await makeSession(gateway, checkout({ customerId, settings: { checkout: checkoutSettings } })),
  );
  const [, form = ''] = /name="form" value="([^"]+)"/.exec(await (await fetch(url, { headers })).text()) ?? [];
  const body = new URLSearchParams({ form, attempt: '1', source: token, total: '5', currency: 'USD' });
  const answered = await fetch(url, { method: 'POST', headers, body });
  const page = await answered.text();
  expect([answered.status, page.includes(`<a href="#source">${en.wrongForAmount}</a>`)]).toEqual([400, true]);
  expect(page).not.toContain('number-error');
});

test('a payer whose merchant has no route for the currency any more is not asked for a card', async () => {
  await add('visa');
  const session = await makeSession(gateway, checkout());
  expect(await read(session)).toContain('id="number"');
  await gateway.call('PUT', `${methods}/visa`, onlyIn('UYU'));
  expect(await read(session)).toContain('Not available right now');
});

describe('a link in several currencies, of which the merchant can be charged in one only', () => {
  const flexibleAmount = { allowedCurrencies: ['USD', 'UYU'] };
  const makeLink = async (more: object = {}) => {
    const settings = { amountMode: 'flexible', flexibleAmount, ...more };
    const { status, body } = await gateway.call('POST', '/v1/payment-links', {
      ...link(),
      amount: { total: 20.5, currency: 'USD' },
      settings,
    });
    expect([status, body.params]).toEqual([201, undefined]);
    return `${gateway.baseUrl}/links/${body.externalId}`;
  };
  const send = (url: string, form: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });

  test('offers that one, without the suggestion in the other, and leads to a checkout that can be paid', async () => {
    await add('visa', onlyIn('UYU'));
    const url = await makeLink();
    const page = await (await fetch(url)).text();
    expect(page).toContain('<input type="hidden" name="currency" value="UYU">');
    expect([page.includes('value="USD"'), page.includes('20.50')]).toEqual([false, false]);
    const refused = await send(url, { total: '5', currency: 'USD' });
    expect([refused.status, (await refused.text()).includes(en.wrongCurrency)]).toEqual([400, true]);
    const { status, headers } = await send(url, { total: '5', currency: 'UYU' });
    expect(status).toBe(303);
    const href = new URL(headers.get('location') ?? '', gateway.baseUrl).href;
    expect(await read({ actions: [{ href }] })).toContain('id="number"');
  });

  test('offers that one in the checkout too, where the link leads there at once', async () => {
    await add('visa', onlyIn('UYU'));
    const url = await makeLink({ skipPreCheckout: true, flexibleAmount: { ...flexibleAmount, suggestedAmount: 7.5 } });
    const { headers } = await fetch(url, { redirect: 'manual' });
    const page = await read({ actions: [{ href: new URL(headers.get('location') ?? '', gateway.baseUrl).href }] });
    expect(page).toContain('<input type="hidden" name="currency" value="UYU">');
    expect([page.includes('value="USD"'), page.includes('7.50')]).toEqual([false, true]);
  });
});
