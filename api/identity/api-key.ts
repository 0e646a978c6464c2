/**
 * API keys (docs/security.md#api-keys): `sk_test_` or `sk_live_`, 32 random bytes and a 4-byte checksum, both base64url. By the
 * checksum, a mistyped key and a key of the other environment are refused before anything is looked up. Only an HMAC-SHA-256 under
 * the pepper is stored: with 256 random bits a fast keyed hash is as good as a slow one.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../../config/index.js';

export type Environment = Config['environment'];

const prefixes = { testing: 'sk_test_', production: 'sk_live_' } as const satisfies Record<Environment, string>;

const SECRET_BYTES = 32;
const CHECKSUM_BYTES = 4;
const shape = /^(sk_(?:test|live)_[A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

/** How many characters at the end of a key may be shown. */
const SHOWN_LENGTH = 4;

const checksum = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, CHECKSUM_BYTES).toString('base64url');

/** Creates a key. It is shown once and never stored. */
export function newApiKey(environment: Environment): string {
  const text = prefixes[environment] + randomBytes(SECRET_BYTES).toString('base64url');
  return text + checksum(text);
}

/** Whether the text can be a key of this environment at all: prefix, length and checksum. */
export function isApiKeyOf(environment: Environment, text: string): boolean {
  const [, body, sum] = shape.exec(text) ?? [];
  return body?.startsWith(prefixes[environment]) === true && checksum(body) === sum;
}

/** Returns the digest that is stored instead of the key: 32 bytes. */
export function digestApiKey(pepper: Uint8Array, key: string): Buffer {
  return createHmac('sha256', pepper).update(key, 'utf8').digest();
}

export function last4OfKey(key: string): string {
  return key.slice(-SHOWN_LENGTH);
}
