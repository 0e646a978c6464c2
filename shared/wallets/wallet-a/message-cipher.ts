/** The encryption of a wallet-a message: ECDH on P-256, HKDF, AES-CTR and a MAC that is checked first. */
import {
  createDecipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { readBase64 } from '../read-base64.js';
import { hasExactly, readObject } from '../read-json.js';
import type { ProtocolVersion } from './trust.js';

const POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;

export const ciphers = {
  ECv1: { name: 'aes-128-ctr', keyBytes: 16, macBytes: 16 },
  ECv2: { name: 'aes-256-ctr', keyBytes: 32, macBytes: 32 },
} as const satisfies Record<ProtocolVersion, unknown>;

export interface EncryptedMessage {
  readonly ciphertext: Buffer;
  /** Uncompressed point, 65 bytes. */
  readonly point: Buffer;
  readonly tag: Buffer;
}

/** Reads the members of `signedMessage`. Undefined when they do not have the form of the scheme. */
export function readEncryptedMessage(signedMessage: string): EncryptedMessage | undefined {
  const message = readObject(signedMessage);
  if (!message || !hasExactly(message, ['encryptedMessage', 'ephemeralPublicKey', 'tag'])) return undefined;
  const ciphertext = readBase64(message['encryptedMessage']);
  const point = readBase64(message['ephemeralPublicKey']);
  const tag = readBase64(message['tag']);
  if (!ciphertext || !tag || point?.length !== POINT_BYTES || point[0] !== UNCOMPRESSED) return undefined;
  return { ciphertext, point, tag };
}

/** Derives the keys as the sender does. `info` and the empty salt are the same for both versions. */
export function deriveKeys(version: ProtocolVersion, point: Buffer, secret: Buffer) {
  const { keyBytes, macBytes } = ciphers[version];
  const input = Buffer.concat([point, secret]);
  const okm = Buffer.from(hkdfSync('sha256', input, Buffer.alloc(0), 'Google', keyBytes + macBytes));
  return { key: okm.subarray(0, keyBytes), macKey: okm.subarray(keyBytes) };
}

/** @throws when the point is not on the curve. */
function publicKeyOf(point: Buffer): KeyObject {
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
}

/** Decrypts with the first key whose MAC fits; undefined when none fits. The MAC is checked first: nothing is decrypted before. */
export function decryptMessage(
  version: ProtocolVersion,
  message: EncryptedMessage,
  recipientKeys: readonly KeyObject[],
): string | undefined {
  let publicKey: KeyObject;
  try {
    publicKey = publicKeyOf(message.point);
  } catch {
    return undefined;
  }
  for (const privateKey of recipientKeys) {
    const { key, macKey } = deriveKeys(version, message.point, diffieHellman({ privateKey, publicKey }));
    const tag = createHmac('sha256', macKey).update(message.ciphertext).digest();
    if (tag.length !== message.tag.length || !timingSafeEqual(tag, message.tag)) continue;
    const decipher = createDecipheriv(ciphers[version].name, key, Buffer.alloc(16));
    return Buffer.concat([decipher.update(message.ciphertext), decipher.final()]).toString('utf8');
  }
  return undefined;
}
