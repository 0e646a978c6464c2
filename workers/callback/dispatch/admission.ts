/**
 * Decides whether a due delivery may be claimed: with a slot it is sent at once, with room in the send queue it waits for a slot. This file
 * combines all limits: those of its host and receiver (`HostLimits`), of its client over all hosts (`ClientLimits`), of the send queue, and
 * of the process.
 */
import type { Receiver } from '../../../shared/domain/callback/delivery.js';
import type { Busy } from '../../../shared/store/delivery.repository.js';
import type { HostLimits, Refusal, Slot, SlotUse, TakenSlot } from './host-limits.js';
import type { SendQueue } from './send-queue.js';

/**
 * Limits how many callbacks of one client a process has in flight over all hosts: a client with thousands of slow hosts delays only its own
 * callbacks (docs/decisions.md, "isolation").
 */
export class ClientLimits {
  readonly #inFlight = new Map<string, number>();
  #inFlightOfAll = 0;

  constructor(private readonly perClientMax: number) {}

  /** Callbacks in flight of all clients. */
  get inFlight(): number {
    return this.#inFlightOfAll;
  }

  /** Number of clients that have callbacks in flight. */
  get size(): number {
    return this.#inFlight.size;
  }

  add(clientId: string): void {
    this.#inFlightOfAll += 1;
    this.#inFlight.set(clientId, this.#countOf(clientId) + 1);
  }

  remove(clientId: string): void {
    this.#inFlightOfAll -= 1;
    const count = this.#countOf(clientId) - 1;
    if (count > 0) this.#inFlight.set(clientId, count);
    else this.#inFlight.delete(clientId);
  }

  /** Returns how many more callbacks of a client may be in flight. */
  roomFor(clientId: string): number {
    return this.perClientMax - this.#countOf(clientId);
  }

  /** Returns the clients that get no slot until one of their slots is given back. */
  full(): string[] {
    return [...this.#inFlight].filter(([, count]) => count >= this.perClientMax).map(([clientId]) => clientId);
  }

  #countOf(clientId: string): number {
    return this.#inFlight.get(clientId) ?? 0;
  }
}

/** What a delivery was given: a slot, or room in the send queue. */
export type AdmittedTo = Slot | 'queue';

export interface AdmissionParts {
  readonly hostLimits: HostLimits;
  readonly clientLimits: ClientLimits;
  readonly queue: SendQueue;
  /** How many deliveries may be claimed and not answered at once in this process. The same number of answers may be being recorded. */
  readonly concurrency: number;
}

export class Admission {
  /** Number of answers that are being recorded. It is limited as well, so that a slow database slows down the sending. */
  #recording = 0;

  constructor(private readonly parts: AdmissionParts) {}

  /** How many more deliveries the process may claim, besides those claimed or being claimed that are not answered. */
  get room(): number {
    const { clientLimits, queue, concurrency } = this.parts;
    return concurrency - Math.max(clientLimits.inFlight + queue.count, this.#recording);
  }

  /** Gives a due delivery a slot, or else room in the send queue. The delivery is counted until it leaves one of them. */
  admit(receiver: Receiver, now: Date): { readonly kind: 'admitted'; readonly to: AdmittedTo } | Refusal {
    if (this.room <= 0) return { kind: 'full' };
    const taken = this.takeSlot(receiver, now);
    if (taken.kind === 'slot') return { kind: 'admitted', to: taken.slot };
    return taken.kind === 'full' && this.admitToQueue(receiver) ? { kind: 'admitted', to: 'queue' } : taken;
  }

  /** Reserves room in the send queue only; false when there is none. */
  admitToQueue(receiver: Receiver): boolean {
    return this.room > 0 && this.#mayQueue(receiver) && this.parts.queue.reserve(receiver);
  }

  /** Takes a slot for a delivery that leaves the send queue with it. */
  takeSlot({ host, clientId }: Receiver, now: Date): TakenSlot {
    const { hostLimits, clientLimits } = this.parts;
    if (clientLimits.roomFor(clientId) <= 0) return { kind: 'full' };
    const taken = hostLimits.takeSlot({ host, clientId }, now);
    if (taken.kind === 'slot') clientLimits.add(clientId);
    return taken;
  }

  /** Gives a slot back after its use. Returns the hosts at which a queued delivery may now take a slot. */
  giveBack(slot: Slot, use: SlotUse, now: Date): string[] {
    const { hostLimits, clientLimits, queue } = this.parts;
    const { host, clientId } = slot;
    // Deliveries queued for other hosts may have waited only for the client's limit.
    const hosts = clientLimits.roomFor(clientId) > 0 ? [host] : [host, ...queue.hostsOf(clientId)];
    clientLimits.remove(clientId);
    hostLimits.giveBack(slot, use, now);
    return hosts;
  }

  /**
   * Takes back what a delivery was given that was not claimed after all. Returns the hosts at which a queued delivery may now take a slot.
   */
  cancel(receiver: Receiver, to: AdmittedTo, now: Date): string[] {
    if (to !== 'queue') return this.giveBack(to, 'unused', now);
    this.parts.queue.cancel(receiver);
    return [];
  }

  /** Counts an answer as being recorded until {@link Admission.endRecording}. */
  beginRecording(): void {
    this.#recording += 1;
  }

  endRecording(): void {
    this.#recording -= 1;
  }

  /** Returns hosts, clients and receivers to leave out of a search: there is neither a slot for them nor room in the send queue. */
  busy(now: Date): Required<Busy> {
    const { hostLimits, clientLimits, queue } = this.parts;
    const full = hostLimits.full(now);
    return {
      hosts: full.hosts.filter((host) => !hostLimits.isQuickAt(host) || !queue.hasRoomAt(host)),
      receivers: full.receivers.filter((receiver) => !this.#mayQueue(receiver) || !queue.hasRoom(receiver)),
      // Left out although their quick receivers may have room in the send queue: those receivers are known.
      clients: clientLimits.full(),
    };
  }

  /** Returns how many deliveries of the receiver may be claimed now; also 0 while that is too few to be worth a search. */
  roomFor(receiver: Receiver, now: Date): number {
    const { hostLimits, clientLimits, queue } = this.parts;
    const free = Math.min(hostLimits.freeSlots(receiver, now), clientLimits.roomFor(receiver.clientId));
    if (!this.#mayQueue(receiver)) return free;
    // A slot may be free although deliveries are queued: they wait until the delivery before them is recorded.
    return queue.isLow(receiver) ? free + Math.max(0, queue.roomFor(receiver)) : free;
  }

  /** Returns how many deliveries of the client may be claimed now, over all hosts. */
  roomForClient(clientId: string): number {
    return this.parts.clientLimits.roomFor(clientId) + this.parts.queue.roomForClient(clientId);
  }

  /** Whether a delivery may be claimed before it has a slot: only if a slot becomes free soon. */
  #mayQueue(receiver: Receiver): boolean {
    return this.parts.hostLimits.isQuickAt(receiver.host) && this.parts.hostLimits.isQuick(receiver);
  }
}
