/** Opens a wallet-b token: shape, signature and its time, the merchant's key, decryption, payload. Pure but for the keys. */
import type { KeyObject, X509Certificate } from 'node:crypto';
import { twoDigitEci } from '../../domain/threeds/authentication.js';
import { msBetween } from '../../domain/time.js';
import { type OpenedToken, refused, type WalletCredential } from '../credential.js';
import { readPublicKey } from '../p256.js';
import { type Fields, isText, readObject } from '../read-json.js';
import { decryptData } from './data-cipher.js';
import { readWalletBToken } from './read-token.js';
import { checkSignature } from './verify-signature.js';

export interface WalletBTrust {
  readonly roots: readonly X509Certificate[];
  /** How far the time of signing may be from now, in both directions (ms). */
  readonly signingWindowMs: number;
}

/** A payment processing key of the merchant. */
export interface ProcessingKey {
  readonly publicKeyHash: string;
  readonly privateKey: KeyObject;
  readonly merchantIdentifier: string;
  /** End of the key's certificate. */
  readonly expiresAt: Date;
}

const DATE = /^(\d{2})(0[1-9]|1[0-2])(?:\d{2})$/;

function readCredential(payload: Fields, uniqueId: string): WalletCredential | undefined {
  const number = payload['applicationPrimaryAccountNumber'];
  const date = DATE.exec(String(payload['applicationExpirationDate']));
  const total = payload['transactionAmount'];
  const currency = payload['currencyCode'];
  const { onlinePaymentCryptogram, eciIndicator } = (payload['paymentData'] ?? {}) as Fields;
  if (typeof number !== 'string' || !/^\d{12,19}$/.test(number) || !date) return undefined;
  if (!Number.isSafeInteger(total) || (total as number) < 0) return undefined;
  if (typeof currency !== 'string' || !/^\d{3}$/.test(currency)) return undefined;
  if (payload['paymentDataType'] !== '3DSecure' || !isText(onlinePaymentCryptogram)) return undefined;
  const name = payload['cardholderName'];
  return {
    number,
    expMonth: Number(date[2]),
    expYear: 2000 + Number(date[1]),
    uniqueId,
    approved: { totalMinor: total as number, currencyNumber: currency },
    ...(isText(name) ? { cardholderName: name } : {}),
    kind: 'cryptogram',
    cryptogram: onlinePaymentCryptogram,
    ...(isText(eciIndicator) ? { eci: twoDigitEci(eciIndicator) } : {}),
  };
}

/**
 * @param text the token as JSON text.
 * @param keys the merchant's keys, current and earlier ones: the token names its key by the hash of the public key.
 */
export function openWalletBToken(
  text: string,
  trust: WalletBTrust,
  keys: readonly ProcessingKey[],
  now: Date,
): OpenedToken {
  const token = readWalletBToken(text);
  if (!token) return refused('malformed');
  const signature = checkSignature(token.signature, token.signedContent, trust.roots, now);
  if (signature.kind === 'unsigned') return refused('unverifiable');
  if (Math.abs(msBetween(signature.at, now)) > trust.signingWindowMs) return refused('expired');
  const key = keys.find(({ publicKeyHash }) => publicKeyHash === token.publicKeyHash);
  if (!key) return refused('unknown-key');
  if (key.expiresAt.getTime() <= now.getTime()) return refused('certificate-expired');
  const ephemeral = readPublicKey(token.ephemeralKey);
  const { privateKey, merchantIdentifier } = key;
  const plain = ephemeral && decryptData(token.payload, { privateKey, ephemeral, merchantIdentifier });
  if (plain === undefined) return refused('unverifiable');
  const payload = readObject(plain);
  if (payload?.['paymentDataType'] === 'EMV') return refused('emv-data');
  const credential = payload && readCredential(payload, token.uniqueId);
  return credential ? { kind: 'opened', credential } : refused('malformed');
}
