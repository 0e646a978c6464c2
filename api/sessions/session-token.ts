/**
 * The token in the hosted URLs of a session (docs/security.md#tokens-of-hosted-pages): HMAC-SHA-256 of the session's id and type, 32 bytes
 * as base64url. It is derived each time: nothing stored reveals it, and a session always has the same URLs.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Session } from '../../shared/domain/session/session.js';

export interface SessionTokens {
  tokenOf(session: Pick<Session, '_id' | 'type'>): string;
  /** Compares in constant time. */
  fits(session: Pick<Session, '_id' | 'type'>, token: string): boolean;
}

const KEY_BYTES = 32;
const KEY_INFO = 'payment-gateway session token HS256';

/** Uses its own key, derived from the digest key (HKDF-SHA-256, RFC 5869). */
export function createSessionTokens(digestKey: Uint8Array): SessionTokens {
  const key = new Uint8Array(hkdfSync('sha256', digestKey, '', KEY_INFO, KEY_BYTES));
  const tokenOf = ({ _id, type }: Pick<Session, '_id' | 'type'>) =>
    createHmac('sha256', key).update(`${type}:${_id}`, 'utf8').digest('base64url');
  return {
    tokenOf,
    fits(session, token) {
      // The texts are compared: many texts decode to the same bytes, and a long one would become a cookie.
      const sent = Buffer.from(token);
      const own = Buffer.from(tokenOf(session));
      return sent.length === own.length && timingSafeEqual(sent, own);
    },
  };
}
