import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Returns the fingerprint that a card is found by: HMAC-SHA-256 of its number under a separate key, base64url (PCI DSS 3.5.1.1). Anyone
 * with the key can try numbers out, so a fingerprint is kept only as long as its card: sealed with the card of a payment, next to the
 * envelope of a saved card. A fingerprint that outlives the card is made with a key that is destroyed (`Vault.fingerprintsOf`).
 */
export function cardFingerprint(key: Uint8Array | KeyObject, number: string): string {
  return createHmac('sha256', key).update(number, 'utf8').digest('base64url');
}
