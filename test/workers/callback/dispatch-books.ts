/** Who has what, as seen from outside of the dispatch: it counts for itself, and throws where a bound or a rule is broken. */
import { type ClaimedDelivery, type Receiver, receiverKey } from '../../../shared/domain/callback/delivery.js';
import type { Choice, Chosen, Send } from '../../../workers/callback/dispatch/dispatch.js';
import type { Slot, SlotUse } from '../../../workers/callback/dispatch/host-limits.js';
import { afterFailure, type Breaker, breakerState, closedBreaker } from '../../../workers/circuit-breaker.js';

const breaker = { failuresMax: 2, openMs: 1_000, openMsMax: 4_000 };
/** Small, so that each of them is met. */
export const bounds = {
  hosts: { perReceiverMax: 2, perHostMax: 5, slowPerHostMax: 4, ...breaker },
  perClientMax: 3,
  queue: { perReceiverMax: 3, perHostMax: 4, perClientMax: 4, max: 6 },
  concurrency: 10,
};

const count = <Item>(items: Iterable<Item>, isCounted: (item: Item) => boolean) => [...items].filter(isCounted).length;

/** @throws where there are more than `max` */
function atMost(max: number, what: string, items: Iterable<Receiver>, isCounted: (item: Receiver) => boolean): void {
  const found = count(items, isCounted);
  if (found > max) throw new Error(`${found} ${what}, ${max} at most`);
}

export class Books {
  /** Chosen and being claimed. */
  readonly #choosing = new Set<Chosen>();
  readonly #queue = new Map<string, ClaimedDelivery>();
  readonly #inFlight = new Map<string, Send>();
  /** Of all receivers that were answered for: the last use, and the breaker. */
  readonly #isSlow = new Map<string, boolean>();
  readonly #breakers = new Map<string, Breaker>();
  #recording = 0;

  isClaimed(id: string): boolean {
    return this.#queue.has(id) || this.#inFlight.has(id);
  }

  get isEmpty(): boolean {
    return this.#choosing.size + this.#queue.size + this.#inFlight.size + this.#recording === 0;
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  get queuedCount(): number {
    return this.#queue.size;
  }

  chose({ chosen, paused }: Choice, nowMs: number): void {
    for (const one of chosen) {
      this.#choosing.add(one);
      if (one.to !== 'queue') this.#takesSlot(one.to, nowMs);
    }
    for (const { receiver, until } of paused) {
      const known = this.#breakers.get(receiverKey(receiver));
      if (known?.openUntilMs !== until.getTime()) throw new Error(`${receiverKey(receiver)} is not paused`);
    }
    if (chosen.length > 0) this.#check();
  }

  settled(chosen: readonly Chosen[], claimed: readonly ClaimedDelivery[]): void {
    for (const one of chosen) this.#choosing.delete(one);
    this.#unplaced = new Map(claimed.map((delivery) => [delivery._id, delivery]));
  }

  queued(claimed: ClaimedDelivery): void {
    this.#place(claimed);
    this.#queue.set(claimed._id, claimed);
  }

  sent(send: Send, nowMs: number): void {
    const { claimed, slot } = send;
    const id = claimed._id;
    if (this.#inFlight.has(id)) throw new Error(`${id} is sent twice`);
    this.#inFlight.set(id, send);
    // It came out of the queue, with a slot of now.
    if (this.#queue.delete(id)) this.#takesSlot(slot, nowMs);
    else this.#place(claimed);
    if (receiverKey(slot) !== receiverKey(claimed)) throw new Error(`${id} has a slot of ${receiverKey(slot)}`);
  }

  gaveBack(deliveries: readonly ClaimedDelivery[]): void {
    for (const claimed of deliveries) if (!this.#queue.delete(claimed._id)) this.#place(claimed);
  }

  answered({ claimed, slot }: Send, use: SlotUse, nowMs: number): void {
    this.#inFlight.delete(claimed._id);
    if (use === 'unused') return;
    this.#recording += 1;
    const key = receiverKey(claimed);
    this.#isSlow.set(key, use !== 'good');
    const known = this.#breakers.get(key) ?? closedBreaker;
    this.#breakers.set(key, use === 'failed' ? afterFailure(known, slot.probe, nowMs, breaker) : closedBreaker);
  }

  recorded(): void {
    this.#recording -= 1;
  }

  /** After each event: all bounds, and nothing that was claimed is left nowhere. */
  checkAll(): void {
    if (this.#unplaced.size > 0) throw new Error(`neither sent, queued nor given back: ${[...this.#unplaced.keys()]}`);
    this.#check();
  }

  /** Claimed in the event that is judged now. */
  #unplaced = new Map<string, ClaimedDelivery>();

  #place({ _id }: ClaimedDelivery): void {
    if (!this.#unplaced.delete(_id)) throw new Error(`${_id} was not claimed`);
  }

  /** A slot is taken now: not while its receiver is paused, and as the only probe after that. */
  #takesSlot(slot: Slot, nowMs: number): void {
    const key = receiverKey(slot);
    const state = breakerState(this.#breakers.get(key) ?? closedBreaker, nowMs);
    if (state === 'open') throw new Error(`${key} is paused`);
    if (slot.probe !== (state === 'half-open'))
      throw new Error(`${key} is ${state}, and the slot is a probe: ${slot.probe}`);
    if (!this.#isSlow.get(key)) return;
    const isSlowHere = (one: Receiver) => one.host === slot.host && this.#isSlow.get(receiverKey(one)) === true;
    atMost(bounds.hosts.slowPerHostMax, `of slow receivers at ${slot.host}`, this.#slots(), isSlowHere);
  }

  #slots(): Slot[] {
    const choosing = [...this.#choosing].flatMap(({ to }) => (to === 'queue' ? [] : [to]));
    return [...choosing, ...[...this.#inFlight.values()].map(({ slot }) => slot)];
  }

  #queuedAndReserved(): Receiver[] {
    const reserved = [...this.#choosing].flatMap(({ to, delivery }) => (to === 'queue' ? [delivery] : []));
    return [...reserved, ...this.#queue.values()];
  }

  #check(): void {
    const slots = this.#slots();
    const queued = this.#queuedAndReserved();
    const { hosts, perClientMax, queue, concurrency } = bounds;
    for (const { host, clientId } of slots) {
      const isHere = (one: Receiver) => one.host === host;
      const isReceiver = (one: Receiver) => one.host === host && one.clientId === clientId;
      atMost(hosts.perHostMax, `in flight at ${host}`, slots, isHere);
      atMost(hosts.perReceiverMax, `in flight of ${clientId} at ${host}`, slots, isReceiver);
      atMost(perClientMax, `in flight of ${clientId}`, slots, (one) => one.clientId === clientId);
      const probes = count(slots, (slot) => isReceiver(slot) && slot.probe);
      if (probes > 1) throw new Error(`${probes} probes of ${clientId} at ${host}`);
    }
    for (const { host, clientId } of queued) {
      atMost(queue.perHostMax, `queued for ${host}`, queued, (one) => one.host === host);
      atMost(queue.perReceiverMax, `queued of ${clientId} at ${host}`, queued, (one) =>
        Boolean(one.host === host && one.clientId === clientId),
      );
      atMost(queue.perClientMax, `queued of ${clientId}`, queued, (one) => one.clientId === clientId);
    }
    atMost(queue.max, 'queued', queued, () => true);
    atMost(concurrency, 'claimed and not answered', [...slots, ...queued], () => true);
  }
}
