/** When the hosted checkout of production has the wallet's own script, and what its page allows the script to do. */

import { readWallets } from '../../api/wallets/get-wallet-integrations.js';
import { presentWallets } from '../../api/wallets/present-wallet-integration.js';
import { walletProblem } from '../../api/wallets/wallet-configuration.js';
import type { Config } from '../../config/index.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { type ProductionApi, startProductionApi } from '../support/production-api.js';
import { makeWalletKeys } from '../support/wallet-keys.js';
import { caller, cardInput, checkoutBody, makeSession } from './session-support.js';

const { settings, remove } = makeWalletKeys();
const script: Partial<Config> = {
  walletAScriptUrl: 'https://wallet.example.com/js/pay.js',
  walletAScriptClient: 'wallet.api.PaymentsClient',
  walletAScriptOrigins: ['https://cdn.example.com', 'https://*.pictures.example.com'],
  walletAMerchantId: 'BCR2DN4TZ6',
};
const integration = '/v1/merchants/1001/wallet-integrations/wallet-a-pay';
const named = { walletMerchantName: 'Books', allowedOrigins: ['https://shop.example.com'] };
const enable = (more: object = {}) => gateway.call('PUT', integration, { tosAccepted: true, mode: 'hosted', ...more });

let gateway: TestGateway;
let production: ProductionApi;
/** `bare` has no script, and `nameless` has no id at the wallet. */
let bare: ProductionApi;
let nameless: ProductionApi;
/** Has no root keys to verify tokens with. */
let rootless: ProductionApi;

beforeAll(async () => {
  gateway = await startGateway({ name: 'walletpages', settings, pools: ['wallet', 'processor'] });
  production = await startProductionApi(gateway, script);
  bare = await startProductionApi(gateway, { walletAMerchantId: 'BCR2DN4TZ6' });
  rootless = await startProductionApi(gateway, { ...script, walletARootKeysFile: undefined });
  nameless = await startProductionApi(gateway, { ...script, walletAMerchantId: undefined });
});
beforeEach(() => enable());
afterAll(async () => {
  await Promise.all([production, bare, nameless, rootless].map((api) => api?.close()));
  await gateway?.close();
  remove();
});

/** Opens the page of a session as a browser does. */
async function visit(api: ProductionApi, body: Record<string, unknown> = checkoutBody()) {
  const { id, actions } = await makeSession(gateway, body);
  const token = new URL(actions[0].href).searchParams.get('token') ?? '';
  const session = await api.flows.hostedSessions.find(id, token);
  if (!session) throw new Error('there is no such session');
  const cookie = `__Host-gateway-${id}=${token}`;
  const path = `${api.baseUrl}/checkout/${id}`;
  const response = await fetch(path, { headers: { cookie } });
  const page = await response.text();
  const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const post = (fields: Record<string, string>) =>
    fetch(path, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form, attempt: '1', ...fields }),
      redirect: 'manual',
    });
  return { session, page, policy: response.headers.get('content-security-policy') ?? '', post };
}

test('the page has the script, and a policy that allows the script only its own origins', async () => {
  const { page, policy } = await visit(production);
  const nonce = /nonce="([\w-]{22})"/.exec(page)?.[1];
  expect(page).toContain(
    `<script async id="wallet-script" src="https://wallet.example.com/js/pay.js" nonce="${nonce}"></script>`,
  );
  expect(page).toContain('<div class="stack" id="wallet" hidden>');
  const theirs = 'https://wallet.example.com https://cdn.example.com https://*.pictures.example.com';
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' ${theirs}`,
    `style-src 'self' 'nonce-${nonce}' ${theirs}`,
    `img-src 'self' data: ${theirs}`,
    `connect-src 'self' ${theirs}`,
    `font-src ${theirs}`,
    `frame-src ${theirs}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    'report-uri /reports',
    'report-to pages',
  ]);
});

test('no two pages share a nonce', async () => {
  const policies = [await visit(production), await visit(production)].map(({ policy }) => policy);
  expect(new Set(policies).size).toBe(2);
});

const offer = (more: object) => checkoutBody({ settings: { checkout: more } });
const amount = (currency: string) => ({
  referenceId: `order-${Math.random()}`,
  invoiceNumber: 'INV-1',
  amount: { total: 10, currency },
});

test.each<[string, () => ProductionApi, object, () => Record<string, unknown>]>([
  [
    'the session says no',
    () => production,
    {},
    () => offer({ walletIntegrations: { walletAPay: { enabled: false } } }),
  ],
  ['the integration is for the API only', () => production, { mode: 'api', walletAPayProfile: named }, checkoutBody],
  ['the merchant has none', () => production, {}, () => checkoutBody({ merchantId: 1002 })],
  ['the installation has no script', () => bare, {}, checkoutBody],
  ['the installation has no id at the wallet', () => nameless, {}, checkoutBody],
  ['the wallet cannot show the amount', () => production, {}, () => checkoutBody({ paymentRequest: amount('KWD') })],
])('%s: the page has no script and the usual policy, and a token is refused', async (_name, api, change, body) => {
  await enable(change);
  const { session, page, policy, post } = await visit(api(), body());
  expect(session.walletA).toBe(false);
  expect(page).not.toContain('wallet');
  expect(page).not.toContain('nonce');
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    'report-uri /reports',
    'report-to pages',
  ]);
  expect((await post({ action: 'wallet-a', walletToken: 'eyJhIjoxfQ==' })).status).toBe(409);
  expect(await production.flows.hostedSessions.lastPayment(session)).toBeUndefined();
});

test('a merchant with an id of its own at the wallet does not need the id of the operator', async () => {
  await enable({ walletAPayProfile: { profileMode: 'merchant', walletMerchantId: 'OWN-ID' } });
  const { page } = await visit(nameless);
  expect(page).toContain('&quot;merchantId&quot;:&quot;OWN-ID&quot;');
});

test('when the payer enters the amount, the button is below, and the page has no total price yet', async () => {
  const flexible = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'UYU'] } };
  const { page } = await visit(production, offer(flexible));
  expect(page.indexOf('id="wallet"')).toBeGreaterThan(page.indexOf('id="typed"'));
  expect(page).not.toContain('totalPrice&quot;');
  const dinars = { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD', 'KWD'] } };
  expect((await visit(production, offer(dinars))).page).not.toContain('wallet');
});

test('dynamic shipping is refused without a script that asks for the address', async () => {
  const body = offer({ walletIntegrations: { walletAPay: { dynamicShipping: true } } });
  const { status, body: refused } = await gateway.call('POST', '/v1/sessions', body);
  const field = 'settings.checkout.walletIntegrations.walletAPay.dynamicShipping';
  expect([status, refused.code, refused.params]).toEqual([
    400,
    'request-validation-errors',
    { [field]: [expect.stringContaining('WALLET_A_SCRIPT_URL')] },
  ]);
});

test('a wallet that the installation cannot serve has the status error, with the reason', async () => {
  // The gateway of the tests accepts no key of production, so this reads the wallets as their endpoint shows them.
  const read = async ({ deps }: ProductionApi) =>
    presentWallets(await readWallets(deps, 1001), new Date(), (wallet) => walletProblem(deps, wallet)).walletAPay;
  expect(await read(production)).toMatchObject({ status: 'active' });
  expect(await read(nameless)).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('merchant id') });
  expect(await read(rootless)).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('roots') });
});

test('production mints no token: the mock button of the sandbox pays nothing', async () => {
  const { session, post } = await visit(production);
  expect((await post({ action: 'wallet-a' })).status).toBe(303);
  const input = { ...cardInput(1), source: { kind: 'mock-wallet' } as const };
  await expect(production.flows.hostedSessions.pay(session, input, caller)).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(await production.flows.hostedSessions.lastPayment(session)).toBeUndefined();
});

test('a token of the maximum length fits into the form, and a larger body is refused unread', async () => {
  const { post } = await visit(production);
  const longest = `eyJ${'+'.repeat(16 * 1024 - 3)}`;
  const answers = [
    await post({ action: 'wallet-a', walletToken: longest }),
    await post({ action: 'wallet-a', walletToken: `${longest}AAAA` }),
    await post({ action: 'wallet-a', walletToken: 'A'.repeat(60_000) }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 413]);
  expect(await answers[0]?.text()).toContain('The wallet’s answer could not be used.');
});
