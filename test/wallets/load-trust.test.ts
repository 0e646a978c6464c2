/** The roots and keys that verify and open wallet tokens, per environment. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTrust, parseTrust } from '../../shared/wallets/load-trust.js';
import { testRecipientKeys, testRootCertificate, testRootKeys } from '../../shared/wallets/test-keys.js';
import { pem } from './fixtures.js';

const folder = mkdtempSync(join(tmpdir(), 'wallet-trust-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const none = {
  walletARootKeysFile: undefined,
  walletARecipientKeysFile: undefined,
  walletBRootCertificatesFile: undefined,
  walletAGatewayName: 'gw',
  walletBSigningWindowSeconds: 300,
};
const production = { ...none, environment: 'production' as const };

test('without files, testing trusts the published keys and production trusts nothing', () => {
  const texts = loadTrust({ ...none, environment: 'testing' });
  expect(texts.walletA).toEqual({ rootKeys: testRootKeys, recipientKeys: testRecipientKeys, gatewayName: 'gw' });
  expect(parseTrust(texts).walletB?.roots).toHaveLength(1);
  expect(loadTrust(production)).toEqual({});
});

test('production accepts its own roots', () => {
  const walletBRootCertificatesFile = file('own.pem', pem('root.pem'));
  expect(loadTrust({ ...production, walletBRootCertificatesFile })).toMatchObject({
    walletB: { signingWindowMs: 300_000 },
  });
});

test('production refuses to start with a published key', () => {
  const walletBRootCertificatesFile = file('b.pem', pem('root.pem') + testRootCertificate);
  expect(() => loadTrust({ ...production, walletBRootCertificatesFile })).toThrow(/published test key/);
  const walletARootKeysFile = file('roots.json', testRootKeys);
  // A root file alone opens no token yet, but is refused all the same.
  expect(() => loadTrust({ ...production, walletARootKeysFile })).toThrow(/WALLET_A_ROOT_KEYS_FILE holds a published/);
  const walletARecipientKeysFile = file('keys.json', testRecipientKeys);
  expect(() => loadTrust({ ...production, walletARootKeysFile, walletARecipientKeysFile })).toThrow(
    /published test key/,
  );
});

test('a file that cannot be used is named with its setting, and its content is not shown', () => {
  const walletARecipientKeysFile = file('bad.json', '["c2VjcmV0"]');
  expect(() => loadTrust({ ...production, walletARecipientKeysFile })).toThrow(
    /WALLET_A_RECIPIENT_KEYS_FILE: .*bad\.json key 1 is no EC P-256 key/,
  );
  const root = pem('root.pem');
  const cut = file('cut.pem', `${root.trim().slice(0, -40)}\n${root}`);
  expect(() => loadTrust({ ...production, walletBRootCertificatesFile: cut })).toThrow(
    /WALLET_B_ROOT_CERTIFICATES_FILE: .*cut\.pem holds a certificate that begins and does not end/,
  );
  const walletBRootCertificatesFile = join(folder, 'absent.pem');
  expect(() => loadTrust({ ...production, walletBRootCertificatesFile })).toThrow(/cannot be read/);
});
