/**
 * Bearer tokens (docs/decisions.md, "bearer token"): JWTs after RFC 9068, signed with HS256 by the gateway for itself. A token names
 * an API key and grants nothing by itself: at each use the key is looked up as if it had been sent (docs/security.md#bearer-tokens).
 */
import { hkdfSync } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { unixSeconds } from '../../shared/domain/time.js';
import { newToken } from '../../shared/ids.js';

/** Client and API key that a token was issued to. */
export interface TokenOwner {
  readonly clientId: string;
  readonly keyId: string;
}

export interface AccessTokens {
  /** Issues a token that is valid for `limits.accessTokenSeconds`. */
  issue(owner: TokenOwner): Promise<string>;
  /** Returns the owner of a token, or undefined when it is not ours, changed, expired, or of the other environment. */
  verify(token: string): Promise<TokenOwner | undefined>;
}

const ALGORITHM = 'HS256';
/** RFC 9068, 2.1: keeps other JWTs that might ever be signed with this key from being accepted as access tokens. */
const TYPE = 'at+jwt';
const ISSUER = 'payment-gateway';
const KEY_BYTES = 32;
const KEY_INFO = 'payment-gateway access token HS256';

/**
 * Derives the key that signs tokens: 32 bytes by HKDF-SHA-256 (RFC 5869) from its own setting or, when that is not set, from the
 * pepper. It is derived under its own label, so it reveals nothing about the pepper, and no token can equal the digest of an API key.
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
        // Not by `maxTokenAge`, which would refuse a token of a process whose clock is slightly ahead.
        if (exp - iat > limits.accessTokenSeconds) return undefined;
        return typeof clientId === 'string' && typeof keyId === 'string' ? { clientId, keyId } : undefined;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

/** Returns the token of a Bearer header (RFC 6750, 2.1); undefined when there is no header or another scheme. */
export function bearerTokenOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
}
