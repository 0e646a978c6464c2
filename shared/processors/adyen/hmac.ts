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
 * Joins the values that are signed. A separator inside a value is escaped in one edition of Adyen's documentation, but left unchanged
 * by Adyen's library: both forms are accepted. Our own references contain no separator.
 */
const signedTexts = (item: AdyenNotification): readonly string[] => {
  const values = signedValues(item);
  return [...new Set([values.join(SEPARATOR), values.map(escaped).join(SEPARATOR)])];
};

const signatureOf = (text: string, key: string): Buffer =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(text, 'utf8').digest();

export const signNotification = (item: AdyenNotification, key: string): string =>
  signatureOf(signedValues(item).join(SEPARATOR), key).toString('base64');

/** @param keys hexadecimal: the newest key, and the previous one while notifications signed with it may still arrive */
export function isSigned(item: AdyenNotification, keys: readonly string[]): boolean {
  const given = Buffer.from(item.additionalData.hmacSignature ?? '', 'base64');
  return keys
    .flatMap((key) => signedTexts(item).map((text) => signatureOf(text, key)))
    .some((signature) => given.length === signature.length && timingSafeEqual(given, signature));
}
