/** Signatures of Adyen's notifications: HMAC-SHA256 over eight values of each item, with a hexadecimal key. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AdyenNotification } from './notification.js';

const SEPARATOR = ':';
const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll(SEPARATOR, `\\${SEPARATOR}`);

const signedValues = ({ amount, ...item }: AdyenNotification): readonly string[] => [
  item.pspReference,
  item.originalReference ?? '',
  item.merchantAccountCode,
  item.merchantReference ?? '',
  String(amount.value),
  amount.currency,
  item.eventCode,
  item.success,
];

/**
 * The values that are signed, joined. A separator in one of them is escaped in one edition of the maker's documentation, and left
 * as it is by its library: both are taken. Our own references have none.
 */
const signedTexts = (item: AdyenNotification): readonly string[] => {
  const values = signedValues(item);
  return [...new Set([values.join(SEPARATOR), values.map(escaped).join(SEPARATOR)])];
};

const signatureOf = (text: string, key: string): Buffer =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(text, 'utf8').digest();

export const signNotification = (item: AdyenNotification, key: string): string =>
  signatureOf(signedValues(item).join(SEPARATOR), key).toString('base64');

/** @param keys hexadecimal: the newest, and the one before it while notifications under it are on their way */
export function isSigned(item: AdyenNotification, keys: readonly string[]): boolean {
  const given = Buffer.from(item.additionalData.hmacSignature ?? '', 'base64');
  return keys
    .flatMap((key) => signedTexts(item).map((text) => signatureOf(text, key)))
    .some((signature) => given.length === signature.length && timingSafeEqual(given, signature));
}
