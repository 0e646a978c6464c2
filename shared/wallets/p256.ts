/** Reads keys of EC P-256, the curve of both wallets; undefined for any other key, and for bytes that are no key. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

export const isP256 = (key: KeyObject): boolean => key.asymmetricKeyDetails?.namedCurve === 'prime256v1';

function read(create: () => KeyObject): KeyObject | undefined {
  try {
    const key = create();
    return isP256(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** @param der SPKI */
export const readPublicKey = (der: Buffer | undefined): KeyObject | undefined =>
  der && read(() => createPublicKey({ key: der, format: 'der', type: 'spki' }));

/** @param der PKCS#8 */
export const readPrivateKey = (der: Buffer | undefined): KeyObject | undefined =>
  der && read(() => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
