/**
 * Whether a due delivery may be claimed: with a slot it is sent at once, with room in the send queue it waits for one. All limits
 * are put together here: those of its host and receiver (`HostLimits`), of its client over all hosts (`ClientLimits`), of the send
 * queue, and of the process.
 */
import type { Receiver } from '../../../shared/domain/callback/delivery.js';
import type { Busy } from '../../../shared/store/delivery.repository.js';
import type { HostLimits, Refusal, Slot, SlotUse, TakenSlot } from './host-limits.js';
import type { SendQueue } from './send-queue.js';

/**
 * Bounds how many callbacks of one client a process has in flight over all hosts: a client with thousands of hosts, each of them
 * slow, delays its own callbacks only (docs/decisions.md, "isolation").
 */
export class ClientLimits {
  readonly #inFlight = new Map<string, number>();
  #inFlightOfAll = 0;

  constructor(private readonly perClientMax: number) {}

  /** Of all clients. */
  get inFlight(): number {
    return this.#inFlightOfAll;
  }

  /** Clients that have something in flight. */
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

  /** So many more of a client may be in flight. */
  roomFor(clientId: string): number {
    return this.perClientMax - this.#countOf(clientId);
  }

  /** Clients that have no slot before one of theirs is given back. */
  full(): string[] {
    return [...this.#inFlight].filter(([, count]) => count >= this.perClientMax).map(([clientId]) => clientId);
  }

  #countOf(clientId: string): number {
    return this.#inFlight.get(clientId) ?? 0;
  }
}

/** What there is for a delivery: a slot, or room in the send queue. */
export type AdmittedTo = Slot | 'queue';

export interface AdmissionParts {
  readonly hostLimits: HostLimits;
  readonly clientLimits: ClientLimits;
  readonly queue: SendQueue;
  /** Deliveries claimed and not answered at once in this process; and so many whose answers are being recorded. */
  readonly concurrency: number;
}

export class Admission {
  /** Answers that are being recorded: they are bounded as well, so that a slow database slows the sending. */
  #recording = 0;

  constructor(private readonly parts: AdmissionParts) {}

  /** Deliveries that the process may claim besides those that are claimed, or just being claimed, and not answered. */
  get room(): number {
    const { clientLimits, queue, concurrency } = this.parts;
    return concurrency - Math.max(clientLimits.inFlight + queue.count, this.#recording);
  }

  /** For one that is due: a slot, or else room in the send queue. It is counted until it leaves one of them. */
  admit(receiver: Receiver, now: Date): { readonly kind: 'admitted'; readonly to: AdmittedTo } | Refusal {
    if (this.room <= 0) return { kind: 'full' };
    const taken = this.takeSlot(receiver, now);
    if (taken.kind === 'slot') return { kind: 'admitted', to: taken.slot };
    return taken.kind === 'full' && this.admitToQueue(receiver) ? { kind: 'admitted', to: 'queue' } : taken;
  }

  /** Room in the send queue alone: false when there is none. */
  admitToQueue(receiver: Receiver): boolean {
    return this.room > 0 && this.#mayQueue(receiver) && this.parts.queue.reserve(receiver);
  }

  /** A slot for one that leaves the send queue with it. */
  takeSlot({ host, clientId }: Receiver, now: Date): TakenSlot {
    const { hostLimits, clientLimits } = this.parts;
    if (clientLimits.roomFor(clientId) <= 0) return { kind: 'full' };
    const taken = hostLimits.takeSlot({ host, clientId }, now);
    if (taken.kind === 'slot') clientLimits.add(clientId);
    return taken;
  }

  /** Gives a slot back after its use. Returns the hosts at which something queued may now take one. */
  giveBack(slot: Slot, use: SlotUse, now: Date): string[] {
    const { hostLimits, clientLimits, queue } = this.parts;
    const { host, clientId } = slot;
    // What is queued for other hosts may have waited for the client's limit alone.
    const hosts = clientLimits.roomFor(clientId) > 0 ? [host] : [host, ...queue.hostsOf(clientId)];
    clientLimits.remove(clientId);
    hostLimits.giveBack(slot, use, now);
    return hosts;
  }

  /** For one that was admitted and not claimed after all. Returns the hosts at which something queued may now take a slot. */
  cancel(receiver: Receiver, to: AdmittedTo, now: Date): string[] {
    if (to !== 'queue') return this.giveBack(to, 'unused', now);
    this.parts.queue.cancel(receiver);
    return [];
  }

  /** An answer is being recorded until {@link Admission.endRecording}. */
  beginRecording(): void {
    this.#recording += 1;
  }

  endRecording(): void {
    this.#recording -= 1;
  }

  /** Hosts, clients and receivers that are not searched for: there is no slot for them, nor room in the send queue. */
  busy(now: Date): Required<Busy> {
    const { hostLimits, clientLimits, queue } = this.parts;
    const full = hostLimits.full(now);
    return {
      hosts: full.hosts.filter((host) => !hostLimits.isQuickAt(host) || !queue.hasRoomAt(host)),
      receivers: full.receivers.filter((receiver) => !this.#mayQueue(receiver) || !queue.hasRoom(receiver)),
      // Only for its quick receivers there may be room in the send queue: they are known.
      clients: clientLimits.full(),
    };
  }

  /** So many deliveries of the receiver may be claimed now; 0 as well while that is too few to be worth a search. */
  roomFor(receiver: Receiver, now: Date): number {
    const { hostLimits, clientLimits, queue } = this.parts;
    const free = Math.min(hostLimits.freeSlots(receiver, now), clientLimits.roomFor(receiver.clientId));
    if (!this.#mayQueue(receiver)) return free;
    // A slot may be free although some are queued: they wait for the record of the one before them.
    return queue.isLow(receiver) ? free + Math.max(0, queue.roomFor(receiver)) : free;
  }

  /** So many deliveries of the client may be claimed now, over all hosts. */
  roomForClient(clientId: string): number {
    return this.parts.clientLimits.roomFor(clientId) + this.parts.queue.roomForClient(clientId);
  }

  /** Only what finds a slot soon is worth a claim before there is one. */
  #mayQueue(receiver: Receiver): boolean {
    return this.parts.hostLimits.isQuickAt(receiver.host) && this.parts.hostLimits.isQuick(receiver);
  }
}
