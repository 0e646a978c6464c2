import { createHmac } from 'node:crypto';

/** JSON with sorted keys and without any `cvc`: the same request has the same text, however its fields were ordered. */
function canonicalJson(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return canonicalJson(toJSON.call(value));
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item) ?? 'null').join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    if (key === 'cvc') continue;
    const text = canonicalJson((value as Record<string, unknown>)[key]);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/**
 * Tells a repeated request from another one with the same reference: HMAC-SHA-256 over the body, base64url. Keyed, because a
 * plain hash of a body with a card number would let anyone who reads it find the number out; without the cvc, because
 * nothing that is kept may depend on it. `body` is what JSON can say, no deeper than `limits.jsonDepthMax`.
 */
export function digestBody(key: Uint8Array, body: unknown): string {
  return createHmac('sha256', key)
    .update(canonicalJson(body) ?? '', 'utf8')
    .digest('base64url');
}
