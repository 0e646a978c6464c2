/**
 * How many callbacks may be in flight at a host: of all clients, and of one client there (a receiver). Many clients may share a
 * host (a shop platform), so the circuit breaker is the receiver's: an address that is dead or slow delays the callbacks of its own
 * client only, and no client takes the last slots of others. Kept in the memory of one process: each protects its own slots, and
 * learns about a dead receiver by itself.
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

/** Callbacks in flight at once in this process. */
export interface HostLimitSettings extends BreakerSettings {
  /** Of one client at one host. */
  readonly perReceiverMax: number;
  /** Of all clients at one host. */
  readonly perHostMax: number;
  /** Of those, by clients whose last try there was slow or failed. */
  readonly slowPerHostMax: number;
}

/** The right to have one callback in flight at a receiver; taken before it is sent, given back at the answer. */
export interface Slot extends Receiver {
  /** The one try that finds out whether a receiver answers again. */
  readonly probe: boolean;
}

/** `paused`: the receiver has failed so often that it is sent nothing until then. */
export type Refusal = { readonly kind: 'full' } | { readonly kind: 'paused'; readonly until: Date };

/** A slot, or why there is none. */
export type TakenSlot = { readonly kind: 'slot'; readonly slot: Slot } | Refusal;

/** What came of a slot. `slow`: answered, but late. `unused`: nothing was sent, so nothing was learned. */
export type SlotUse = 'good' | 'slow' | 'failed' | 'unused';

interface ReceiverState extends Receiver {
  inFlight: number;
  probing: boolean;
  slow: boolean;
  /** Its last answer was a good one, and came while others were in flight. */
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

  /** Gives a slot back and says what was learned there. */
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

  /** Whether slots at the host are free again soon, as far as its last answers show: then more may be claimed than there are slots. */
  isQuickAt(host: string): boolean {
    return this.#quickHosts.has(host);
  }

  /** The same of a client's slots there; one that has nothing in flight has none to wait for. */
  isQuick(receiver: Receiver): boolean {
    const state = this.#receivers.get(receiverKey(receiver));
    return !state || (!state.slow && state.breaker === closedBreaker && (state.quick || state.inFlight === 0));
  }

  /** Slots were not free soon after all: neither host nor receiver is quick before it answers well again. */
  notQuick(receiver: Receiver): void {
    const state = this.#receivers.get(receiverKey(receiver));
    if (state) state.quick = false;
    this.#quickHosts.delete(receiver.host);
  }

  /** Slots that a client could take there now. A paused receiver has one: what is found for it is then moved to the end of the pause. */
  freeSlots(receiver: Receiver, now: Date): number {
    const state = this.#stateOf(receiver);
    if (breakerState(state.breaker, now.getTime()) !== 'closed') return this.#isFull(state, now) ? 0 : 1;
    let free = 0;
    while (!this.#isFull(state, now, free)) free += 1;
    return free;
  }

  /** Receivers that are remembered, and hosts at which something is in flight. */
  get size(): number {
    return this.#receivers.size + this.#hosts.size;
  }

  /** Receivers at which something is in flight. */
  receiversInFlight(): Receiver[] {
    return [...this.#receivers.values()].filter(({ inFlight }) => inFlight > 0);
  }

  /** Hosts, and receivers, that have no slot before one of theirs is given back. */
  full(now: Date): { hosts: string[]; receivers: Receiver[] } {
    return {
      hosts: [...this.#hosts].filter(([, { inFlight }]) => inFlight >= this.settings.perHostMax).map(([host]) => host),
      // What is due for a paused one is to be found: all of it is then moved to the end of the pause.
      receivers: [...this.#receivers.values()].filter(
        (state) => breakerState(state.breaker, now.getTime()) !== 'open' && this.#isFull(state, now),
      ),
    };
  }

  #stateOf(receiver: Receiver): ReceiverState {
    return this.#receivers.get(receiverKey(receiver)) ?? newReceiver(receiver);
  }

  /** Each client may hold half of what is free: the next one finds a slot as long as there is one. `besides`: counted as in flight. */
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
    // One client that is failing there says nothing about the slots of the others.
    if (!quick) return;
    this.#quickHosts.delete(state.host);
    this.#quickHosts.add(state.host);
    if (this.#quickHosts.size <= limits.callbackQuickHostsMax) return;
    // A set keeps the order of insertion: the first one answered longest ago.
    for (const oldest of this.#quickHosts) return void this.#quickHosts.delete(oldest);
  }

  #forget(state: ReceiverState): void {
    if (state.inFlight > 0) return;
    if (state.breaker === closedBreaker && !state.slow) this.#receivers.delete(receiverKey(state));
    if (this.#receivers.size <= limits.callbackReceiversRememberedMax) return;
    // A map keeps the order of insertion: the first idle one failed longest ago. Forgetting it costs a few tries.
    for (const [oldest, { inFlight }] of this.#receivers) {
      if (inFlight === 0) return void this.#receivers.delete(oldest);
    }
  }
}
