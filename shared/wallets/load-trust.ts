/** What wallet tokens are judged by: the operator's files, or in testing, where none are named, the published test keys. */
import { createPublicKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '../../config/index.js';
import { testRecipientKeys, testRootCertificate, testRootKeys } from './forge/test-keys.js';
import { readKeyFile } from './read-key-file.js';
import { parseRecipientKeys, parseRootKeys, type WalletATrust } from './wallet-a/trust.js';
import type { WalletBTrust } from './wallet-b/open-token.js';

/** As text, so that it can be handed to a thread. A wallet whose files are not configured is absent. */
export interface WalletTrustTexts {
  readonly walletA?: { readonly rootKeys: string; readonly recipientKeys: string; readonly gatewayName: string };
  readonly walletB?: { readonly roots: string; readonly signingWindowMs: number };
}

export interface WalletTrust {
  readonly walletA?: WalletATrust;
  readonly walletB?: WalletBTrust;
}

type TrustConfig = Pick<
  Config,
  | 'environment'
  | 'walletARootKeysFile'
  | 'walletARecipientKeysFile'
  | 'walletAGatewayName'
  | 'walletBRootCertificatesFile'
  | 'walletBSigningWindowSeconds'
>;

/** @throws {Error} when the text holds no certificates. */
function parseRoots(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('holds no certificate in PEM');
  return blocks.map((block) => new X509Certificate(block));
}

export function parseTrust({ walletA, walletB }: WalletTrustTexts): WalletTrust {
  return {
    ...(walletA && {
      walletA: {
        rootKeys: parseRootKeys(walletA.rootKeys),
        recipientKeys: parseRecipientKeys(walletA.recipientKeys),
        gatewayName: walletA.gatewayName,
      },
    }),
    ...(walletB && { walletB: { roots: parseRoots(walletB.roots), signingWindowMs: walletB.signingWindowMs } }),
  };
}

/** True when one of the keys is a published one: anybody can sign under it. */
function isPublished(trust: WalletTrust): boolean {
  const spki = (key: Parameters<typeof createPublicKey>[0] | X509Certificate['publicKey']) =>
    createPublicKey(key as never)
      .export({ format: 'der', type: 'spki' })
      .toString('base64');
  const published = new Set([
    ...parseRootKeys(testRootKeys).map(({ key }) => key.export({ format: 'der', type: 'spki' }).toString('base64')),
    ...parseRecipientKeys(testRecipientKeys).map(spki),
    new X509Certificate(testRootCertificate).publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  ]);
  const trusted = [
    ...(trust.walletA?.rootKeys ?? []).map(({ key }) => key.export({ format: 'der', type: 'spki' }).toString('base64')),
    ...(trust.walletA?.recipientKeys ?? []).map(spki),
    ...(trust.walletB?.roots ?? []).map(({ publicKey }) =>
      publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    ),
  ];
  return trusted.some((key) => published.has(key));
}

/** @throws {ConfigError} naming the setting whose file cannot be used, or says that production trusts test keys. */
export function loadTrust(config: TrustConfig): WalletTrustTexts {
  const testing = config.environment === 'testing';
  const read = (env: string, path: string | undefined, parse: (text: string) => unknown, forTests: string) => {
    if (path === undefined) return testing ? forTests : undefined;
    readKeyFile(env, path, parse);
    return readFileSync(path, 'utf8');
  };
  const rootKeys = read('WALLET_A_ROOT_KEYS_FILE', config.walletARootKeysFile, parseRootKeys, testRootKeys);
  const recipientKeys = read(
    'WALLET_A_RECIPIENT_KEYS_FILE',
    config.walletARecipientKeysFile,
    parseRecipientKeys,
    testRecipientKeys,
  );
  const roots = read(
    'WALLET_B_ROOT_CERTIFICATES_FILE',
    config.walletBRootCertificatesFile,
    parseRoots,
    testRootCertificate,
  );
  const gatewayName = config.walletAGatewayName;
  const texts: WalletTrustTexts = {
    ...(rootKeys !== undefined && recipientKeys !== undefined && { walletA: { rootKeys, recipientKeys, gatewayName } }),
    ...(roots !== undefined && { walletB: { roots, signingWindowMs: config.walletBSigningWindowSeconds * 1000 } }),
  };
  if (!testing && isPublished(parseTrust(texts))) {
    throw new ConfigError([
      'WALLET_A_ROOT_KEYS_FILE, WALLET_A_RECIPIENT_KEYS_FILE or WALLET_B_ROOT_CERTIFICATES_FILE holds a published test key, which production refuses',
    ]);
  }
  return texts;
}
