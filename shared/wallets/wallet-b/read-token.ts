/** Reads the shape of a wallet-b token, before anything in it is trusted. */
import { readBase64 } from '../read-base64.js';
import { type Fields, readObject } from '../read-json.js';

export interface WalletBToken {
  readonly payload: Buffer;
  /** CMS signature. */
  readonly signature: Buffer;
  /** base64 of the SHA-256 of the merchant's public key: it says for which key the token is encrypted. Not signed. */
  readonly publicKeyHash: string;
  /**
   * Transaction id and application data in lowercase hex. Both, because the signature does not say where the first one ends: the same
   * token, split elsewhere, must not pass as another token.
   */
  readonly uniqueId: string;
  /** The sender's one-time key (SPKI). */
  readonly ephemeralKey: Buffer;
  /** Bytes that the signature covers. */
  readonly signedContent: Buffer;
}

const HEX = /^(?:[0-9a-f]{2}){1,256}$/i;

function readParts(fields: Fields): WalletBToken | undefined {
  const payload = readBase64(fields['data']);
  const signature = readBase64(fields['signature']);
  const header = (fields['header'] ?? {}) as Fields;
  const { publicKeyHash, transactionId, applicationData } = header;
  const ephemeralKey = readBase64(header['ephemeralPublicKey']);
  if (!payload || !signature || !ephemeralKey) return undefined;
  if (!readBase64(publicKeyHash) || typeof transactionId !== 'string' || !HEX.test(transactionId)) return undefined;
  const application = applicationData ?? '';
  if (typeof application !== 'string' || (application !== '' && !HEX.test(application))) return undefined;
  return {
    payload,
    signature,
    publicKeyHash: publicKeyHash as string,
    uniqueId: `${transactionId}${application}`.toLowerCase(),
    ephemeralKey,
    signedContent: Buffer.concat([
      ephemeralKey,
      payload,
      Buffer.from(transactionId, 'hex'),
      Buffer.from(application, 'hex'),
    ]),
  };
}

/**
 * Reads a token from JSON text: the payment data itself, or with the wallet's own frame (`{"paymentData": …}`) around it. Only EC_v1 is
 * supported: RSA_v1 and later versions are undefined.
 */
export function readWalletBToken(text: string): WalletBToken | undefined {
  const outer = readObject(text);
  const framed = outer?.['paymentData'];
  const fields = typeof framed === 'object' && framed !== null ? (framed as Fields) : outer;
  return fields?.['version'] === 'EC_v1' ? readParts(fields) : undefined;
}
