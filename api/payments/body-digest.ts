import { createHmac } from 'node:crypto';

const LAST_DIGITS = 4;
const CARD_DIGITS = /^\d{12,19}$/;

/** Keeps only the last four digits of a card number: with more, the digest and its key would let an attacker guess the rest. */
const shortened = (name: string, value: unknown) =>
  name === 'number' && typeof value === 'string' && CARD_DIGITS.test(value) ? value.slice(-LAST_DIGITS) : value;

/** Sorts the keys, shortens card numbers and drops every `cvc`: equal requests get equal JSON in any order of fields. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || 'toJSON' in value) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(members).sort()) {
    if (key !== 'cvc') result[key] = sorted(shortened(key, members[key]));
  }
  return result;
}

/**
 * Returns a digest that tells a repeated request from a different one with the same reference: HMAC-SHA-256 over the body,
 * base64url. Of a card only the last four digits and the expiry count; the full number and the cvc do not, because nothing that is
 * kept may lead back to them, not even with the key (docs/security.md#destroyed-numbers).
 * @param body any JSON value, no deeper than `limits.jsonDepthMax`.
 */
export function digestBody(key: Uint8Array, body: unknown): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(sorted(body)) ?? '', 'utf8')
    .digest('base64url');
}
