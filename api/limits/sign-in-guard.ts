/**
 * Protects against guessing of credentials (docs/security.md#failed-sign-ins, docs/security.md#guessing-of-credentials). After too
 * many failed sign-ins from one address as the same client, or from one address in total, further failures are answered 429 for the
 * rest of the minute. A valid key always passes, whatever others do behind the same address, because a key of 256 bits cannot be
 * guessed; so do bearer tokens. Only the first sign-in of a client at this process may have to wait or to be retried, while more
 * wrong keys come from its address at once than are looked up.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { addressKey } from '../../shared/identity/address-key.js';
import { parseBasicHeader } from '../../shared/identity/basic-header.js';
import { isClientId } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { Authenticator } from '../deps.js';
import { bearerTokenOf } from '../identity/access-token.js';
import type { Counter } from './counters.js';

/** All headers that name no client are counted together. */
const UNNAMED = 'unnamed';

/** Returns the client as which the header signs in; undefined when there is no attempt to sign in. */
function claimOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (bearerTokenOf(header) !== undefined) return UNNAMED;
  const basic = parseBasicHeader(header);
  if (basic.kind === 'absent') return undefined;
  return basic.kind === 'credentials' && isClientId(basic.userId) ? basic.userId : UNNAMED;
}

/** Failures of an address in this process, and the end of their window (ms of the clock), until which failures are answered 429. */
interface Window {
  failed: number;
  endsAtMs: number;
}

export interface SignInDeps {
  /** Failures of one client at one address, over all processes. */
  readonly failures: Counter;
  /** Failures of one address, over all processes. */
  readonly addressFailures: Counter;
  /** The same limit per address for this process alone; it is checked before Redis is asked. */
  readonly addressMax: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

/** Adds the limit to an authenticator. */
export function guardSignIn(authenticator: Authenticator, deps: SignInDeps): Authenticator {
  const { failures, addressFailures, addressMax, clock, log, metrics } = deps;
  const addresses = new LRUCache<string, Window>({ max: limits.signInsRemembered });
  const blocked = new LRUCache<string, number>({ max: limits.signInsRemembered });

  /** Clients that signed in here recently: their keys are cached, or read once for all simultaneous calls. */
  const known = new LRUCache<string, true>({ max: limits.signInsRemembered });
  /** For addresses over their total: the calls that wait for earlier look-ups to end. */
  const lines = new Map<string, { waiting: number; last: Promise<unknown> }>();

  /** Returns when the window of an address over its limit ends (ms of the clock); undefined while it is below the limit. */
  function blockedUntil(address: string): number | undefined {
    const total = addresses.get(address);
    return total && total.failed > addressMax && total.endsAtMs > clock.now().getTime() ? total.endsAtMs : undefined;
  }

  /**
   * Looks up a key before anything is counted, because a valid key must pass. For an address with too many failures the look-ups run
   * one by one, and only a few may wait: however many client ids are tried, there is only one read at a time.
   */
  async function lookUpInTurn<T>(address: string, endsAtMs: number, look: () => Promise<T>): Promise<T> {
    const line = lines.get(address) ?? { waiting: 0, last: Promise.resolve() };
    if (line.waiting >= limits.signInLineMax) refuse(endsAtMs);
    lines.set(address, line);
    line.waiting += 1;
    const mine = line.last.then(look);
    line.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(address);
    }
  }

  function refuse(endsAtMs: number): never {
    throw new GatewayError('too-many-requests', {
      internal: 'too many failed sign-ins',
      retryAfterSeconds: Math.max(1, Math.ceil((endsAtMs - clock.now().getTime()) / 1000)),
      message:
        'Too many failed sign-ins from this address. Send an active API key, or retry after the interval in Retry-After.',
    });
  }

  /** Counts a failure in this process, and refuses it when a limit is known to be exceeded, without asking the shared counters. */
  function countFailureLocally(key: string, address: string, nowMs: number): void {
    const before = addresses.get(address);
    const total = before && before.endsAtMs > nowMs ? before : { failed: 0, endsAtMs: nowMs + limits.signInWindowMs };
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
    countFailureLocally(key, address, nowMs);
    const [ofClient, ofAddress] = await Promise.all([failures.count(key), addressFailures.count(address)]);
    const [over, at] = ofAddress.allowed ? [ofClient, key] : [ofAddress, address];
    if (over.allowed) return;
    const endsAtMs = nowMs + over.resetSeconds * 1000;
    blocked.set(at, endsAtMs);
    log.warn('sign-in.blocked', { address: from, ...(at === key && name !== UNNAMED && { clientId: name }) });
    refuse(endsAtMs);
  }

  return {
    async authenticate(header, address = '') {
      const name = claimOf(header);
      const look = () => authenticator.authenticate(header, address);
      // A header without a client is refused without a read, and a bearer token signed by us was not guessed.
      const mayRead = name !== undefined && name !== UNNAMED && !known.has(name);
      const key = addressKey(address);
      const endsAtMs = mayRead ? blockedUntil(key) : undefined;
      const principal = endsAtMs === undefined ? await look() : await lookUpInTurn(key, endsAtMs, look);
      if (principal) known.set(principal.clientId, true);
      else if (name !== undefined) await countFailure(name, address);
      return principal;
    },
  };
}
