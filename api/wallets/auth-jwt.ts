/** The token by which a page proves to wallet-a that the operator knows it (`authJwt`): ES256, signed with the newest key. */
import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { limits } from '../../config/limits.js';
import { unixSeconds } from '../../shared/domain/time.js';
import { readPrivateKey } from '../../shared/wallets/p256.js';
import { readBase64 } from '../../shared/wallets/read-base64.js';
import { type Fields, isText, readItems } from '../../shared/wallets/read-json.js';

export interface AuthJwtKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/**
 * Reads a JSON array of `{"kid", "privateKey"}`, newest first.
 * @throws {Error} naming the place of the problem; never a key.
 */
export function parseAuthJwtKeys(text: string): AuthJwtKey[] {
  const list = readItems(text) as readonly (Fields | null)[];
  if (list.length === 0) throw new Error('is no JSON array of {"kid", "privateKey"}');
  return list.map((entry, place) => {
    const kid = entry?.['kid'];
    const key = readPrivateKey(readBase64(entry?.['privateKey']));
    if (isText(kid) && key) return { kid, key };
    throw new Error(`key ${place + 1} needs a kid and an EC P-256 privateKey in base64 PKCS#8`);
  });
}

/** @returns undefined when the operator has no keys. */
export async function signAuthJwt(
  keys: readonly AuthJwtKey[],
  claims: { readonly merchantId: string; readonly merchantOrigin: string },
  now: Date,
): Promise<string | undefined> {
  const [newest] = keys;
  if (!newest) return undefined;
  const issuedAt = unixSeconds(now);
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: newest.kid })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + limits.walletAuthJwtSeconds)
    .sign(newest.key);
}
