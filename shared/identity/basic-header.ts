import { limits } from '../../config/limits.js';

export type BasicHeader =
  | { readonly kind: 'credentials'; readonly userId: string; readonly password: string }
  /** There is no header, or it has another scheme. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed'; readonly reason: string };

const malformed = (reason: string): BasicHeader => ({ kind: 'malformed', reason });

/** `fatal`: broken UTF-8 is refused; `ignoreBOM`: a byte order mark stays part of the text instead of vanishing. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads an `Authorization` header of the Basic scheme (RFC 7617; docs/security.md#basic-credentials): at most
 * `limits.basicHeaderBytesMax`, strict base64, valid UTF-8, no control characters, split at the first colon.
 */
export function parseBasicHeader(header: string | undefined): BasicHeader {
  if (header === undefined) return { kind: 'absent' };
  if (header.length > limits.basicHeaderBytesMax) return malformed('the header is too long');
  const [, scheme, encoded] = /^([A-Za-z]+) +(\S*)$/.exec(header) ?? [];
  if (scheme === undefined || encoded === undefined) return malformed('the header is not a scheme and one token');
  if (scheme.toLowerCase() !== 'basic') return { kind: 'absent' };
  const bytes = Buffer.from(encoded, 'base64');
  // Buffer skips characters that are not base64, so the text was base64 only if encoding gives the same text.
  if (bytes.toString('base64').replace(/=+$/, '') !== encoded.replace(/={0,2}$/, ''))
    return malformed('the token is not base64');
  const text = decodeUtf8(bytes);
  if (text === undefined) return malformed('the token is not UTF-8');
  if (/\p{Cc}/u.test(text)) return malformed('the token has control characters');
  const colon = text.indexOf(':');
  if (colon === -1) return malformed('the token has no colon');
  return { kind: 'credentials', userId: text.slice(0, colon), password: text.slice(colon + 1) };
}
