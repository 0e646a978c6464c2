/** `authJwt` is issued only if all its conditions hold (docs/api.md#wallet-a). */

import { generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { ApiDeps } from '../../api/deps.js';
import { parseAuthJwtKeys } from '../../api/wallets/auth-jwt.js';
import { readWalletAConfiguration } from '../../api/wallets/get-wallet-a-configuration.js';
import { presentWalletB } from '../../api/wallets/present-wallet-integration.js';
import type { WalletIntegration } from '../../shared/domain/wallet/integration.js';

const now = new Date('2026-11-21T12:00:00Z');
const pairs = ['k2', 'k1'].map((kid) => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'prime256v1' }) }));
const authJwtKeys = parseAuthJwtKeys(
  JSON.stringify(
    pairs.map(({ kid, privateKey }) => ({
      kid,
      privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    })),
  ),
);

const profile = {
  profileMode: 'service' as const,
  walletMerchantName: 'Books',
  allowedAuthMethods: ['CRYPTOGRAM_3DS' as const],
  allowedOrigins: ['https://shop.example.com'],
  tosAcceptedAt: now,
  tosVersion: '1',
};
const integration: WalletIntegration = {
  merchantId: 1001,
  walletType: 'wallet-a-pay',
  enabled: true,
  mode: 'both',
  configuredAt: now,
  lastUpdatedAt: now,
  profile,
};

interface Change {
  readonly environment?: 'testing' | 'production';
  readonly integration?: Partial<WalletIntegration>;
  readonly origin?: string | undefined;
  readonly keys?: ApiDeps['authJwtKeys'];
  readonly methods?: readonly object[];
}

async function read(change: Change) {
  const deps = {
    config: {
      environment: change.environment ?? 'production',
      walletAGatewayName: 'gw',
      walletAMerchantId: 'service-id',
    },
    clock: { now: () => now },
    walletIntegrations: { find: async () => ({ ...integration, ...change.integration }) },
    methods: { findPaymentMethodsOf: async () => change.methods ?? [] },
    authJwtKeys: change.keys ?? authJwtKeys,
  } as unknown as ApiDeps;
  const origin = 'origin' in change ? change.origin : 'https://shop.example.com';
  return readWalletAConfiguration(deps, 1001, origin);
}

const jwtOf = (configuration: Awaited<ReturnType<typeof read>>) =>
  (configuration.merchantInfo as { authJwt?: string }).authJwt;

test('authJwt is signed by the newest key, for the merchant id and the origin', async () => {
  const configuration = await read({});
  expect(configuration).toMatchObject({ environment: 'PRODUCTION', merchantInfo: { merchantId: 'service-id' } });
  const jwt = jwtOf(configuration) as string;
  expect(decodeProtectedHeader(jwt)).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'k2' });
  const { payload } = await jwtVerify(jwt, pairs[0]?.publicKey as never, { currentDate: now });
  expect(payload).toMatchObject({ merchantId: 'service-id', merchantOrigin: 'shop.example.com' });
  expect((payload.exp as number) - (payload.iat as number)).toBe(3_600);
});

test('the configuration offers the enabled card methods of the merchant', async () => {
  const methods = [
    { id: 'visa', enabled: true, settings: {} },
    { id: 'mastercard', enabled: false, settings: {} },
    { id: 'amex', enabled: true, settings: {} },
    { id: 'instant-transfer', enabled: true, settings: {} },
  ];
  const { allowedPaymentMethods } = await read({ methods });
  expect(allowedPaymentMethods).toMatchObject([{ parameters: { allowedCardNetworks: ['VISA', 'AMEX'] } }]);
});

test('methods whose processors all refuse cryptograms are left out, unless card numbers are allowed', async () => {
  const at = (id: string) => ({ paymentProcessor: { id, acquirer: 'a' } });
  const methods = [
    { id: 'visa', enabled: true, settings: at('stripe') },
    { id: 'mastercard', enabled: true, settings: { ...at('stripe'), routes: [at('stripe'), at('adyen')] } },
    { id: 'amex', enabled: true, settings: { ...at('stripe'), routes: [at('stripe')] } },
  ];
  const networksOf = async (change: Change) =>
    (await read({ methods, ...change })).allowedPaymentMethods[0]?.parameters.allowedCardNetworks;
  expect(await networksOf({})).toEqual(['MASTERCARD']);
  const both = { ...profile, allowedAuthMethods: ['CRYPTOGRAM_3DS', 'PAN_ONLY'] as const };
  expect(await networksOf({ integration: { profile: both } })).toEqual(['VISA', 'MASTERCARD', 'AMEX']);
});

test('if no method takes a cryptogram, the wallet is asked for card numbers only', async () => {
  const at = (...ids: string[]) => ({ routes: ids.map((id) => ({ paymentProcessor: { id, acquirer: 'a' } })) });
  const both = { ...profile, allowedAuthMethods: ['CRYPTOGRAM_3DS', 'PAN_ONLY'] as const };
  const authMethodsAt = async (...ids: string[]) => {
    const methods = [{ id: 'visa', enabled: true, settings: at(...ids) }];
    const [card] = (await read({ methods, integration: { profile: both } })).allowedPaymentMethods;
    return card?.parameters.allowedAuthMethods;
  };
  expect(await authMethodsAt('stripe')).toEqual(['PAN_ONLY']);
  expect(await authMethodsAt('stripe', 'adyen')).toEqual(['CRYPTOGRAM_3DS', 'PAN_ONLY']);
});

test.each<[string, Change]>([
  ['testing', { environment: 'testing' }],
  [
    'profile mode merchant',
    { integration: { profile: { ...profile, profileMode: 'merchant', walletMerchantId: 'm' } } },
  ],
  ['another origin', { origin: 'https://evil.example.com' }],
  ['no origin', { origin: undefined }],
  ['no managed key', { keys: [] }],
])('no authJwt is issued: %s', async (_what, change) => {
  expect(jwtOf(await read(change))).toBeUndefined();
});

test.each<[string, Partial<WalletIntegration>]>([
  ['hosted only', { mode: 'hosted' }],
  ['disabled', { enabled: false }],
])('there is no configuration: %s', async (_what, change) => {
  await expect(read({ integration: change })).rejects.toMatchObject({ code: 'request-validation-errors' });
});

test('a certificate expires at its end, and the integration is in error if no other one is valid', () => {
  const certificate = {
    publicKeyHash: 'a',
    publicKey: 'b',
    merchantIdentifier: 'm',
    expiresAt: now,
    uploadedAt: now,
    privateKey: {} as never,
  };
  const b: WalletIntegration = { ...integration, walletType: 'wallet-b-pay', certificates: [certificate] };
  const at = (ms: number, more = {}) => presentWalletB({ ...b, ...more }, new Date(now.getTime() + ms));
  expect(at(-1)).toMatchObject({ status: 'active', certificate: { status: 'active' } });
  expect(at(0)).toMatchObject({
    status: 'error',
    errorMessage: expect.any(String),
    certificate: { status: 'expired' },
  });
  const older = { ...certificate, expiresAt: new Date(now.getTime() + 1) };
  expect(at(0, { certificates: [certificate, older] })).toMatchObject({ status: 'active' });
});
