/**
 * Roots and keys that wallet tokens are checked with: from the operator's files or, in testing without such files, the published test
 * keys.
 */
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { CUT_OFF, certificatesIn, isCutOff } from '../../config/certificate-files.js';
import { type Config, ConfigError } from '../../config/index.js';
import type { WalletType } from '../domain/wallet/integration.js';
import { readKeyFile } from './read-key-file.js';
import { testRecipientKeys, testRootCertificate, testRootKeys } from './test-keys.js';
import { parseRecipientKeys, parseRootKeys, type WalletATrust } from './wallet-a/trust.js';
import { liveRoots } from './wallet-a/verify-signature.js';
import type { WalletBTrust } from './wallet-b/open-token.js';

/** Roots and keys of the wallets as text, so that they can be passed to a thread. A wallet whose files are not configured is absent. */
export interface WalletTrustTexts {
  readonly walletA?: { readonly rootKeys: string; readonly recipientKeys: string; readonly gatewayName: string };
  readonly walletB?: { readonly roots: string; readonly signingWindowMs: number };
}

export interface WalletTrust {
  readonly walletA?: WalletATrust;
  readonly walletB?: WalletBTrust;
}

export type TrustConfig = Pick<
  Config,
  | 'environment'
  | 'walletARootKeysFile'
  | 'walletARecipientKeysFile'
  | 'walletAGatewayName'
  | 'walletBRootCertificatesFile'
  | 'walletBSigningWindowSeconds'
>;

/** Whether the installation has roots and keys for tokens of each wallet; testing has published ones. */
export function servedWallets(config: Omit<TrustConfig, 'walletAGatewayName' | 'walletBSigningWindowSeconds'>) {
  const { environment, walletARootKeysFile, walletARecipientKeysFile, walletBRootCertificatesFile } = config;
  const testing = environment === 'testing';
  const walletA = walletARootKeysFile !== undefined && walletARecipientKeysFile !== undefined;
  return {
    'wallet-a-pay': testing || walletA,
    'wallet-b-pay': testing || walletBRootCertificatesFile !== undefined,
  } satisfies Record<WalletType, boolean>;
}

/** @throws {Error} when the text holds no certificates. */
function parseRoots(text: string): X509Certificate[] {
  const blocks = certificatesIn(text);
  if (blocks.length === 0) throw new Error('holds no certificate in PEM');
  if (isCutOff(text)) throw new Error(CUT_OFF);
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

/**
 * Whether wallet-a has an unexpired root key: false when wallet-a is configured and every root key of the newest scheme in its file has
 * expired. Keys of ECv1 may have no end, and sign no token of ECv2.
 */
export function hasLiveRoots({ walletA }: WalletTrustTexts, nowMs: number): boolean {
  if (!walletA) return true;
  const roots = parseRootKeys(walletA.rootKeys);
  const newest = roots.some(({ protocolVersion }) => protocolVersion === 'ECv2') ? 'ECv2' : 'ECv1';
  return liveRoots(roots, newest, nowMs).length > 0;
}

const spkiOf = (key: KeyObject) =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' }).toString('base64');
/** Readers of the public keys in each kind of file. */
const readers = {
  rootKeys: (text: string) => parseRootKeys(text).map(({ key }) => spkiOf(key)),
  recipientKeys: (text: string) => parseRecipientKeys(text).map(spkiOf),
  roots: (text: string) => parseRoots(text).map(({ publicKey }) => spkiOf(publicKey)),
};

/** @throws {ConfigError} when one of the keys is a published test key, with which anybody can sign. */
function refusePublished(env: string, keys: readonly string[]): void {
  const published = new Set([
    ...readers.rootKeys(testRootKeys),
    ...readers.recipientKeys(testRecipientKeys),
    ...readers.roots(testRootCertificate),
  ]);
  if (keys.some((key) => published.has(key))) {
    throw new ConfigError([`${env} holds a published test key, which production refuses`]);
  }
}

/** Reads a file of keys. In testing, when no file is named, returns the published keys. */
function readTrusted(
  { environment }: Pick<Config, 'environment'>,
  env: string,
  path: string | undefined,
  [keysOf, forTests]: readonly [(text: string) => readonly string[], string],
): string | undefined {
  if (path === undefined) return environment === 'testing' ? forTests : undefined;
  const [text, keys] = readKeyFile(env, path, (found) => [found, keysOf(found)] as const);
  if (environment !== 'testing') refusePublished(env, keys);
  return text;
}

type RootsConfig = Pick<Config, 'environment' | 'walletARootKeysFile' | 'walletBRootCertificatesFile'>;

/**
 * Reads the roots that signatures of tokens lead to. They are public; the keys that decrypt tokens are not among them.
 * @throws {ConfigError} which names the setting whose file cannot be used, or says that production trusts test keys.
 */
export function loadRoots(config: RootsConfig) {
  const { walletARootKeysFile, walletBRootCertificatesFile } = config;
  return {
    rootKeys: readTrusted(config, 'WALLET_A_ROOT_KEYS_FILE', walletARootKeysFile, [readers.rootKeys, testRootKeys]),
    roots: readTrusted(config, 'WALLET_B_ROOT_CERTIFICATES_FILE', walletBRootCertificatesFile, [
      readers.roots,
      testRootCertificate,
    ]),
  };
}

/** Reads the roots and the keys that decrypt tokens. @throws {ConfigError} as {@link loadRoots} does. */
export function loadTrust(config: TrustConfig): WalletTrustTexts {
  const { rootKeys, roots } = loadRoots(config);
  const recipientKeys = readTrusted(config, 'WALLET_A_RECIPIENT_KEYS_FILE', config.walletARecipientKeysFile, [
    readers.recipientKeys,
    testRecipientKeys,
  ]);
  const gatewayName = config.walletAGatewayName;
  return {
    ...(rootKeys !== undefined && recipientKeys !== undefined && { walletA: { rootKeys, recipientKeys, gatewayName } }),
    ...(roots !== undefined && { walletB: { roots, signingWindowMs: config.walletBSigningWindowSeconds * 1000 } }),
  };
}
