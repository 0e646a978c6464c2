/**
 * Against guessing (docs/security.md#failed-sign-ins, docs/security.md#guessing-of-credentials): who fails to sign in too often from one address as one client, or from one
 * address as whomever, is answered 429 for the rest of the minute. A right key of 256 bits cannot be guessed, so it passes,
 * whatever others do behind the same address; so do bearer tokens. Only the first sign-in of a client at this process may have
 * to wait or to be tried again, while more wrong ones come from its address at once than are looked up.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { parseBasicHeader } from '../../shared/identity/basic-header.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { Authenticator } from '../deps.js';
import { bearerTokenOf } from '../identity/access-token.js';
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

  /** Clients that signed in here lately: their keys are remembered, or read once for all who ask at the same time. */
  const known = new LRUCache<string, true>({ max: limits.signInsRemembered });
  /** Of addresses over their total: who waits for the look-up before. */
  const lines = new Map<string, { waiting: number; last: Promise<unknown> }>();

  /** When the total of the address is free again; undefined while there is room. */
  function overUntil(address: string): number | undefined {
    const total = addresses.get(address);
    return total && total.failed > addressMax && total.endsAtMs > clock.now().getTime() ? total.endsAtMs : undefined;
  }

  /**
   * A right key has to pass, so that it is looked up before anything is counted. Where too much failed that is done one by one,
   * for a few: ever new client ids cost no more than one read at a time.
   */
  async function lookInLine<T>(address: string, endsAtMs: number, look: () => Promise<T>): Promise<T> {
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

  /** Refuses without asking anybody what is known to be too much. */
  function requireRoom(key: string, address: string, nowMs: number): void {
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
    requireRoom(key, address, nowMs);
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
      // What names no client is refused without a read, and a bearer token that is ours was not guessed.
      const mayRead = name !== undefined && name !== UNNAMED && !known.has(name);
      const key = addressKey(address);
      const endsAtMs = mayRead ? overUntil(key) : undefined;
      const principal = endsAtMs === undefined ? await look() : await lookInLine(key, endsAtMs, look);
      if (principal) known.set(principal.clientId, true);
      else if (name !== undefined) await countFailure(name, address);
      return principal;
    },
  };
}
