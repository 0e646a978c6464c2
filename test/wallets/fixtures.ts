/** Tokens made by the schemes' reference implementations, with the expected result of each. The keys are test keys. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { publicKeyHashOf } from '../../api/wallets/certificate.js';
import { parseRecipientKeys, parseRootKeys, type WalletATrust } from '../../shared/wallets/wallet-a/trust.js';
import type { ProcessingKey, WalletBTrust } from '../../shared/wallets/wallet-b/open-token.js';

type Fields = Record<string, unknown>;

export interface TokenFixture {
  readonly id: string;
  readonly note: string;
  readonly token: string;
  readonly processingCert?: string;
  readonly expected: { readonly accept: boolean; readonly reason?: string; readonly payload?: Fields };
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/wallets/${name}.json`, import.meta.url), 'utf8'));

const a: { gatewayMerchantId: string; rootKeys: object; recipientKeys: string[]; tokens: TokenFixture[] } =
  read('wallet-a');
const b: {
  generatedAt: string;
  pki: Record<string, string>;
  uploadValidation: { cert: string; key: string; accept: boolean; reason?: string }[];
  tokens: TokenFixture[];
} = read('wallet-b');

/** In the forms of the operator's files. */
export const walletARoots = a.rootKeys;
export const walletARecipients = a.recipientKeys;

export const walletA = {
  merchant: a.gatewayMerchantId,
  tokens: a.tokens,
  trust: {
    rootKeys: parseRootKeys(JSON.stringify(a.rootKeys)),
    recipientKeys: parseRecipientKeys(JSON.stringify(a.recipientKeys)),
    gatewayName: 'testgateway',
  } satisfies WalletATrust,
};

const certificate = (name: string) => new X509Certificate(Buffer.from(b.pki[name] as string, 'base64'));

/** PEM is made here, so that no file of the repository looks like a real key. */
export function pem(name: string): string {
  const label = name.endsWith('.key.pem') ? 'PRIVATE KEY' : 'CERTIFICATE';
  const lines = (b.pki[name] as string).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function processingKey(name: string): ProcessingKey {
  const x509 = certificate(`${name}.pem`);
  const der = Buffer.from(b.pki[`${name}.key.pem`] as string, 'base64');
  return {
    publicKeyHash: publicKeyHashOf(x509.publicKey),
    privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    merchantIdentifier: 'merchant.test.alpha',
    expiresAt: new Date(x509.validTo),
  };
}

export const walletB = {
  merchantIdentifier: 'merchant.test.alpha',
  now: new Date(b.generatedAt),
  tokens: b.tokens,
  uploads: b.uploadValidation,
  keys: [processingKey('merchant-alpha'), processingKey('merchant-alpha-previous')],
  trust: { roots: [certificate('root.pem')], signingWindowMs: 300_000 } satisfies WalletBTrust,
};
