import { createHmac } from 'node:crypto';

const LAST_DIGITS = 4;
const CARD_DIGITS = /^\d{12,19}$/;

/** Of a card number its last four: the digest and its key must not allow trying the others out. */
const shortened = (name: string, value: unknown) =>
  name === 'number' && typeof value === 'string' && CARD_DIGITS.test(value) ? value.slice(-LAST_DIGITS) : value;

/** With sorted keys, without card numbers and any `cvc`: the same request has the same JSON, however its fields were ordered. */
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
 * Tells a repeated request from another one with the same reference: HMAC-SHA-256 over the body, base64url. Of a card the last
 * four and the expiry count; number and cvc do not, because nothing that is kept may lead back to them, not even with the
 * key (docs/security.md#destroyed-numbers). `body` is what JSON can say, no deeper than `limits.jsonDepthMax`.
 */
export function digestBody(key: Uint8Array, body: unknown): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(sorted(body)) ?? '', 'utf8')
    .digest('base64url');
}
