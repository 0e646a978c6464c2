/**
 * Who may be sent to now. Many clients may share a host (a shop platform), so the circuit breaker and the cap are those of one
 * client at one host: whose address is dead or slow delays its own callbacks only. What one host is sent at once
 * is bounded besides, and shared: no client takes the last places of others. In memory of one process: it protects this
 * process's senders, and every process learns about a dead receiver by itself.
 */

import type { Receiver } from '../../shared/domain/callback/delivery.js';
import { afterFailure, type Breaker, type BreakerSettings, breakerState, closedBreaker } from './circuit-breaker.js';

/** Callbacks under way at once in this process. */
export interface HostGateSettings extends BreakerSettings {
  /** Of one client at one host. */
  readonly perClientMax: number;
  /** Of all clients at one host. */
  readonly perHostMax: number;
  /** Of those, by clients whose last try there was slow or failed. */
  readonly slowPerHostMax: number;
}

/** A place at a host; given back by `leave`. */
export interface Ticket extends Receiver {
  /** The one try that finds out whether a receiver is well again. */
  readonly probe: boolean;
}

export type Entrance =
  | { readonly kind: 'entered'; readonly ticket: Ticket }
  | { readonly kind: 'full' }
  | { readonly kind: 'open'; readonly until: Date };

/** `slow`: answered, but late. `unused`: nothing was sent, so nothing was learned. */
export type Visit = 'well' | 'slow' | 'unwell' | 'unused';

export interface HostGate {
  enter(receiver: Receiver, now: Date): Entrance;
  /** Gives a place back and says what was learned there. */
  leave(ticket: Ticket, visit: Visit, now: Date): void;
  /** Whether places at the host come back soon, as far as the last answers tell: then more may be claimed ahead. */
  isQuickAt(host: string): boolean;
  /** The same of a client's places there; one that has nothing under way has none to wait for. */
  isQuick(receiver: Receiver): boolean;
  /** Places did not come back soon after all: neither is quick before it answers well again. */
  stalled(receiver: Receiver): void;
  /** Places that a client could take there now. One that is closed has one: what is found is then moved to when it opens. */
  freeOf(receiver: Receiver, now: Date): number;
  /** Receivers to which something is under way. */
  underWay(): Receiver[];
  /** Hosts, and clients at hosts, that take no further one before one of theirs comes back. */
  full(now: Date): { hosts: string[]; receivers: Receiver[] };
}

interface ReceiverState extends Receiver {
  inFlight: number;
  probing: boolean;
  slow: boolean;
  /** Its last answer was a good one, and came while others were under way. */
  quick: boolean;
  breaker: Breaker;
}

interface HostState {
  inFlight: number;
  slowInFlight: number;
}

/** Receivers that are remembered although nothing is under way there: the ones that were slow or failed lately. */
const REMEMBERED_MAX = 10_000;

/** Hosts that are remembered as quick although nothing is under way there. */
const QUICK_HOSTS_MAX = 1_000;

const newHost = (): HostState => ({ inFlight: 0, slowInFlight: 0 });
const keyOf = ({ host, clientId }: Receiver) => `${host} ${clientId}`;
const newState = ({ host, clientId }: Receiver): ReceiverState => ({
  host,
  clientId,
  inFlight: 0,
  probing: false,
  slow: false,
  quick: false,
  breaker: closedBreaker,
});

export function createHostGate(settings: HostGateSettings): HostGate {
  const receivers = new Map<string, ReceiverState>();
  const hosts = new Map<string, HostState>();
  const quickHosts = new Set<string>();

  /** Each may hold half of what is free: the next one finds a place as long as there is one. `besides`: counted as under way. */
  function isFull(state: ReceiverState, now: Date, besides = 0): boolean {
    const host = hosts.get(state.host) ?? newHost();
    const freeAtHost = settings.perHostMax - host.inFlight - besides;
    const free = state.slow ? Math.min(freeAtHost, settings.slowPerHostMax - host.slowInFlight - besides) : freeAtHost;
    const inFlight = state.inFlight + besides;
    return (
      inFlight >= settings.perClientMax ||
      inFlight >= free / 2 ||
      (state.probing && breakerState(state.breaker, now.getTime()) === 'half-open')
    );
  }

  function freeOf(state: ReceiverState, now: Date): number {
    if (breakerState(state.breaker, now.getTime()) !== 'closed') return isFull(state, now) ? 0 : 1;
    let free = 0;
    while (!isFull(state, now, free)) free += 1;
    return free;
  }

  function addInFlight(state: ReceiverState, count: 1 | -1): void {
    const host = hosts.get(state.host) ?? newHost();
    state.inFlight += count;
    host.inFlight += count;
    if (state.slow) host.slowInFlight += count;
    if (host.inFlight > 0) hosts.set(state.host, host);
    else hosts.delete(state.host);
  }

  function setSlow(state: ReceiverState, slow: boolean): void {
    const host = hosts.get(state.host);
    if (host && slow !== state.slow) host.slowInFlight += slow ? state.inFlight : -state.inFlight;
    state.slow = slow;
  }

  function setQuick(state: ReceiverState, quick: boolean): void {
    state.quick = quick;
    // One client that is failing there says nothing about the places of the others.
    if (!quick) return;
    quickHosts.delete(state.host);
    quickHosts.add(state.host);
    if (quickHosts.size <= QUICK_HOSTS_MAX) return;
    // A set keeps the order of insertion: the first one answered longest ago.
    for (const oldest of quickHosts) return void quickHosts.delete(oldest);
  }

  function forget(state: ReceiverState): void {
    if (state.inFlight > 0) return;
    if (state.breaker === closedBreaker && !state.slow) receivers.delete(keyOf(state));
    if (receivers.size <= REMEMBERED_MAX) return;
    // A map keeps the order of insertion: the first idle one was failing longest ago. Forgetting it costs a few tries.
    for (const [oldest, { inFlight }] of receivers) {
      if (inFlight === 0) return void receivers.delete(oldest);
    }
  }

  return {
    enter(receiver, now) {
      const state = receivers.get(keyOf(receiver)) ?? newState(receiver);
      const phase = breakerState(state.breaker, now.getTime());
      if (phase === 'open') return { kind: 'open', until: new Date(state.breaker.openUntilMs) };
      if (isFull(state, now)) return { kind: 'full' };
      const probe = phase === 'half-open';
      if (probe) state.probing = true;
      receivers.set(keyOf(state), state);
      addInFlight(state, 1);
      return { kind: 'entered', ticket: { host: state.host, clientId: state.clientId, probe } };
    },

    leave(ticket, visit, now) {
      const state = receivers.get(keyOf(ticket));
      if (!state) return;
      addInFlight(state, -1);
      if (visit !== 'unused') setQuick(state, visit === 'well');
      if (ticket.probe) state.probing = false;
      if (visit !== 'unused') setSlow(state, visit !== 'well');
      if (visit === 'well' || visit === 'slow') state.breaker = closedBreaker;
      if (visit === 'unwell') state.breaker = afterFailure(state.breaker, ticket.probe, now.getTime(), settings);
      forget(state);
    },

    isQuickAt: (host) => quickHosts.has(host),

    isQuick(receiver) {
      const state = receivers.get(keyOf(receiver));
      return !state || (!state.slow && state.breaker === closedBreaker && (state.quick || state.inFlight === 0));
    },

    stalled(receiver) {
      const state = receivers.get(keyOf(receiver));
      if (state) state.quick = false;
      quickHosts.delete(receiver.host);
    },

    freeOf: (receiver, now) => freeOf(receivers.get(keyOf(receiver)) ?? newState(receiver), now),

    underWay: () => [...receivers.values()].filter(({ inFlight }) => inFlight > 0),

    full: (now) => ({
      hosts: [...hosts].filter(([, { inFlight }]) => inFlight >= settings.perHostMax).map(([host]) => host),
      // What is due for a closed one is to be found: all of it is then moved to when it opens.
      receivers: [...receivers.values()].filter(
        (state) => breakerState(state.breaker, now.getTime()) !== 'open' && isFull(state, now),
      ),
    }),
  };
}
