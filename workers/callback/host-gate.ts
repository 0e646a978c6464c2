/**
 * Who may be sent to now: at most so many at once per host, and nothing to a host whose circuit breaker is open. In memory
 * of one process: it protects this process's senders, and every process learns about a dead host by itself.
 */
import {
  afterFailure,
  type Breaker,
  type BreakerSettings,
  breakerState,
  closedBreaker,
} from '../../shared/domain/callback/circuit-breaker.js';

export interface HostGateSettings extends BreakerSettings {
  readonly perHostMax: number;
}

/** A place at a host; given back by `leave`. */
export interface Ticket {
  readonly host: string;
  /** The one try that finds out whether a host is well again. */
  readonly probe: boolean;
}

export type Entrance =
  | { readonly kind: 'entered'; readonly ticket: Ticket }
  | { readonly kind: 'full' }
  | { readonly kind: 'open'; readonly until: Date };

/** `unused`: nothing was sent, so nothing was learned. */
export type Visit = 'well' | 'unwell' | 'unused';

export interface HostGate {
  enter(host: string, now: Date): Entrance;
  /** Gives a place back and says what was learned there. */
  leave(ticket: Ticket, visit: Visit, now: Date): void;
  /** Hosts that take no further one before one of theirs comes back. */
  fullHosts(now: Date): string[];
}

interface HostState {
  inFlight: number;
  probing: boolean;
  breaker: Breaker;
}

/** Hosts that are remembered although nothing is under way there: the ones that failed lately. */
const REMEMBERED_MAX = 10_000;

export function createHostGate(settings: HostGateSettings): HostGate {
  const hosts = new Map<string, HostState>();

  const isFull = (state: HostState, now: Date) =>
    state.inFlight >= settings.perHostMax ||
    (state.probing && breakerState(state.breaker, now.getTime()) === 'half-open');

  function forget(host: string, state: HostState): void {
    if (state.inFlight > 0) return;
    if (state.breaker === closedBreaker) hosts.delete(host);
    if (hosts.size <= REMEMBERED_MAX) return;
    // A map keeps the order of insertion: the first idle one was unwell longest ago. Forgetting it costs a few tries.
    for (const [oldest, { inFlight }] of hosts) {
      if (inFlight === 0) return void hosts.delete(oldest);
    }
  }

  return {
    enter(host, now) {
      const state = hosts.get(host) ?? { inFlight: 0, probing: false, breaker: closedBreaker };
      const phase = breakerState(state.breaker, now.getTime());
      if (phase === 'open') return { kind: 'open', until: new Date(state.breaker.openUntilMs) };
      if (isFull(state, now)) return { kind: 'full' };
      const probe = phase === 'half-open';
      state.inFlight += 1;
      if (probe) state.probing = true;
      hosts.set(host, state);
      return { kind: 'entered', ticket: { host, probe } };
    },

    leave(ticket, visit, now) {
      const state = hosts.get(ticket.host);
      if (!state) return;
      state.inFlight -= 1;
      if (ticket.probe) state.probing = false;
      if (visit === 'well') state.breaker = closedBreaker;
      if (visit === 'unwell') state.breaker = afterFailure(state.breaker, ticket.probe, now.getTime(), settings);
      forget(ticket.host, state);
    },

    fullHosts: (now) => [...hosts].filter(([, state]) => isFull(state, now)).map(([host]) => host),
  };
}
