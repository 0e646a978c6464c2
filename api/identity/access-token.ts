/**
 * Bearer tokens (docs/decisions.md, "bearer token"): JWTs of RFC 9068's kind, signed with HS256 by the gateway for itself.
 * A token names a key and grants nothing by itself: at each use the key is looked up as if it had been sent (docs/security.md#bearer-tokens).
 */
import { hkdfSync } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { unixSeconds } from '../../shared/domain/time.js';
import { newToken } from '../../shared/ids.js';

/** Whose token it is. */
export interface TokenOwner {
  readonly clientId: string;
  readonly keyId: string;
}

export interface AccessTokens {
  /** A token that lives for `limits.accessTokenSeconds`. */
  issue(owner: TokenOwner): Promise<string>;
  /** Whose token it is, or undefined: not ours, changed, expired, or of the other environment. */
  verify(token: string): Promise<TokenOwner | undefined>;
}

const ALGORITHM = 'HS256';
/** RFC 9068, 2.1: keeps other JWTs that might ever be signed with this key from being taken for access tokens. */
const TYPE = 'at+jwt';
const ISSUER = 'payment-gateway';
const KEY_BYTES = 32;
const KEY_INFO = 'payment-gateway access token HS256';

/**
 * The key that tokens are signed with: 32 bytes by HKDF-SHA-256 (RFC 5869) from the setting of its own or, where that is not
 * set, from the pepper. Derived under a label of its own it tells nothing of the pepper, and a token is no digest of a key.
 */
function signingKey({ accessTokenKey, apiKeyPepper }: AccessTokenConfig): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', accessTokenKey ?? apiKeyPepper, '', KEY_INFO, KEY_BYTES));
}

export type AccessTokenConfig = Pick<Config, 'environment' | 'apiKeyPepper'> & Partial<Pick<Config, 'accessTokenKey'>>;

export function createAccessTokens(config: AccessTokenConfig, clock: Clock): AccessTokens {
  const key = signingKey(config);
  const audience = `${ISSUER}:${config.environment}`;
  const nowSeconds = () => unixSeconds(clock.now());

  return {
    issue: ({ clientId, keyId }) => {
      const issuedAt = nowSeconds();
      return new SignJWT({ client_id: clientId, key_id: keyId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setSubject(clientId)
        .setJti(newToken())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + limits.accessTokenSeconds)
        .sign(key);
    },

    async verify(token) {
      if (token.length > limits.accessTokenBytesMax) return undefined;
      try {
        const { payload } = await jwtVerify<{ client_id: unknown; key_id: unknown }>(token, key, {
          algorithms: [ALGORITHM],
          typ: TYPE,
          issuer: ISSUER,
          audience,
          currentDate: clock.now(),
          requiredClaims: ['sub', 'iat', 'exp', 'client_id', 'key_id'],
        });
        const { client_id: clientId, key_id: keyId, iat = 0, exp = Infinity } = payload;
        // Not by `maxTokenAge`: it refuses a token of a process whose clock is a moment ahead.
        if (exp - iat > limits.accessTokenSeconds) return undefined;
        return typeof clientId === 'string' && typeof keyId === 'string' ? { clientId, keyId } : undefined;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

/** The token of a Bearer header (RFC 6750, 2.1), or undefined: no header or another scheme. */
export function bearerTokenOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
}
