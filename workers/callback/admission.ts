/**
 * Whether a due delivery may be claimed: with a slot it is sent at once, with room in the send queue it waits for one. All limits
 * are put together here: those of its host and receiver (`HostLimits`), of its client over all hosts (`ClientLimits`), of the send
 * queue, and of the process.
 */
import type { Clock } from '../../shared/clock.js';
import type { Receiver } from '../../shared/domain/callback/delivery.js';
import type { Busy } from '../../shared/store/delivery.repository.js';
import type { HostLimits, Refusal, Slot, SlotUse, TakenSlot } from './host-limits.js';
import type { SendQueue } from './send-queue.js';

/**
 * Bounds how many callbacks of one client a process has in flight over all hosts: a client with thousands of hosts, each of them
 * slow, delays its own callbacks only (docs/decisions.md, "isolation").
 */
export class ClientLimits {
  readonly #inFlight = new Map<string, number>();

  constructor(private readonly perClientMax: number) {}

  add(clientId: string): void {
    this.#inFlight.set(clientId, this.#countOf(clientId) + 1);
  }

  remove(clientId: string): void {
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

export interface AdmissionDeps {
  readonly hostLimits: HostLimits;
  readonly clientLimits: ClientLimits;
  readonly queue: SendQueue;
  readonly clock: Clock;
  /** Deliveries claimed and not answered at once in this process; and so many whose answers are being recorded. */
  readonly concurrency: number;
}

export class Admission {
  /** Claimed or just being claimed, and not answered: queued and in flight. */
  #unanswered = 0;
  /** Answers that are being recorded: they are bounded as well, so that a slow database slows the sending. */
  #recording = 0;

  constructor(private readonly deps: AdmissionDeps) {}

  /** Deliveries that the process may claim besides. */
  get room(): number {
    return this.deps.concurrency - Math.max(this.#unanswered, this.#recording);
  }

  /** For one that is due: a slot, or else room in the send queue. It is counted until it leaves one of them. */
  admit(receiver: Receiver): { readonly kind: 'admitted'; readonly to: AdmittedTo } | Refusal {
    if (this.room <= 0) return { kind: 'full' };
    const taken = this.takeSlot(receiver);
    if (taken.kind === 'paused') return taken;
    if (taken.kind === 'full') return this.admitToQueue(receiver) ? { kind: 'admitted', to: 'queue' } : taken;
    this.#unanswered += 1;
    return { kind: 'admitted', to: taken.slot };
  }

  /** Room in the send queue alone: false when there is none. */
  admitToQueue(receiver: Receiver): boolean {
    if (this.room <= 0 || !this.#mayQueue(receiver) || !this.deps.queue.reserve(receiver)) return false;
    this.#unanswered += 1;
    return true;
  }

  /** A slot for one that leaves the send queue with it. */
  takeSlot({ host, clientId }: Receiver): TakenSlot {
    const { hostLimits, clientLimits, clock } = this.deps;
    if (clientLimits.roomFor(clientId) <= 0) return { kind: 'full' };
    const taken = hostLimits.takeSlot({ host, clientId }, clock.now());
    if (taken.kind === 'slot') clientLimits.add(clientId);
    return taken;
  }

  /** One was taken out of the send queue without a slot. */
  leftQueue(): void {
    this.#unanswered -= 1;
  }

  /** Gives a slot back after its use. Returns the hosts at which something queued may now take one. */
  giveBack(slot: Slot, use: SlotUse): string[] {
    const { hostLimits, clientLimits, queue, clock } = this.deps;
    const { host, clientId } = slot;
    // What is queued for other hosts may have waited for the client's limit alone.
    const hosts = clientLimits.roomFor(clientId) > 0 ? [host] : [host, ...queue.hostsOf(clientId)];
    this.#unanswered -= 1;
    clientLimits.remove(clientId);
    hostLimits.giveBack(slot, use, clock.now());
    return hosts;
  }

  /** For one that was admitted and not claimed after all. Returns the hosts at which something queued may now take a slot. */
  cancel(receiver: Receiver, to: AdmittedTo): string[] {
    if (to !== 'queue') return this.giveBack(to, 'unused');
    this.deps.queue.cancel(receiver);
    this.leftQueue();
    return [];
  }

  /** Counts an answer while `recording` records it. */
  async whileRecording<Recorded>(recording: () => Promise<Recorded>): Promise<Recorded> {
    this.#recording += 1;
    try {
      return await recording();
    } finally {
      this.#recording -= 1;
    }
  }

  /** Hosts, clients and receivers that are not searched for: there is no slot for them, nor room in the send queue. */
  busy(): Required<Busy> {
    const { hostLimits, clientLimits, queue, clock } = this.deps;
    const full = hostLimits.full(clock.now());
    return {
      hosts: full.hosts.filter((host) => !hostLimits.isQuickAt(host) || !queue.hasRoomAt(host)),
      receivers: full.receivers.filter((receiver) => !this.#mayQueue(receiver) || !queue.hasRoom(receiver)),
      // Only for its quick receivers there may be room in the send queue: they are known.
      clients: clientLimits.full(),
    };
  }

  /** So many deliveries of the receiver may be claimed now; 0 as well while that is too few to be worth a search. */
  roomFor(receiver: Receiver): number {
    const { hostLimits, clientLimits, queue, clock } = this.deps;
    const free = Math.min(hostLimits.freeSlots(receiver, clock.now()), clientLimits.roomFor(receiver.clientId));
    if (!this.#mayQueue(receiver)) return free;
    // A slot may be free although some are queued: they wait for the record of the one before them.
    return queue.isLow(receiver) ? free + Math.max(0, queue.roomFor(receiver)) : free;
  }

  /** So many deliveries of the client may be claimed now, over all hosts. */
  roomForClient(clientId: string): number {
    return this.deps.clientLimits.roomFor(clientId) + this.deps.queue.roomForClient(clientId);
  }

  /** Only what finds a slot soon is worth a claim before there is one. */
  #mayQueue(receiver: Receiver): boolean {
    return this.deps.hostLimits.isQuickAt(receiver.host) && this.deps.hostLimits.isQuick(receiver);
  }
}
