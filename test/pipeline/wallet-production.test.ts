/** Wallet-a in production: separate API processes side by side, one of which started after the signing key was rotated. */

import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { loadConfig } from '../../config/index.js';
import { createClient } from '../../scripts/provisioning/create-client.js';
import { createMerchant } from '../../scripts/provisioning/create-merchant.js';
import { issueKey } from '../../scripts/provisioning/issue-key.js';
import { openProvisioning } from '../../scripts/provisioning/provisioning.js';
import { systemClock } from '../../shared/clock.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { claimEnvironment } from '../../shared/store/environment.repository.js';
import { createMerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import { testRootCertificate, testRootKeys } from '../../shared/wallets/test-keys.js';
import { apiEnvironment, killApis, runApi } from '../support/api-process.js';
import { dropDatabase } from '../support/drop-database.js';
import { makeWalletKeys } from '../support/wallet-keys.js';

const folder = mkdtempSync(join(tmpdir(), 'wallet-production-'));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const pair = (kid: string) => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'prime256v1' }) });
const [older, newer] = [pair('2026-10'), pair('2026-11')];
const keyFile = (name: string, keys: readonly { readonly kid: string; readonly privateKey: KeyObject }[]) =>
  file(
    name,
    JSON.stringify(
      keys.map(({ kid, privateKey }) => ({
        kid,
        privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      })),
    ),
  );
const before = keyFile('before.json', [older]);
const after = keyFile('after.json', [newer, older]);

const env = apiEnvironment('wallet_production', {
  GATEWAY_ENVIRONMENT: 'production',
  TRUSTED_PROXIES: '0',
  PUBLIC_BASE_URL: 'https://pay.example.com',
  ALLOW_INSECURE_STORES: 'true',
  ALLOW_OLD_MONGODB: 'true',
  OPERATOR_PASSWORD: 'operator-password-of-the-tests',
  WALLET_A_MERCHANT_ID: 'BCR2DN4TZ6',
});
const ORIGIN = 'https://shop.example.com';
let database: Database;
let credentials: string;

/** Starts an API process. Returns functions that enable the wallet, read its configuration, and open a checkout there. */
async function start(authJwtKeysFile: string, more: Record<string, string> = {}) {
  const { port } = await runApi({ ...env, WALLET_A_AUTH_JWT_KEYS_FILE: authJwtKeysFile, ...more }).ready;
  const baseUrl = `http://127.0.0.1:${port}`;
  const call = async (method: string, path: string, more: { body?: object; origin?: string } = {}) => {
    const response = await fetch(`${baseUrl}/v1/${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        'content-type': 'application/json',
        ...(more.origin !== undefined && { origin: more.origin }),
      },
      ...(more.body && { body: JSON.stringify(more.body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into bodies of every shape.
    return { status: response.status, body: (await response.json()) as any };
  };
  const enable = (merchantId: number, profile: object = {}, more: object = {}) => {
    const walletAPayProfile = { walletMerchantName: 'Books', allowedOrigins: [ORIGIN], ...profile };
    const body = { tosAccepted: true, walletAPayProfile, ...more };
    return call('PUT', `merchants/${merchantId}/wallet-integrations/wallet-a-pay`, { body });
  };
  const configuration = (merchantId: number, origin?: string) =>
    call('GET', `merchants/${merchantId}/wallet-a-pay/configuration`, origin === undefined ? {} : { origin });
  /** Opens the page of a new session. Returns the page, its policy, and a function that sends its form. */
  const checkout = async (merchantId: number) => {
    const id = `${merchantId}-${Date.now()}`;
    const paymentRequest = { referenceId: id, invoiceNumber: id, amount: { total: 10.5, currency: 'USD' } };
    const body = { merchantId, referenceId: id, type: 'checkout', paymentRequest };
    const session = (await call('POST', 'sessions', { body })).body;
    const { pathname, search } = new URL(session.actions[0].href);
    const first = await fetch(`${baseUrl}${pathname}${search}`, { redirect: 'manual' });
    const cookie = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const response = await fetch(`${baseUrl}${pathname}`, { headers: { cookie } });
    const page = await response.text();
    const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const post = (fields: Record<string, string>) =>
      fetch(`${baseUrl}${pathname}`, {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams({ form, attempt: '1', action: 'wallet-a', ...fields }),
        redirect: 'manual',
      });
    return { page, policy: response.headers.get('content-security-policy'), post };
  };
  return { enable, configuration, checkout };
}

beforeAll(async () => {
  const config = loadConfig(env);
  database = await openDatabase(config.mongodbUri);
  await database.connection.dropDatabase();
  await claimEnvironment(database, config.environment);
  await ensureIndexes(database);
  const provisioning = openProvisioning(database, config, systemClock);
  const { _id: clientId } = await createClient(provisioning, { name: 'Books' });
  for (const id of [1001, 1002, 1003]) {
    await createMerchant(provisioning, { id, clientId, name: 'Books', country: 'UY', defaultCurrency: 'USD' });
  }
  credentials = `${clientId}:${(await issueKey(provisioning, { clientId })).apiKey}`;
});
afterAll(async () => {
  killApis();
  if (database) await dropDatabase(database);
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('each process signs the token of a page with its newest key, also after a rotation', async () => {
  const [first, second] = await Promise.all([start(before), start(after)]);
  const enabled = await first.enable(1001);
  expect([enabled.status, enabled.body.walletAPayProfile?.allowedAuthMethods]).toEqual([200, ['CRYPTOGRAM_3DS']]);

  for (const [api, { kid, publicKey }] of [
    [first, older],
    [second, newer],
  ] as const) {
    const { status, body } = await api.configuration(1001, ORIGIN);
    expect([status, body.environment, body.merchantInfo.merchantId]).toEqual([200, 'PRODUCTION', 'BCR2DN4TZ6']);
    const { authJwt } = body.merchantInfo;
    expect(decodeProtectedHeader(authJwt)).toEqual({ alg: 'ES256', typ: 'JWT', kid });
    const { payload } = await jwtVerify(authJwt, publicKey);
    expect(payload).toMatchObject({ merchantId: 'BCR2DN4TZ6', merchantOrigin: 'shop.example.com' });
  }

  // The configuration has no token for another origin, without an origin, and for a merchant with an id of its own at the wallet.
  await first.enable(1002, { profileMode: 'merchant', walletMerchantId: 'OWN-ID' });
  const own = await second.configuration(1002, ORIGIN);
  expect(own.body.merchantInfo).toMatchObject({ merchantId: 'OWN-ID', merchantName: 'Books' });
  const without = [await second.configuration(1001, 'https://evil.example'), await second.configuration(1001), own];
  for (const { status, body } of without) {
    expect({ status, environment: body.environment }).toEqual({ status: 200, environment: 'PRODUCTION' });
    expect(body.merchantInfo).not.toHaveProperty('authJwt');
  }

  // A wallet that is enabled for pages of the gateway only has no configuration for a page of the merchant.
  await second.enable(1003, {}, { mode: 'hosted' });
  const hosted = await first.configuration(1003, ORIGIN);
  expect([hosted.status, Object.keys(hosted.body.params)]).toEqual([400, ['walletAPay']]);
});

test('an origin without TLS is refused, also beside others, and nothing is changed', async () => {
  const { enable, configuration } = await start(before);
  expect((await enable(1002)).status).toBe(200);
  for (const allowedOrigins of [['http://shop.example.com'], [ORIGIN, 'http://localhost:3000']]) {
    const { status, body } = await enable(1002, { allowedOrigins, walletMerchantName: 'Other' });
    expect([status, body.params]).toEqual([
      400,
      { 'walletAPayProfile.allowedOrigins': ['"walletAPayProfile.allowedOrigins" must hold https origins only'] },
    ]);
  }
  expect((await configuration(1002, ORIGIN)).body.merchantInfo).toMatchObject({ merchantName: 'Books' });
});

test('the hosted checkout has the script that the settings name, and no wallet without such settings', async () => {
  const { settings, remove } = makeWalletKeys();
  const script = {
    ...settings,
    WALLET_A_SCRIPT_URL: 'https://wallet.example.com/pay.js',
    WALLET_A_SCRIPT_CLIENT: 'wallet.api.PaymentsClient',
  };
  const [bare, shown] = await Promise.all([start(before), start(before, script)]);
  remove();
  const methods = createMerchantPaymentMethodRepository(database, systemClock);
  // A merchant without a processor cannot be charged, and gets no session.
  const settingsOfVisa = { paymentProcessor: { id: 'sandbox', acquirer: 'a' } };
  await methods.savePaymentMethod({
    merchantId: 1003,
    id: 'visa',
    mode: 'gateway',
    enabled: true,
    settings: settingsOfVisa,
  });
  await shown.enable(1003, {}, { mode: 'hosted' });
  const { page, policy, post } = await shown.checkout(1003);
  expect(page).toContain('src="https://wallet.example.com/pay.js"');
  expect(page).toContain('&quot;environment&quot;:&quot;PRODUCTION&quot;');
  expect(page).toContain('&quot;merchantId&quot;:&quot;BCR2DN4TZ6&quot;');
  expect(policy).toContain('https://wallet.example.com');
  // Production mints no token, and a token that no worker opens makes no payment.
  expect((await post({})).status).toBe(303);
  expect((await post({ walletToken: 'eyJub3QiOiJhIHRva2VuIn0' })).status).toBe(503);

  const without = await bare.checkout(1003);
  expect(without.page).not.toContain('wallet');
  expect(without.policy).not.toContain('https:');
  // The collection also has the reservations of sessions.
  const payments = database.collection<{ _id: string }>('payments');
  expect(await payments.countDocuments({ _id: /^pay_/ })).toBe(0);
});

test.each([
  ['WALLET_A_ROOT_KEYS_FILE', file('roots.json', testRootKeys)],
  ['WALLET_B_ROOT_CERTIFICATES_FILE', file('roots.pem', testRootCertificate)],
])('the API does not start with published test roots in %s', async (name, path) => {
  const { ended, ready } = runApi({ ...env, [name]: path });
  ready.catch(() => undefined);
  const { code, errors } = await ended;
  expect(code).toBe(1);
  expect(errors).toContain(`${name} holds a published test key, which production refuses`);
  expect(errors).not.toMatch(/ {4}at /);
});
