/**
 * Limits how many callbacks may be in flight at a host: of all clients, and of one client there (a receiver). Many clients may share a host
 * (a shop platform), so each receiver has its own circuit breaker: a dead or slow address delays only the callbacks of its own client, and
 * no client takes the last slots of others. Kept in the memory of one process: each process protects its own slots and learns about a dead
 * receiver by itself.
 */
import { limits } from '../../../config/limits.js';
import { type Receiver, receiverKey } from '../../../shared/domain/callback/delivery.js';
import {
  afterFailure,
  type Breaker,
  type BreakerSettings,
  breakerState,
  closedBreaker,
} from '../../circuit-breaker.js';

/** Limits of the callbacks in flight at once in this process. */
export interface HostLimitSettings extends BreakerSettings {
  /** For one client at one host. */
  readonly perReceiverMax: number;
  /** For all clients at one host. */
  readonly perHostMax: number;
  /** Part of `perHostMax` for clients whose last try there was slow or failed. */
  readonly slowPerHostMax: number;
}

/** The right to have one callback in flight at a receiver; taken before the callback is sent, given back at the answer. */
export interface Slot extends Receiver {
  /** Whether this is the one try that finds out if a receiver answers again. */
  readonly probe: boolean;
}

/** Why there is no slot. `paused`: the receiver has failed so often that it is sent nothing until then. */
export type Refusal = { readonly kind: 'full' } | { readonly kind: 'paused'; readonly until: Date };

/** A slot, or why there is none. */
export type TakenSlot = { readonly kind: 'slot'; readonly slot: Slot } | Refusal;

/** Result of the use of a slot. `slow`: answered, but late. `unused`: nothing was sent, so nothing was learned. */
export type SlotUse = 'good' | 'slow' | 'failed' | 'unused';

interface ReceiverState extends Receiver {
  inFlight: number;
  probing: boolean;
  slow: boolean;
  /** Whether its last answer was good and arrived while other callbacks were in flight. */
  quick: boolean;
  breaker: Breaker;
}

interface HostState {
  inFlight: number;
  slowInFlight: number;
}

const newHost = (): HostState => ({ inFlight: 0, slowInFlight: 0 });

const newReceiver = ({ host, clientId }: Receiver): ReceiverState => ({
  host,
  clientId,
  inFlight: 0,
  probing: false,
  slow: false,
  quick: false,
  breaker: closedBreaker,
});

export class HostLimits {
  readonly #receivers = new Map<string, ReceiverState>();
  readonly #hosts = new Map<string, HostState>();
  readonly #quickHosts = new Set<string>();

  constructor(private readonly settings: HostLimitSettings) {}

  takeSlot(receiver: Receiver, now: Date): TakenSlot {
    const state = this.#stateOf(receiver);
    const phase = breakerState(state.breaker, now.getTime());
    if (phase === 'open') return { kind: 'paused', until: new Date(state.breaker.openUntilMs) };
    if (this.#isFull(state, now)) return { kind: 'full' };
    const probe = phase === 'half-open';
    if (probe) state.probing = true;
    this.#receivers.set(receiverKey(state), state);
    this.#addInFlight(state, 1);
    return { kind: 'slot', slot: { host: state.host, clientId: state.clientId, probe } };
  }

  /** Gives a slot back with what was learned about the receiver. */
  giveBack(slot: Slot, use: SlotUse, now: Date): void {
    const state = this.#receivers.get(receiverKey(slot));
    if (!state) return;
    this.#addInFlight(state, -1);
    if (slot.probe) state.probing = false;
    if (use !== 'unused') {
      this.#setQuick(state, use === 'good');
      this.#setSlow(state, use !== 'good');
      state.breaker =
        use === 'failed' ? afterFailure(state.breaker, slot.probe, now.getTime(), this.settings) : closedBreaker;
    }
    this.#forget(state);
  }

  /** Whether slots at the host become free soon, judging by its last answers: then more may be claimed than there are slots. */
  isQuickAt(host: string): boolean {
    return this.#quickHosts.has(host);
  }

  /** Whether the slots of a client there become free soon; a client with nothing in flight has none to wait for. */
  isQuick(receiver: Receiver): boolean {
    const state = this.#receivers.get(receiverKey(receiver));
    return !state || (!state.slow && state.breaker === closedBreaker && (state.quick || state.inFlight === 0));
  }

  /** Notes that slots did not become free soon: neither host nor receiver counts as quick before it answers well again. */
  notQuick(receiver: Receiver): void {
    const state = this.#receivers.get(receiverKey(receiver));
    if (state) state.quick = false;
    this.#quickHosts.delete(receiver.host);
  }

  /**
   * Returns the slots that a client could take there now. A paused receiver has one: what is found for it moves to the end of the pause.
   */
  freeSlots(receiver: Receiver, now: Date): number {
    const state = this.#stateOf(receiver);
    if (breakerState(state.breaker, now.getTime()) !== 'closed') return this.#isFull(state, now) ? 0 : 1;
    let free = 0;
    while (!this.#isFull(state, now, free)) free += 1;
    return free;
  }

  /** Number of remembered receivers, plus hosts with callbacks in flight. */
  get size(): number {
    return this.#receivers.size + this.#hosts.size;
  }

  /** Returns the receivers with callbacks in flight. */
  receiversInFlight(): Receiver[] {
    return [...this.#receivers.values()].filter(({ inFlight }) => inFlight > 0);
  }

  /** Returns the hosts and receivers that get no slot until one of theirs is given back. */
  full(now: Date): { hosts: string[]; receivers: Receiver[] } {
    return {
      hosts: [...this.#hosts].filter(([, { inFlight }]) => inFlight >= this.settings.perHostMax).map(([host]) => host),
      // Deliveries of a paused receiver have to be found: all of them are then moved to the end of the pause.
      receivers: [...this.#receivers.values()].filter(
        (state) => breakerState(state.breaker, now.getTime()) !== 'open' && this.#isFull(state, now),
      ),
    };
  }

  #stateOf(receiver: Receiver): ReceiverState {
    return this.#receivers.get(receiverKey(receiver)) ?? newReceiver(receiver);
  }

  /**
   * Each client may hold half of the free slots, so that the next one finds a slot while there is one. `besides`: also counted as in
   * flight.
   */
  #isFull(state: ReceiverState, now: Date, besides = 0): boolean {
    const { perHostMax, slowPerHostMax, perReceiverMax } = this.settings;
    const host = this.#hosts.get(state.host) ?? newHost();
    const freeAtHost = perHostMax - host.inFlight - besides;
    const free = state.slow ? Math.min(freeAtHost, slowPerHostMax - host.slowInFlight - besides) : freeAtHost;
    const inFlight = state.inFlight + besides;
    return (
      inFlight >= perReceiverMax ||
      inFlight >= free / 2 ||
      (state.probing && breakerState(state.breaker, now.getTime()) === 'half-open')
    );
  }

  #addInFlight(state: ReceiverState, count: 1 | -1): void {
    const host = this.#hosts.get(state.host) ?? newHost();
    state.inFlight += count;
    host.inFlight += count;
    if (state.slow) host.slowInFlight += count;
    if (host.inFlight > 0) this.#hosts.set(state.host, host);
    else this.#hosts.delete(state.host);
  }

  #setSlow(state: ReceiverState, slow: boolean): void {
    const host = this.#hosts.get(state.host);
    if (host && slow !== state.slow) host.slowInFlight += slow ? state.inFlight : -state.inFlight;
    state.slow = slow;
  }

  #setQuick(state: ReceiverState, quick: boolean): void {
    state.quick = quick;
    // One failing client at a host says nothing about the slots of the others.
    if (!quick) return;
    this.#quickHosts.delete(state.host);
    this.#quickHosts.add(state.host);
    if (this.#quickHosts.size <= limits.callbackQuickHostsMax) return;
    // A set keeps the order of insertion: the first host answered longest ago.
    for (const oldest of this.#quickHosts) return void this.#quickHosts.delete(oldest);
  }

  #forget(state: ReceiverState): void {
    if (state.inFlight > 0) return;
    if (state.breaker === closedBreaker && !state.slow) this.#receivers.delete(receiverKey(state));
    if (this.#receivers.size <= limits.callbackReceiversRememberedMax) return;
    // A map keeps the order of insertion: the first idle receiver has been remembered longest. Forgetting it costs a few tries.
    for (const [oldest, { inFlight }] of this.#receivers) {
      if (inFlight === 0) return void this.#receivers.delete(oldest);
    }
  }
}
