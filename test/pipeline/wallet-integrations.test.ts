/** Wallet integrations over the API (docs/api.md#wallets). */

import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { createAuditRepository } from '../../shared/store/audit.repository.js';
import { createWalletIntegrationRepository } from '../../shared/store/wallet-integration.repository.js';
import { createCertificateWatch } from '../../workers/expiry/watch-certificates.js';
import { integrationsPath as base, uploadCertificate } from '../support/enable-wallets.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { pem, walletB } from '../wallets/fixtures.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ name: 'wallets', pools: [] });
});
afterAll(() => gateway?.close());

const call: TestGateway['call'] = (...request) => gateway.call(...request);
const profile = { walletMerchantName: 'Books', allowedOrigins: ['https://shop.example.com'] };
const enableA = (more: object = {}, walletAPayProfile: object | null = profile) =>
  call('PUT', `${base}/wallet-a-pay`, { tosAccepted: true, walletAPayProfile, ...more });
const upload = (cert?: string, more?: object) => uploadCertificate(call, cert, more);
const paramsOf = ({ status, body }: Awaited<ReturnType<typeof upload>>) => [status, Object.keys(body.params ?? {})];

test('a merchant without wallets shows none, and disabling a wallet is no error', async () => {
  expect((await call('GET', base)).body).toEqual({ walletAPay: null, walletBPay: null });
  const off = { status: 200, body: { enabled: false, mode: null, status: 'not_configured' } };
  expect(await call('DELETE', `${base}/wallet-a-pay`)).toMatchObject(off);
  expect((await call('GET', `${base}/wallet-b-pay/certificate`)).body).toMatchObject({
    type: 'self-managed',
    status: 'pending',
  });
});

describe('wallet-a', () => {
  test('is enabled with the default values, and keeps its profile while it is disabled', async () => {
    const { status, body } = await enableA();
    expect([status, body]).toEqual([
      200,
      {
        walletType: 'wallet-a-pay',
        enabled: true,
        mode: 'both',
        status: 'active',
        configuredAt: expect.any(String),
        lastUpdatedAt: expect.any(String),
        walletAPayProfile: {
          profileMode: 'service',
          walletMerchantId: null,
          walletMerchantName: 'Books',
          walletMerchantOrigin: null,
          allowedAuthMethods: ['CRYPTOGRAM_3DS', 'PAN_ONLY'],
          allowedOrigins: ['https://shop.example.com'],
          tosAcceptedAt: body.lastUpdatedAt,
          tosVersion: expect.any(String),
        },
      },
    ]);
    const off = (await call('DELETE', `${base}/wallet-a-pay`)).body;
    expect(off).toMatchObject({
      enabled: false,
      mode: null,
      status: 'not_configured',
      walletAPayProfile: body.walletAPayProfile,
    });
    expect((await call('DELETE', `${base}/wallet-a-pay`)).body).toEqual(off);
    const restored = await call('PUT', `${base}/wallet-a-pay`, { tosAccepted: true });
    expect([restored.status, restored.body]).toEqual([
      200,
      {
        ...body,
        lastUpdatedAt: restored.body.lastUpdatedAt,
        walletAPayProfile: { ...body.walletAPayProfile, tosAcceptedAt: restored.body.lastUpdatedAt },
      },
    ]);
    const again = await enableA({}, body.walletAPayProfile);
    expect(again.body).toMatchObject({ enabled: true, configuredAt: body.configuredAt });
    expect((await call('PUT', `${base}/wallet-a-pay`, { ...again.body, tosAccepted: true })).status).toBe(200);
  });

  test.each([
    ['tosAccepted false', { tosAccepted: false }, profile, ['tosAccepted']],
    ['tosAccepted as text', { tosAccepted: 'true' }, profile, ['tosAccepted']],
    ['an unknown mode', { mode: 'page' }, profile, ['mode']],
    [
      'no profile',
      { mode: 'both' },
      null,
      ['walletAPayProfile.walletMerchantName', 'walletAPayProfile.allowedOrigins'],
    ],
    ['no origins', {}, { walletMerchantName: 'Books' }, ['walletAPayProfile.allowedOrigins']],
    ['a path', {}, { ...profile, allowedOrigins: ['https://a.example/x'] }, ['walletAPayProfile.allowedOrigins.0']],
    ['no scheme', {}, { ...profile, allowedOrigins: ['a.example'] }, ['walletAPayProfile.allowedOrigins.0']],
    [
      'a protocol',
      {},
      { ...profile, walletMerchantOrigin: 'https://a.example' },
      ['walletAPayProfile.walletMerchantOrigin'],
    ],
    ['an unknown method', {}, { ...profile, allowedAuthMethods: ['PIN'] }, ['walletAPayProfile.allowedAuthMethods.0']],
    ['no id of its own', {}, { profileMode: 'merchant' }, ['walletAPayProfile.walletMerchantId']],
    ['an unknown field', { more: 1 }, profile, ['more']],
  ])('%s is refused, and named in the answer', async (_what, more, sent, fields) => {
    expect(paramsOf(await enableA(more, sent))).toEqual([400, fields]);
  });

  test('accepting the terms alone restores no profile that another request replaces at the same time', async () => {
    for (let n = 0; n < 20; n += 1) {
      const allowedOrigins = [`https://shop-${n}.example.com`];
      const accept = () => call('PUT', `${base}/wallet-a-pay`, { tosAccepted: true });
      await Promise.all([accept(), enableA({}, { ...profile, allowedOrigins }), accept()]);
      expect((await call('GET', base)).body.walletAPay.walletAPayProfile).toMatchObject({ allowedOrigins });
    }
  });

  test('accepting the terms alone does not enable a wallet that was never configured', async () => {
    const path = '/v1/merchants/1002/wallet-integrations/wallet-a-pay';
    expect(paramsOf(await call('PUT', path, { tosAccepted: true }))).toEqual([
      400,
      ['walletAPayProfile.walletMerchantName', 'walletAPayProfile.allowedOrigins'],
    ]);
  });

  test('a wallet that was enabled in one mode is enabled again in the same mode', async () => {
    await enableA({ mode: 'hosted' }, null);
    await call('DELETE', `${base}/wallet-a-pay`);
    expect((await call('PUT', `${base}/wallet-a-pay`, { tosAccepted: true })).body).toMatchObject({
      enabled: true,
      mode: 'hosted',
      status: 'active',
    });
  });

  test('mode hosted needs no profile, and fields of the other profile mode are ignored', async () => {
    expect((await enableA({ mode: 'hosted' }, null)).body.walletAPayProfile).toMatchObject({ allowedOrigins: [] });
    const other = { profileMode: 'merchant', walletMerchantId: 'own-id', allowedOrigins: ['https://other.example'] };
    expect((await enableA({}, other)).body.walletAPayProfile).toMatchObject({
      walletMerchantId: 'own-id',
      allowedOrigins: [],
    });
    expect((await enableA({}, { ...profile, walletMerchantId: 'x' })).body.walletAPayProfile.walletMerchantId).toBe(
      null,
    );
  });

  test('the runtime configuration needs a mode with the API, and is unsigned in testing', async () => {
    const read = () =>
      call('GET', '/v1/merchants/1001/wallet-a-pay/configuration', undefined, {
        headers: { origin: 'https://shop.example.com' },
      });
    await enableA({ mode: 'hosted' });
    expect(paramsOf(await read())).toEqual([400, ['walletAPay']]);
    await enableA(
      { mode: 'api' },
      { ...profile, allowedAuthMethods: ['CRYPTOGRAM_3DS'], walletMerchantOrigin: 'shop.example.com' },
    );
    expect((await read()).body).toEqual({
      apiVersion: 2,
      apiVersionMinor: 0,
      environment: 'TEST',
      merchantInfo: { merchantId: '12345678901234567890', merchantName: 'Books', merchantOrigin: 'shop.example.com' },
      allowedPaymentMethods: [
        {
          type: 'CARD',
          parameters: {
            allowedAuthMethods: ['CRYPTOGRAM_3DS'],
            allowedCardNetworks: expect.arrayContaining(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'JCB', 'MAESTRO']),
          },
          tokenizationSpecification: {
            type: 'PAYMENT_GATEWAY',
            parameters: { gateway: gateway.config.walletAGatewayName, gatewayMerchantId: '1001' },
          },
        },
      ],
    });
  });
});

describe('wallet-b', () => {
  test('waits for its certificate, and an upload before it is enabled is refused', async () => {
    expect(paramsOf(await upload())).toEqual([400, ['walletBPay']]);
    const { body } = await call('PUT', `${base}/wallet-b-pay`, {});
    expect(body).toMatchObject({ enabled: true, mode: 'both', status: 'pending', certificate: { status: 'pending' } });
    const managed = await call('PUT', `${base}/wallet-b-pay`, { certificateType: 'service-managed' });
    expect(paramsOf(managed)).toEqual([400, ['certificateType']]);
  });

  test('a failed upload says why and changes nothing', async () => {
    for (const name of [
      'upload-mismatch',
      'upload-p384',
      'upload-expired',
      'upload-no-merchant-id',
      'merchant-alpha-rsa',
      'leaf',
    ]) {
      const { status, body } = await upload(name);
      expect([name, status, Object.keys(body.params)]).toEqual([
        name,
        400,
        [expect.stringMatching(/^(certificate|privateKey)$/)],
      ]);
    }
    expect(paramsOf(await upload('merchant-alpha', { merchantIdentifier: 'merchant.other' }))).toEqual([
      400,
      ['merchantIdentifier'],
    ]);
    expect((await call('GET', base)).body.walletBPay.status).toBe('pending');
  });

  test('an upload activates the wallet and keeps old keys; no answer and no document shows a key', async () => {
    const first = await upload('merchant-alpha-previous');
    expect(first.body).toEqual({
      status: 'active',
      merchantIdentifier: walletB.merchantIdentifier,
      expiresAt: '2030-01-01T00:00:00.000Z',
      uploadedAt: expect.any(String),
    });
    expect((await upload()).status).toBe(200);
    expect(paramsOf(await upload())).toEqual([400, ['certificate']]);
    const { walletBPay } = (await call('GET', base)).body;
    expect(walletBPay).toMatchObject({
      status: 'active',
      certificate: { status: 'active', expiresAt: '2040-01-01T00:00:00.000Z' },
    });
    const stored = await createWalletIntegrationRepository(gateway.database).find(1001, 'wallet-b-pay');
    expect(stored?.certificates?.map(({ publicKeyHash }) => publicKeyHash)).toEqual(
      walletB.keys.map(({ publicKeyHash }) => publicKeyHash),
    );
    const key = pem('merchant-alpha.key.pem').split('\n')[1] as string;
    expect(JSON.stringify([walletBPay, first.body])).not.toMatch(/PRIVATE|privateKey/);
    expect(JSON.stringify(stored)).not.toContain(key);
  });

  test('is active at once when it is disabled and enabled again', async () => {
    const off = (await call('DELETE', `${base}/wallet-b-pay`)).body;
    expect(off).toMatchObject({
      enabled: false,
      mode: null,
      status: 'not_configured',
      certificate: { status: 'active' },
    });
    expect((await call('PUT', `${base}/wallet-b-pay`, { mode: 'api' })).body).toMatchObject({
      status: 'active',
      mode: 'api',
    });
    await call('DELETE', `${base}/wallet-b-pay`);
    expect((await call('PUT', `${base}/wallet-b-pay`, {})).body).toMatchObject({ status: 'active', mode: 'api' });
  });

  test('changes are recorded in the audit log', async () => {
    const audit = createAuditRepository(gateway.database, systemClock);
    const actions = (await audit.find({ clientId: gateway.sandbox.clientId })).map(
      ({ action, object }) => `${action} ${object}`,
    );
    expect(actions).toEqual(
      expect.arrayContaining([
        'wallet.certificate-uploaded 1001/wallet-b-pay',
        'wallet.disabled 1001/wallet-b-pay',
        'wallet.enabled 1001/wallet-a-pay',
      ]),
    );
  });

  test('the operator is warned daily from thirty days before a certificate ends, by one process of two', async () => {
    const events: string[] = [];
    const deps = () => ({
      walletIntegrations: createWalletIntegrationRepository(gateway.database),
      log: createLog('test', 'silent'),
      metrics: { event: (event: string) => void events.push(event) },
    });
    const sweep = (now: string) => Promise.all([1, 2].map(() => createCertificateWatch(deps())(new Date(now))));
    await sweep('2039-11-30T00:00:00Z');
    expect(events).toHaveLength(0);
    await sweep('2039-12-05T00:00:00Z');
    await sweep('2039-12-05T12:00:00Z');
    expect(events).toHaveLength(1);
    await sweep('2039-12-06T12:00:00Z');
    expect(events).toEqual(['wallet-certificate-expiring', 'wallet-certificate-expiring']);
  });
});

test('an upload with the Idempotency-Key of a different upload is refused with 409', async () => {
  const other = '/v1/merchants/1002/wallet-integrations';
  const uploadAgain = (more: object) => {
    const body = {
      certificate: pem('merchant-alpha.pem'),
      privateKey: pem('merchant-alpha.key.pem'),
      merchantIdentifier: walletB.merchantIdentifier,
      ...more,
    };
    const headers = { 'idempotency-key': 'upload-1' };
    return call('POST', `${other}/wallet-b-pay/certificate/upload`, body, { headers });
  };
  await call('PUT', `${other}/wallet-b-pay`, {});
  const made = await uploadAgain({});
  expect(made.status).toBe(200);
  // Simulates a process that died before it stored its answer: a repeated upload is answered, and is in the audit log.
  const rows = gateway.database.collection<{ _id: string; answer?: unknown }>('idempotency_rows');
  await rows.updateMany({}, { $unset: { answer: '' }, $set: { leaseUntil: new Date(0) } } as never);
  expect((await uploadAgain({})).body).toEqual(made.body);
  const uploads = await createAuditRepository(gateway.database, systemClock).find({ outcome: 'done' });
  expect(uploads.filter(({ merchantId, action }) => merchantId === 1002 && /uploaded/.test(action))).toHaveLength(2);
  const { status, body } = await uploadAgain({ merchantIdentifier: 'merchant.com.example.another' });
  expect([status, body.code]).toEqual([409, 'conflict']);
});
