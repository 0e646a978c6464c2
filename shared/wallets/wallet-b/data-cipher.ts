/** The encryption of wallet-b data: ECDH on P-256, one round of the X9.63 derivation, AES-256-GCM. */
import { createDecipheriv, createHash, diffieHellman, type KeyObject } from 'node:crypto';

const TAG_BYTES = 16;
/** The scheme's IV: sixteen zero bytes, not the usual twelve. It may be constant because every key is used once. */
export const dataIv = Buffer.alloc(16);

/** Derives the key: SHA-256 of counter, shared secret, algorithm, party U and the digest of the merchant identifier. */
export function deriveDataKey(secret: Buffer, merchantIdentifier: string): Buffer {
  return createHash('sha256')
    .update(Buffer.from([0, 0, 0, 1]))
    .update(secret)
    .update(Buffer.from([0x0d]))
    .update('id-aes256-GCM')
    .update('Apple')
    .update(createHash('sha256').update(merchantIdentifier, 'utf8').digest())
    .digest();
}

/** Decrypts the payload; undefined when key, data and merchant identifier do not belong together. */
export function decryptData(
  payload: Buffer,
  keys: { readonly privateKey: KeyObject; readonly ephemeral: KeyObject; readonly merchantIdentifier: string },
): string | undefined {
  if (payload.length <= TAG_BYTES) return undefined;
  try {
    const secret = diffieHellman({ privateKey: keys.privateKey, publicKey: keys.ephemeral });
    const key = deriveDataKey(secret, keys.merchantIdentifier);
    const decipher = createDecipheriv('aes-256-gcm', key, dataIv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(payload.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
