import { createHash, timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../config/index.js';
import { limits } from '../../config/limits.js';
import type { Log } from '../log.js';
import { addressKey } from './address-key.js';
import { parseBasicHeader } from './basic-header.js';

/** Compares digests, which have equal length, so that the comparison takes the same time for every text that is sent. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

type Credentials = Pick<Config, 'operatorUser' | 'operatorPassword'>;

function isOperator(config: Credentials, authorizationHeader: string | undefined): boolean {
  const basic = parseBasicHeader(authorizationHeader);
  if (basic.kind !== 'credentials') return false;
  const user = sameText(basic.userId, config.operatorUser);
  const password = sameText(basic.password, config.operatorPassword);
  return user && password;
}

export type OperatorSignIn = (
  authorizationHeader: string | undefined,
  address: string,
) => Promise<
  { readonly kind: 'operator' | 'stranger' } | { readonly kind: 'blocked'; readonly retryAfterSeconds: number }
>;

/**
 * Makes the function that recognizes the operator (docs/security.md#operator-port). Each process counts the failures of an address
 * (IPv6: of its /64) separately: after too many, even the right password is blocked until the minute is over. A request without the header
 * is no failure. Each failure is logged; those that are blocked are not. The address has to be that of the connection: with another one a
 * caller would choose by which address it is counted.
 */
export function createOperatorSignIn(config: Credentials, log: Pick<Log, 'warn'>): OperatorSignIn {
  const failures = new RateLimiterMemory({
    points: limits.operatorSignInFailuresMax,
    duration: limits.operatorSignInFailuresSeconds,
  });
  return async (authorizationHeader, address) => {
    const from = addressKey(address);
    const counted = await failures.get(from);
    if (counted && counted.consumedPoints > limits.operatorSignInFailuresMax) {
      return { kind: 'blocked', retryAfterSeconds: Math.max(1, Math.ceil(counted.msBeforeNext / 1000)) };
    }
    if (isOperator(config, authorizationHeader)) return { kind: 'operator' };
    if (authorizationHeader !== undefined) {
      log.warn('operator.sign-in-refused', { address });
      await failures.consume(from).catch((refused: unknown) => {
        // The limiter rejects with its count when this was one failure too many: the next call is blocked.
        if (!(refused instanceof RateLimiterRes)) throw refused;
      });
    }
    return { kind: 'stranger' };
  };
}
