import { createHmac, type KeyObject } from 'node:crypto';

/**
 * What a card is looked up by: HMAC-SHA-256 of its number under a key of its own, base64url (PCI DSS 3.5.1.1). Anyone with the
 * key can try numbers out, so it is kept as long as the card itself: sealed with that of a payment, beside that of a saved
 * card. What outlives the card is made with a key that is destroyed (`Vault.fingerprintsOf`).
 */
export function cardFingerprint(key: Uint8Array | KeyObject, number: string): string {
  return createHmac('sha256', key).update(number, 'utf8').digest('base64url');
}
