/**
 * Against guessing (docs/security.md, S8, S64): who fails to sign in too often from one address as one client, or from one
 * address as whomever, is answered 429 for the rest of the minute. A right key of 256 bits cannot be guessed, so it always
 * passes, whatever others do behind the same address; so do bearer tokens.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { bearerTokenOf } from '../../shared/identity/access-token.js';
import { parseBasicHeader } from '../../shared/identity/basic-header.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { Authenticator } from '../deps.js';
import { addressKey } from './address-key.js';
import type { Counter } from './counters.js';

const CLIENT_ID = /^cli_[0-9a-f]{32}$/;
/** All that names no client is counted together. */
const UNNAMED = 'unnamed';

/** As whom the header signs in; undefined when it does not try to. */
function claimOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (bearerTokenOf(header) !== undefined) return UNNAMED;
  const basic = parseBasicHeader(header);
  if (basic.kind === 'absent') return undefined;
  return basic.kind === 'credentials' && CLIENT_ID.test(basic.userId) ? basic.userId : UNNAMED;
}

/** Until when (ms of the clock) wrong keys are answered 429, and how many failed before that. */
interface Window {
  failed: number;
  endsAtMs: number;
}

export interface SignInDeps {
  /** Of one client at one address, over all processes. */
  readonly failures: Counter;
  /** Of one address, over all processes. */
  readonly addressFailures: Counter;
  /** The same total as this process alone may reach: it is looked at before anybody else is asked. */
  readonly addressMax: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

/** Puts the limit around an authenticator. */
export function guardSignIn(authenticator: Authenticator, deps: SignInDeps): Authenticator {
  const { failures, addressFailures, addressMax, clock, log, metrics } = deps;
  const addresses = new LRUCache<string, Window>({ max: limits.signInsRemembered });
  const blocked = new LRUCache<string, number>({ max: limits.signInsRemembered });

  function refuse(endsAtMs: number): never {
    throw new GatewayError('too-many-requests', {
      internal: 'too many failed sign-ins',
      retryAfterSeconds: Math.max(1, Math.ceil((endsAtMs - clock.now().getTime()) / 1000)),
      message:
        'Too many failed sign-ins from this address. Send an active API key, or retry after the interval in Retry-After.',
    });
  }

  /** Refuses without asking anybody what is known to be too much. */
  function requireRoom(key: string, address: string, nowMs: number): void {
    const known = addresses.get(address);
    const total = known && known.endsAtMs > nowMs ? known : { failed: 0, endsAtMs: nowMs + limits.signInWindowMs };
    total.failed += 1;
    addresses.set(address, total);
    if (total.failed > addressMax) refuse(total.endsAtMs);
    for (const name of [address, key]) {
      const endsAtMs = blocked.get(name) ?? 0;
      if (endsAtMs > nowMs) refuse(endsAtMs);
    }
  }

  async function countFailure(name: string, from: string): Promise<void> {
    metrics.event('authentication-failed');
    const address = addressKey(from);
    const key = `${address}|${name}`;
    const nowMs = clock.now().getTime();
    requireRoom(key, address, nowMs);
    const [ofClient, ofAddress] = await Promise.all([failures.count(key), addressFailures.count(address)]);
    const [over, at] = ofAddress.allowed ? [ofClient, key] : [ofAddress, address];
    if (over.allowed) return;
    const endsAtMs = nowMs + over.resetSeconds * 1000;
    blocked.set(at, endsAtMs);
    log.warn('sign-in blocked', { address: from, ...(at === key && name !== UNNAMED && { clientId: name }) });
    refuse(endsAtMs);
  }

  return {
    async authenticate(header, address = '') {
      const principal = await authenticator.authenticate(header, address);
      const name = principal ? undefined : claimOf(header);
      if (name !== undefined) await countFailure(name, address);
      return principal;
    },
  };
}
