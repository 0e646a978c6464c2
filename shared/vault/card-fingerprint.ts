import { createHmac } from 'node:crypto';

/**
 * What a card is looked up by: HMAC-SHA-256 of its number under a key of its own, base64url (PCI DSS 3.5.1.1). Without the
 * key it tells nothing; the same card has the same fingerprint with every merchant.
 */
export function cardFingerprint(key: Uint8Array, number: string): string {
  return createHmac('sha256', key).update(number, 'utf8').digest('base64url');
}
