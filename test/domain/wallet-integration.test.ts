/** Status of a merchant's wallet at a given time, and the ways by which payments with it are accepted. */
import {
  certificateRecordId,
  defaultAuthMethods,
  isOpenTo,
  type WalletIntegration,
  walletModes,
  walletStatus,
} from '../../shared/domain/wallet/integration.js';
import { later, start } from './payment/a-payment.js';

const integration = (more: Partial<WalletIntegration> = {}): WalletIntegration => ({
  ...{
    merchantId: 1,
    walletType: 'wallet-b-pay',
    enabled: true,
    mode: 'both',
    configuredAt: start,
    lastUpdatedAt: start,
  },
  ...more,
});
const until = (...ends: Date[]) => ({ certificates: ends.map((expiresAt) => ({ expiresAt }) as never) });

test.each<[string, Partial<WalletIntegration>, boolean, string]>([
  ['off', { enabled: false, ...until(later(1)) }, true, 'not_configured'],
  ['off, and not served', { enabled: false }, false, 'not_configured'],
  ['on, and not served', until(later(1)), false, 'error'],
  ['wallet A', { walletType: 'wallet-a-pay' }, true, 'active'],
  ['wallet A that is not served', { walletType: 'wallet-a-pay' }, false, 'error'],
  ['without a certificate', {}, true, 'pending'],
  ['with a certificate', until(later(1)), true, 'active'],
  ['with one that ended now', until(start), true, 'error'],
  ['with an older one that is still good', until(start, later(1)), true, 'active'],
])('the status of a wallet: %s', (_name, more, served, status) => {
  expect(walletStatus(integration(more), start, served)).toBe(status);
});

test('a wallet counts as served by default', () => {
  expect(walletStatus(integration({ walletType: 'wallet-a-pay' }), start)).toBe('active');
});

test('a wallet is open to the ways of its mode only while it is enabled', () => {
  const ways = (more: Partial<WalletIntegration>) =>
    (['api', 'hosted'] as const).filter((way) => isOpenTo(integration(more), way));
  expect(walletModes.map((mode) => ways({ mode }))).toEqual([['hosted'], ['api'], ['api', 'hosted']]);
  expect(walletModes.flatMap((mode) => ways({ mode, enabled: false }))).toEqual([]);
  expect(isOpenTo(undefined, 'api')).toBe(false);
});

test('PAN-only credentials are not in the defaults of production', () => {
  expect(defaultAuthMethods('production')).toEqual(['CRYPTOGRAM_3DS']);
  expect(defaultAuthMethods('testing')).toEqual(['CRYPTOGRAM_3DS', 'PAN_ONLY']);
});

test('a private key is bound to its merchant and public key', () => {
  expect(certificateRecordId(7, 'hash')).toBe('7:wallet-b-pay:hash');
});
