/** Roots and keys are replaced while a pool runs: with a real thread and real files, and with a time that the test sets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgeWalletA } from '../../api/testing/forge/forge-wallet-a.js';
import { type Config, loadConfig } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Log } from '../../shared/log.js';
import { loadTrust } from '../../shared/wallets/load-trust.js';
import { testRecipientKeys, testRootKeys } from '../../shared/wallets/test-keys.js';
import { createTrustRefresh } from '../../workers/wallet/refresh-trust.js';
import { createTokenThread } from '../../workers/wallet/token-thread.js';
import { testSettings } from '../support/gateway.js';
import { walletARecipients, walletARoots } from './fixtures.js';

const folder = mkdtempSync(join(tmpdir(), 'wallet-refresh-'));
const rootsFile = join(folder, 'roots.json');
const keysFile = join(folder, 'keys.json');
const otherRoots = JSON.stringify(walletARoots);
const closing: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const startMs = Date.now();

function start(environment: Config['environment'] = 'testing') {
  const named = { WALLET_A_ROOT_KEYS_FILE: rootsFile, WALLET_A_RECIPIENT_KEYS_FILE: keysFile };
  const settings = testSettings({ MONGODB_URI: 'mongodb://127.0.0.1/refresh', ...named });
  const config = { ...loadConfig(settings), environment };
  const trust = loadTrust(config);
  const thread = createTokenThread(trust);
  closing.push(() => thread.close());
  const said: string[] = [];
  const note = (message: string, fields: { reason?: string } = {}) =>
    void said.push(`${message} ${fields.reason ?? ''}`);
  const log = { info: note, error: note } as unknown as Log;
  const events: string[] = [];
  const refresh = createTrustRefresh(
    { config, thread, log, metrics: { event: (one) => void events.push(one) } },
    trust,
  );
  const token = forgeWalletA(
    { merchantId: 1001, card: '4111111111111111', expMonth: 12, expYear: 2034, auth: 'CRYPTOGRAM_3DS' },
    config.walletAGatewayName,
    new Date(startMs),
  );
  const request = { walletType: 'wallet-a-pay', token, merchantId: 1001, nowMs: startMs, keys: [] } as const;
  const open = async () => (await thread.open(request)).kind;
  return { open, refreshAfter: (ms: number) => refresh(new Date(startMs + ms)), said, events };
}

beforeEach(() => {
  writeFileSync(rootsFile, testRootKeys);
  writeFileSync(keysFile, testRecipientKeys);
});

test('a root that is removed from the file or put back takes effect at the next refresh, without a restart', async () => {
  const { open, refreshAfter, said } = start();
  refreshAfter(0);
  expect(await open()).toBe('opened');
  writeFileSync(rootsFile, otherRoots);
  // Refreshes are limited: no file is read before the next one is due.
  refreshAfter(limits.walletTrustRefreshMs - 1);
  expect(await open()).toBe('opened');
  refreshAfter(limits.walletTrustRefreshMs);
  expect(await open()).toBe('refused');
  writeFileSync(rootsFile, testRootKeys);
  refreshAfter(2 * limits.walletTrustRefreshMs);
  expect(await open()).toBe('opened');
  refreshAfter(3 * limits.walletTrustRefreshMs);
  expect(said).toEqual(['wallet-trust.replaced ', 'wallet-trust.replaced ']);
});

test('new roots reach a thread that has not been started yet', async () => {
  writeFileSync(rootsFile, otherRoots);
  const { open, refreshAfter } = start();
  writeFileSync(rootsFile, testRootKeys);
  refreshAfter(0);
  expect(await open()).toBe('opened');
});

test.each([
  ['half a file', rootsFile, testRootKeys.slice(0, 40), /WALLET_A_ROOT_KEYS_FILE/],
  ['keys that are none', keysFile, '["c2VjcmV0"]', /WALLET_A_RECIPIENT_KEYS_FILE/],
])('%s changes nothing, and is logged once', async (_what, file, text, reason) => {
  const { open, refreshAfter, said, events } = start();
  expect(await open()).toBe('opened');
  writeFileSync(file, text);
  for (const look of [1, 2, 3]) refreshAfter(look * limits.walletTrustRefreshMs);
  expect(await open()).toBe('opened');
  expect(said).toEqual([expect.stringMatching(reason)]);
  expect(said.join()).not.toContain('c2VjcmV0');
  expect(events).toEqual(['wallet-trust-unusable']);
});

test('a missing file changes nothing', async () => {
  const { open, refreshAfter, said } = start();
  rmSync(rootsFile);
  refreshAfter(0);
  expect(await open()).toBe('opened');
  expect(said).toEqual([expect.stringContaining('cannot be read')]);
});

test('a running production does not accept published test keys', async () => {
  writeFileSync(rootsFile, otherRoots);
  rmSync(keysFile);
  writeFileSync(keysFile, JSON.stringify(walletARecipients));
  const { open, refreshAfter, said } = start('production');
  writeFileSync(rootsFile, testRootKeys);
  refreshAfter(0);
  expect(said).toEqual([expect.stringContaining('holds a published test key')]);
  expect(await open()).toBe('refused');
});

test('a warning is logged when every root key has expired, and again only after new ones are read', () => {
  const keys = JSON.parse(testRootKeys).keys.map((key: object) => ({ ...key, keyExpiration: String(startMs + 1) }));
  writeFileSync(rootsFile, JSON.stringify({ keys }));
  const { refreshAfter, said, events } = start();
  refreshAfter(0);
  expect(said).toEqual([]);
  for (const look of [1, 2]) refreshAfter(look * limits.walletTrustRefreshMs);
  expect(said).toEqual([expect.stringContaining('wallet-trust.roots-expired')]);
  writeFileSync(rootsFile, testRootKeys);
  refreshAfter(3 * limits.walletTrustRefreshMs);
  expect([said.at(-1), events]).toEqual(['wallet-trust.replaced ', ['wallet-trust-unusable']]);
});

test('an ECv1 root key, which has no expiry, does not hide that the ECv2 keys have expired', () => {
  const [{ keyValue }] = JSON.parse(testRootKeys).keys;
  const keys = [
    { keyValue, protocolVersion: 'ECv1' },
    { keyValue, protocolVersion: 'ECv2', keyExpiration: String(startMs + 1) },
  ];
  writeFileSync(rootsFile, JSON.stringify({ keys }));
  const { refreshAfter, said } = start();
  refreshAfter(0);
  expect(said).toEqual([]);
  refreshAfter(limits.walletTrustRefreshMs);
  expect(said).toEqual([expect.stringContaining('wallet-trust.roots-expired')]);
  writeFileSync(rootsFile, JSON.stringify({ keys: keys.slice(0, 1) }));
  refreshAfter(2 * limits.walletTrustRefreshMs);
  expect(said.at(-1)).toBe('wallet-trust.replaced ');
});
