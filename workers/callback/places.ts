/**
 * What may be claimed: a place at its host for each, or room in the queue for one. Bounded by client and host (the gate), by
 * client over all hosts (the shares), and by the process.
 */
import type { Clock } from '../../shared/clock.js';
import type { DueDelivery, Receiver } from '../../shared/domain/callback/delivery.js';
import type { Busy } from '../../shared/store/delivery.repository.js';
import type { ClaimedAhead } from './claimed-ahead.js';
import type { ClientShares } from './client-shares.js';
import type { HostGate, Ticket, Visit } from './host-gate.js';

/** Where a claimed delivery is: at a place of its host, or in the queue for one. */
export type Place = Ticket | 'ahead';

/** `closed`: the receiver takes nothing until then. */
export type Entered =
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'closed'; readonly until: Date }
  | { readonly kind: 'full' };

export interface Places {
  enter(delivery: DueDelivery): Entered;
  /** Room in the queue alone: false when there is none. */
  enterQueue(receiver: Receiver): boolean;
  /** Gives a place back after its use. */
  leave(ticket: Ticket, visit: Visit): void;
  /** Gives a place back that nothing was sent at. */
  cancel(receiver: Receiver, place: Place): void;
  /** A delivery that waited for its place has none any more. */
  leaveQueue(receiver: Receiver): void;
  /** Deliveries that the process may claim besides. */
  room(): number;
  /** Receivers, hosts and clients for which nothing is looked for: there is no place, nor room in the queue for one. */
  busy(): Required<Busy>;
  /** So many deliveries of the receiver may be claimed now; 0 also while that is too few to be worth a look. */
  wantedOf(receiver: Receiver): number;
  /** So many deliveries of the client may be claimed now, over all hosts. */
  wantedBy(clientId: string): number;
}

export interface PlacesDeps {
  readonly gate: HostGate;
  readonly shares: ClientShares;
  readonly ahead: ClaimedAhead;
  readonly clock: Clock;
  /** Deliveries claimed and not answered at once in this process. */
  readonly concurrency: number;
  /** Answers that are being recorded: they count as well. */
  readonly recording: () => number;
}

export function createPlaces({ gate, shares, ahead, clock, concurrency, recording }: PlacesDeps): Places {
  /** Claimed or just being claimed, and not answered. */
  let taken = 0;
  const room = () => concurrency - Math.max(taken, recording());
  const mayWait = (receiver: Receiver) => gate.isQuickAt(receiver.host) && gate.isQuick(receiver);

  const leaveQueue = ({ clientId }: Receiver) => {
    taken -= 1;
    shares.leave(clientId);
  };
  const leave = (ticket: Ticket, visit: Visit) => {
    leaveQueue(ticket);
    gate.leave(ticket, visit, clock.now());
  };

  function take({ host, clientId }: Receiver): Entered {
    const receiver = { host, clientId };
    const entrance = gate.enter(receiver, clock.now());
    if (entrance.kind === 'entered') return { kind: 'place', place: entrance.ticket };
    if (entrance.kind === 'open') return { kind: 'closed', until: entrance.until };
    return mayWait(receiver) && ahead.reserve(receiver) ? { kind: 'place', place: 'ahead' } : { kind: 'full' };
  }

  return {
    enter(delivery) {
      if (room() <= 0 || !shares.enter(delivery.clientId)) return { kind: 'full' };
      const entered = take(delivery);
      if (entered.kind === 'place') taken += 1;
      else shares.leave(delivery.clientId);
      return entered;
    },
    enterQueue(receiver) {
      if (room() <= 0 || !mayWait(receiver) || !shares.enter(receiver.clientId)) return false;
      const reserved = ahead.reserve(receiver);
      if (reserved) taken += 1;
      else shares.leave(receiver.clientId);
      return reserved;
    },
    leave,
    cancel(receiver, place) {
      if (place !== 'ahead') return leave(place, 'unused');
      ahead.cancel(receiver);
      leaveQueue(receiver);
    },
    leaveQueue,
    room,
    busy() {
      const full = gate.full(clock.now());
      return {
        hosts: full.hosts.filter((host) => !gate.isQuickAt(host) || !ahead.hasRoomAt(host)),
        receivers: full.receivers.filter((receiver) => !mayWait(receiver) || !ahead.hasRoom(receiver)),
        clients: shares.full(),
      };
    },
    wantedOf(receiver) {
      const free = gate.freeOf(receiver, clock.now());
      if (!mayWait(receiver)) return free;
      return ahead.isLow(receiver) ? free + ahead.roomOf(receiver) : 0;
    },
    wantedBy: shares.left,
  };
}
