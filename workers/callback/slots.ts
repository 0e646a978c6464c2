/**
 * What may be claimed: a slot at its host for each, or room in the queue for one. Bounded by client and host (the gate), by client
 * over all hosts (the shares), and by the process.
 */
import type { Clock } from '../../shared/clock.js';
import type { Receiver } from '../../shared/domain/callback/delivery.js';
import type { Busy } from '../../shared/store/delivery.repository.js';
import type { ClaimedAhead } from './claimed-ahead.js';
import type { ClientShares } from './client-shares.js';
import type { HostGate, Ticket, Visit } from './host-gate.js';

/** Where a claimed delivery is: at a slot of its host, or in the queue for one. */
export type Slot = Ticket | 'ahead';

/** `closed`: the receiver takes nothing until then. */
type Entered<Of> =
  | { readonly kind: 'slot'; readonly slot: Of }
  | { readonly kind: 'closed'; readonly until: Date }
  | { readonly kind: 'full' };

export interface SlotsDeps {
  readonly gate: HostGate;
  readonly shares: ClientShares;
  readonly ahead: ClaimedAhead;
  readonly clock: Clock;
  /** Deliveries claimed and not answered at once in this process; and so many whose answers are recorded. */
  readonly concurrency: number;
}

export class Slots {
  /** Claimed or just being claimed, and not answered. */
  #taken = 0;
  /** Answers that are being recorded: they count as well. */
  #recording = 0;

  constructor(private readonly deps: SlotsDeps) {}

  /** Deliveries that the process may claim besides. */
  get room(): number {
    return this.deps.concurrency - Math.max(this.#taken, this.#recording);
  }

  enter(receiver: Receiver): Entered<Slot> {
    if (this.room <= 0) return { kind: 'full' };
    const entered = this.leaveQueueFor(receiver);
    if (entered.kind === 'slot') this.#taken += 1;
    return entered.kind === 'full' && this.enterQueue(receiver) ? { kind: 'slot', slot: 'ahead' } : entered;
  }

  /** Room in the queue alone: false when there is none. */
  enterQueue(receiver: Receiver): boolean {
    if (this.room <= 0 || !this.#mayWait(receiver) || !this.deps.ahead.reserve(receiver)) return false;
    this.#taken += 1;
    return true;
  }

  /** A slot for one that waits in the queue. */
  leaveQueueFor({ host, clientId }: Receiver): Entered<Ticket> {
    const { gate, shares, clock } = this.deps;
    if (shares.left(clientId) <= 0) return { kind: 'full' };
    const entrance = gate.enter({ host, clientId }, clock.now());
    if (entrance.kind === 'open') return { kind: 'closed', until: entrance.until };
    if (entrance.kind === 'full') return entrance;
    shares.enter(clientId);
    return { kind: 'slot', slot: entrance.ticket };
  }

  /** One that waits in the queue leaves it without a slot. */
  leaveQueue(): void {
    this.#taken -= 1;
  }

  /** Gives a slot back after its use; answers the hosts at which one that waits may take it. */
  leave(ticket: Ticket, visit: Visit): string[] {
    const { gate, shares, ahead, clock } = this.deps;
    const { host, clientId } = ticket;
    // What waits elsewhere may have waited for the client's share alone.
    const hosts = shares.left(clientId) > 0 ? [host] : [host, ...ahead.hostsOf(clientId)];
    this.#taken -= 1;
    shares.leave(clientId);
    gate.leave(ticket, visit, clock.now());
    return hosts;
  }

  /** Gives a slot back that nothing was sent at. */
  cancel(receiver: Receiver, slot: Slot): void {
    if (slot !== 'ahead') this.leave(slot, 'unused');
    else {
      this.deps.ahead.cancel(receiver);
      this.leaveQueue();
    }
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

  /** Receivers, hosts and clients that are not searched for: there is no slot, nor room in the queue for one. */
  busy(): Required<Busy> {
    const { gate, shares, ahead, clock } = this.deps;
    const full = gate.full(clock.now());
    return {
      hosts: full.hosts.filter((host) => !gate.isQuickAt(host) || !ahead.hasRoomAt(host)),
      receivers: full.receivers.filter((receiver) => !this.#mayWait(receiver) || !ahead.hasRoom(receiver)),
      // Only to its quick receivers there may be room in the queue: they are known.
      clients: shares.full(),
    };
  }

  /** So many deliveries of the receiver may be claimed now; 0 also while that is too few to be worth a search. */
  wantedOf(receiver: Receiver): number {
    const { gate, shares, ahead, clock } = this.deps;
    const free = Math.min(gate.freeOf(receiver, clock.now()), shares.left(receiver.clientId));
    if (!this.#mayWait(receiver)) return free;
    // A slot that is free although some wait: they wait for the record of the one before them.
    return ahead.isLow(receiver) ? free + Math.max(0, ahead.roomOf(receiver)) : free;
  }

  /** So many deliveries of the client may be claimed now, over all hosts. */
  wantedBy(clientId: string): number {
    return this.deps.shares.left(clientId) + this.deps.ahead.roomBy(clientId);
  }

  #mayWait(receiver: Receiver): boolean {
    return this.deps.gate.isQuickAt(receiver.host) && this.deps.gate.isQuick(receiver);
  }
}
