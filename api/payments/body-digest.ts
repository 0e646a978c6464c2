import { createHmac } from 'node:crypto';

const LAST_DIGITS = 4;
const CARD_DIGITS = /^\d{12,19}$/;

/** Of a card number its last four: the digest and its key must not allow trying the others out. */
const shortened = (name: string, value: unknown) =>
  name === 'number' && typeof value === 'string' && CARD_DIGITS.test(value) ? value.slice(-LAST_DIGITS) : value;

/** JSON with sorted keys, without card numbers and any `cvc`: the same request has the same text, however its fields were ordered. */
function canonicalJson(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return canonicalJson(toJSON.call(value));
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item) ?? 'null').join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    if (key === 'cvc') continue;
    const text = canonicalJson(shortened(key, (value as Record<string, unknown>)[key]));
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/**
 * Tells a repeated request from another one with the same reference: HMAC-SHA-256 over the body, base64url. Of a card the last
 * four and the expiry count; number and cvc do not, because nothing that is kept may lead back to them, not even with the
 * key (docs/security.md#destroyed-numbers). `body` is what JSON can say, no deeper than `limits.jsonDepthMax`.
 */
export function digestBody(key: Uint8Array, body: unknown): string {
  return createHmac('sha256', key)
    .update(canonicalJson(body) ?? '', 'utf8')
    .digest('base64url');
}
