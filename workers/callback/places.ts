/**
 * What may be claimed: a place at its host for each, or room in the queue for one. Bounded by client and host (the gate), by
 * client over all hosts (the shares), and by the process.
 */
import type { Clock } from '../../shared/clock.js';
import type { Receiver } from '../../shared/domain/callback/delivery.js';
import type { Busy } from '../../shared/store/delivery.repository.js';
import type { ClaimedAhead } from './claimed-ahead.js';
import type { ClientShares } from './client-shares.js';
import type { HostGate, Ticket, Visit } from './host-gate.js';

/** Where a claimed delivery is: at a place of its host, or in the queue for one. */
export type Place = Ticket | 'ahead';

/** `closed`: the receiver takes nothing until then. */
type Entered<Of> =
  | { readonly kind: 'place'; readonly place: Of }
  | { readonly kind: 'closed'; readonly until: Date }
  | { readonly kind: 'full' };
type EnteredPlace = Entered<Ticket>;

export interface Places {
  enter(receiver: Receiver): Entered<Place>;
  /** Room in the queue alone: false when there is none. */
  enterQueue(receiver: Receiver): boolean;
  /** Gives a place back after its use; answers the hosts at which one that waits may take it. */
  leave(ticket: Ticket, visit: Visit): string[];
  /** Gives a place back that nothing was sent at. */
  cancel(receiver: Receiver, place: Place): void;
  /** A place for one that waits in the queue. */
  leaveQueueFor(receiver: Receiver): Entered<Ticket>;
  /** One that waits in the queue leaves it for none. */
  leaveQueue(): void;
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

  const leaveQueue = () => {
    taken -= 1;
  };
  const leave = (ticket: Ticket, visit: Visit) => {
    const { host, clientId } = ticket;
    // What waits elsewhere may have waited for the client's share alone.
    const hosts = shares.left(clientId) > 0 ? [host] : [host, ...ahead.hostsOf(clientId)];
    taken -= 1;
    shares.leave(clientId);
    gate.leave(ticket, visit, clock.now());
    return hosts;
  };

  function takePlace({ host, clientId }: Receiver): EnteredPlace {
    if (shares.left(clientId) <= 0) return { kind: 'full' };
    const entrance = gate.enter({ host, clientId }, clock.now());
    if (entrance.kind === 'open') return { kind: 'closed', until: entrance.until };
    if (entrance.kind === 'full') return entrance;
    shares.enter(clientId);
    return { kind: 'place', place: entrance.ticket };
  }

  function enterQueue(receiver: Receiver): boolean {
    if (room() <= 0 || !mayWait(receiver) || !ahead.reserve(receiver)) return false;
    taken += 1;
    return true;
  }

  return {
    enter(receiver) {
      if (room() <= 0) return { kind: 'full' };
      const entered = takePlace(receiver);
      if (entered.kind === 'place') taken += 1;
      return entered.kind === 'full' && enterQueue(receiver) ? { kind: 'place', place: 'ahead' } : entered;
    },
    enterQueue,
    leaveQueueFor: takePlace,
    leave,
    cancel(receiver, place) {
      if (place !== 'ahead') leave(place, 'unused');
      else {
        ahead.cancel(receiver);
        leaveQueue();
      }
    },
    leaveQueue,
    room,
    busy() {
      const full = gate.full(clock.now());
      return {
        hosts: full.hosts.filter((host) => !gate.isQuickAt(host) || !ahead.hasRoomAt(host)),
        receivers: full.receivers.filter((receiver) => !mayWait(receiver) || !ahead.hasRoom(receiver)),
        // Only to its quick receivers there may be room in the queue: they are known.
        clients: shares.full(),
      };
    },
    wantedOf(receiver) {
      const free = Math.min(gate.freeOf(receiver, clock.now()), shares.left(receiver.clientId));
      if (!mayWait(receiver)) return free;
      // A place that is free although some wait: they wait for the record of the one before them.
      return ahead.isLow(receiver) ? free + Math.max(0, ahead.roomOf(receiver)) : free;
    },
    wantedBy: (clientId) => shares.left(clientId) + ahead.roomBy(clientId),
  };
}
