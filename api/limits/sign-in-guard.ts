/**
 * Against guessing (docs/security.md, S8): whoever fails to sign in too often from one address as one client is answered 429
 * for the rest of the minute, with the right key too. Other clients behind that address go on, and so do the client's own
 * processes elsewhere and its bearer tokens, which nobody can guess.
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
import type { Count, Counter } from './counters.js';

const CLIENT_ID = /^cli_[0-9a-f]{32}$/;
/** All that names no client is counted together. */
const UNNAMED = 'unnamed';

/** As whom the header signs in; undefined when it does not try to. */
function claimOf(header: string | undefined): { name: string; byKey: boolean } | undefined {
  if (header === undefined) return undefined;
  if (bearerTokenOf(header) !== undefined) return { name: UNNAMED, byKey: false };
  const basic = parseBasicHeader(header);
  if (basic.kind === 'absent') return undefined;
  const named = basic.kind === 'credentials' && CLIENT_ID.test(basic.userId);
  return { name: named ? basic.userId : UNNAMED, byKey: named };
}

interface Known {
  /** When it was last looked up (ms of the clock). */
  readonly atMs: number;
  readonly count: Count;
}

/** Puts the limit in front of an authenticator. */
export function guardSignIn(
  authenticator: Authenticator,
  deps: { failures: Counter; clock: Clock; log: Log; metrics: Pick<Metrics, 'event'> },
): Authenticator {
  const { failures, clock, log, metrics } = deps;
  const known = new LRUCache<string, Known>({ max: limits.signInsRemembered });

  function refuse({ resetSeconds }: Count): never {
    throw new GatewayError('too-many-requests', {
      internal: 'too many failed sign-ins',
      retryAfterSeconds: resetSeconds,
      message: 'Too many failed sign-ins with this client id from this address. Wait as Retry-After says.',
    });
  }

  /** Looked up once a second per caller, and not at all while it is known to be blocked. */
  async function requireClear(key: string): Promise<void> {
    const nowMs = clock.now().getTime();
    const last = known.get(key);
    const ageMs = last ? nowMs - last.atMs : Number.POSITIVE_INFINITY;
    if (last && !last.count.allowed && ageMs < last.count.resetSeconds * 1000) {
      const resetSeconds = Math.max(1, Math.ceil(last.count.resetSeconds - ageMs / 1000));
      return refuse({ ...last.count, resetSeconds });
    }
    if (last?.count.allowed && ageMs < limits.signInClearMs) return;
    const count = await failures.look(key);
    known.set(key, { atMs: nowMs, count });
    if (!count.allowed) refuse(count);
  }

  async function countFailure(key: string, name: string, address: string): Promise<void> {
    metrics.event('authentication-failed');
    const count = await failures.count(key);
    if (count.allowed) return;
    known.set(key, { atMs: clock.now().getTime(), count });
    log.warn('sign-in blocked', { address, ...(name !== UNNAMED && { clientId: name }) });
    refuse(count);
  }

  return {
    async authenticate(header, address = '') {
      const claim = claimOf(header);
      if (!claim) return authenticator.authenticate(header, address);
      const key = `${addressKey(address)}|${claim.name}`;
      if (claim.byKey) await requireClear(key);
      const principal = await authenticator.authenticate(header, address);
      if (!principal) await countFailure(key, claim.name, address);
      return principal;
    },
  };
}
