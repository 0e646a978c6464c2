import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { systemClock } from '../../shared/clock.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { gatewaySettings, methodsOf } from '../support/merchant-settings.js';
import { testRedisUrl } from '../support/services.js';

let gateway: TestGateway;
let folder: string;
let catalogueFile: string;
const rows = [
  {
    name: 'Sandbox 3DS',
    code: 'sandbox',
    enabled: true,
    requiredFields: ['acquirerBin', 'acquirerMerchantId'],
    supportedPaymentMethods: ['visa', 'mastercard', 'jcb'],
  },
  { name: 'Elsewhere', code: 'elsewhere', enabled: true, requiredFields: [], supportedPaymentMethods: ['visa'] },
];
const writeCatalogue = (value: unknown) =>
  writeFile(catalogueFile, typeof value === 'string' ? value : JSON.stringify(value));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'threeds-catalogue-'));
  catalogueFile = join(folder, 'providers.json');
  await writeCatalogue(rows);
  gateway = await startGateway({ name: 'threeds', settings: { THREEDS_PROVIDERS_FILE: catalogueFile } });
});
afterEach(() => writeCatalogue(rows));
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

const call: TestGateway['call'] = (...request) => gateway.call(...request);
const pathOf = (method: string, merchantId: number | string = 1001) => `${methodsOf(merchantId)}/${method}/threeds`;
const metadata = { acquirerBin: '400000', acquirerMerchantId: '1001', label: 'own' };
const settings = (more: object = {}) => ({
  provider: 'sandbox',
  metadata,
  enabled: true,
  rules: { enabled: true, tier: 'basic', basic: { amount: { checkout: { USD: 30 }, api: { USD: 50, JPY: 100 } } } },
  ...more,
});
const invalid = (field: string) => ({
  status: 400,
  body: { code: 'request-validation-errors', params: { [field]: [expect.any(String)] } },
});

describe('catalogue', () => {
  test('shows the providers that this installation supports, and each of them by its code in any case', async () => {
    expect((await call('GET', '/v1/threeds/providers')).body).toEqual([rows[0]]);
    for (const code of ['sandbox', 'SANDBOX', 'SandBox']) {
      expect((await call('GET', `/v1/threeds/providers/${code}`)).body).toEqual(rows[0]);
    }
    for (const code of ['elsewhere', 'none', 'constructor']) {
      expect(await call('GET', `/v1/threeds/providers/${code}`)).toMatchObject({
        status: 404,
        body: { code: 'not-found' },
      });
    }
  });

  test.each([
    ['is not JSON', '[{'],
    ['has another shape', { providers: rows }],
    ['lacks a field', [{ code: 'sandbox' }]],
  ])('that %s answers 400 everywhere it is needed', async (_what, content) => {
    await writeCatalogue(content);
    const unreadable = { status: 400, body: { message: 'The catalogue of 3DS providers cannot be retrieved.' } };
    expect(await call('GET', '/v1/threeds/providers')).toMatchObject(unreadable);
    expect(await call('GET', '/v1/threeds/providers/sandbox')).toMatchObject(unreadable);
    expect(await call('POST', pathOf('discover'), settings())).toMatchObject(unreadable);
  });

  test('that is missing answers 400', async () => {
    await rm(catalogueFile);
    expect((await call('GET', '/v1/threeds/providers')).status).toBe(400);
  });
});

describe('settings', () => {
  test('are created once, read, replaced, and shown with the method', async () => {
    const path = pathOf('visa');
    const missing = { status: 404, body: { code: 'threeds-settings-not-found' } };
    expect(await call('GET', path)).toMatchObject(missing);
    expect(await call('PUT', path, settings())).toMatchObject(missing);

    const made = await call('POST', path, settings({ provider: 'SANDBOX' }));
    expect([made.status, made.body]).toEqual([200, settings()]);
    expect((await call('GET', path)).body).toEqual(settings());
    expect((await call('GET', `${methodsOf(1001)}/visa`)).body.threeDS).toEqual({ enabled: true, provider: 'sandbox' });
    expect(await call('POST', path, settings())).toMatchObject({ status: 409, body: { code: 'conflict' } });

    const off = await call('PUT', path, { provider: 'sandbox', metadata, enabled: false });
    const noRules = { enabled: false, tier: 'basic', basic: { amount: { checkout: {}, api: {} } } };
    expect(off.body).toEqual(settings({ enabled: false, rules: noRules }));
    expect((await call('GET', `${methodsOf(1001)}/visa`)).body.threeDS).toEqual({
      enabled: false,
      provider: 'sandbox',
    });
    // What a GET answers can be sent back.
    expect((await call('PUT', path, off.body)).body).toEqual(off.body);

    const audit = await createAuditRepository(gateway.database, systemClock).find({
      clientId: gateway.sandbox.clientId,
    });
    expect(audit.map(({ action, object }) => `${action} ${object}`)).toContain('threeds-settings.created 1001/visa');
  });

  test('are deleted with their method, and stay when the method is changed', async () => {
    await call('POST', pathOf('jcb', 1002), settings());
    await call('PUT', `${methodsOf(1002)}/jcb`, { settings: gatewaySettings() });
    expect((await call('GET', pathOf('jcb', 1002))).body).toEqual(settings());
    await call('DELETE', `${methodsOf(1002)}/jcb`);
    expect(await call('GET', pathOf('jcb', 1002))).toMatchObject(invalid('paymentMethodId'));
    await call('POST', methodsOf(1002), { id: 'jcb', settings: gatewaySettings() });
    expect((await call('GET', pathOf('jcb', 1002))).status).toBe(404);
  });

  test.each([
    ['metadata.acquirerBin', { metadata: { acquirerMerchantId: '1' } }],
    ['metadata.acquirerMerchantId', { metadata: { ...metadata, acquirerMerchantId: ' ' } }],
    ['provider', { provider: 'elsewhere' }],
    ['provider', { provider: undefined }],
    ['rules.tier', { rules: { tier: 'gold' } }],
    ['threshold', { threshold: 5 }],
  ])('with a wrong %s are refused with 400', async (field, more) => {
    expect(await call('POST', pathOf('mastercard'), settings(more))).toMatchObject(invalid(field));
  });

  test('a threshold must be a decimal of a known currency', async () => {
    const amounts = (api: object) => settings({ rules: { basic: { amount: { api } } } });
    const post = (api: object) => call('POST', pathOf('mastercard'), amounts(api));
    expect((await post({ USD: '1.234' })).body).toMatchObject({ code: 'payment-invalid-amount' });
    expect((await post({ XYZ: 1 })).body).toMatchObject({ code: 'currency-not-found' });
    expect(await post({ usd: 1 })).toMatchObject(invalid('rules.basic.amount.api.usd'));
    expect(
      await call('POST', pathOf('mastercard'), JSON.stringify(amounts({ USD: 1 })).replace('"USD"', '"__proto__"')),
    ).toMatchObject({ status: 400 });
  });

  test('a provider that is switched off, or does not support the method, is refused', async () => {
    expect(await call('POST', pathOf('amex'), settings())).toMatchObject(invalid('provider'));
    await writeCatalogue([{ ...rows[0], enabled: false }]);
    expect(await call('POST', pathOf('mastercard'), settings())).toMatchObject(invalid('provider'));
  });

  test('an invalid method or merchant is 400, a foreign merchant 403', async () => {
    for (const method of ['nothing', 'instant-transfer', 'constructor']) {
      for (const verb of ['GET', 'POST', 'PUT'] as const) {
        const answer = await call(verb, pathOf(method), verb === 'GET' ? undefined : settings());
        expect(answer).toMatchObject(invalid('paymentMethodId'));
      }
    }
    expect(await call('GET', pathOf('visa', 999_999))).toMatchObject({
      status: 400,
      body: { code: 'merchant-not-found' },
    });
    expect(await call('GET', pathOf('visa', 2001))).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});

describe('check', () => {
  const path = '/v1/merchants/1001/threeds/check';
  const check = (more: object, options: Parameters<TestGateway['call']>[3] = {}) =>
    call('POST', path, { paymentMethodId: 'mastercard', amount: 50, currency: 'USD', ...more }, options);
  /** Removes the counts of this address, which other tests share, as the end of the window does. The limit counts addresses. */
  async function forgetCounts() {
    const redis = new Redis(testRedisUrl());
    const counts = await redis.keys(`${gateway.config.redisPrefix}*checkThreeDs*`);
    expect(counts).toHaveLength(1);
    await redis.del(...counts);
    redis.disconnect();
  }

  beforeAll(async () => {
    await call('POST', pathOf('mastercard'), settings());
  });

  test('answers by the rules of method, amount and channel, and ignores client and merchant of the body', async () => {
    expect((await check({})).body).toEqual({ isRequired: true, paymentMethodId: 'mastercard' });
    expect((await check({ amount: '49.99' })).body.isRequired).toBe(false);
    expect((await check({ amount: '49.99', processingMethod: 'checkout' })).body.isRequired).toBe(true);
    // Unknown channels and indicators decide nothing: the rules of the API apply.
    const foreign = await check({ amount: '49.99', processingMethod: 'web', indicator: '01' });
    expect(foreign).toMatchObject({ status: 200, body: { isRequired: false } });
    expect((await check({ indicator: 'x'.repeat(65) })).body.params).toEqual({ indicator: [expect.any(String)] });
    expect((await check({ currency: 'UYU' })).body.isRequired).toBe(false);
    expect((await check({ paymentMethodId: 'amex' })).body).toEqual({ isRequired: false, paymentMethodId: 'amex' });
    const forged = { merchantId: 2001, clientId: gateway.sandbox.other.clientId };
    expect((await check(forged)).body.isRequired).toBe(true);
    expect(await gateway.database.collection('payments').countDocuments({})).toBe(0);
  });

  test('a token or a method is required, and a token must be a GUID of this client', async () => {
    expect(await check({ paymentMethodId: undefined })).toMatchObject(invalid('token'));
    expect(await check({ token: 'not-a-guid' })).toMatchObject(invalid('token'));
    const unknown = { token: '5f0c9d3a-1b7e-4c6d-8a2f-0e1b3c5d7f90', paymentMethodId: undefined };
    const refused = { code: 'invalid-card-payment-method-token', params: { token: [expect.any(String)] } };
    expect(await check(unknown)).toMatchObject({ status: 400, body: refused });
    expect(await check({ paymentMethodId: 'nothing' })).toMatchObject(invalid('paymentMethodId'));
    expect((await check({ amount: '0' })).body.code).toBe('payment-invalid-amount');
  });

  test('the method is that of the saved card when only a token is sent', async () => {
    const { body: customer } = await call('POST', '/v1/customers', { firstName: 'Ana' });
    const card = { number: '5555555555554444', tokenizationSettings: { type: 'store' } };
    const paid = await call(
      'POST',
      '/v1/payments',
      paymentBody({ customerId: customer.id, amount: { total: 1, currency: 'USD' } }, card),
    );
    expect(paid.status).toBe(200);
    const { body: saved } = await call('GET', `/v1/customers/${customer.id}/payment-instruments`);
    const { body } = await check({ token: saved[0].token, paymentMethodId: undefined });
    expect(body).toEqual({ isRequired: true, paymentMethodId: 'mastercard' });
    const { other } = gateway.sandbox;
    const foreign = await call(
      'POST',
      '/v1/merchants/2001/threeds/check',
      { token: saved[0].token, amount: 1, currency: 'USD' },
      { auth: `${other.clientId}:${other.apiKey}` },
    );
    expect(foreign).toMatchObject({ status: 400, body: { code: 'invalid-card-payment-method-token' } });
  });

  test('is limited per address: 20 in 10 seconds, then 429 with Retry-After', async () => {
    await forgetCounts();
    const answers = [];
    for (let tries = 0; tries < 22; tries += 1) answers.push(await check({}));
    expect(answers.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers[20]).toMatchObject({ status: 429, body: { code: 'too-many-requests' } });
    expect(Number(answers[20]?.headers.get('retry-after'))).toBeGreaterThan(0);
    // A forged header is not taken as the address.
    expect((await check({}, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(429);
  });
});
