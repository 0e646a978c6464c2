/**
 * Deliveries that are claimed before there is a place for them, host by host, oldest first: the place that an answer frees is
 * taken in the same turn, without asking MongoDB. Bounded per receiver, host, client and in total.
 */
import type { ClaimedDelivery, Receiver } from '../../shared/domain/callback/delivery.js';

export interface Bounds {
  readonly perReceiverMax: number;
  readonly perHostMax: number;
  /** Of a client over all hosts. */
  readonly perClientMax: number;
  readonly max: number;
}

interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly sinceMs: number;
  /** The delivery of the same payment that must have ended before. */
  after?: string | undefined;
}

export interface ClaimedAhead {
  /** False when the receiver, its host or all have what they may; true: one more is counted, until it is let go. */
  reserve(receiver: Receiver): boolean;
  /** Gives a reservation back that nothing came of. */
  cancel(receiver: Receiver): void;
  /** Puts what was claimed where it was reserved. It is not taken before the delivery `after` has ended. */
  put(delivery: ClaimedDelivery, nowMs: number, after?: string): void;
  /** A delivery at this host has ended: answers whether one waited for that, which may be taken now. */
  follow(host: string, after: string): boolean;
  /** Takes out the one that waits for this delivery. */
  takeFollower(host: string, after: string): ClaimedDelivery | undefined;
  /** Takes out the oldest of a host that `isTaken` takes; receivers of which one was not taken are not asked again. */
  takeAt(host: string, isTaken: (delivery: ClaimedDelivery) => boolean): void;
  /** Takes out what waits for one receiver. */
  takeOf(receiver: Receiver): ClaimedDelivery[];
  /** Receivers for which something has waited since `sinceMs` or longer. */
  waitingSince(sinceMs: number): Receiver[];
  /** Whether there is room for the half of what may wait for a receiver: less is not worth a look into MongoDB. */
  isLow(receiver: Receiver): boolean;
  /** So many more may wait for a receiver; for all of a client. */
  roomOf(receiver: Receiver): number;
  roomBy(clientId: string): number;
  hasRoom(receiver: Receiver): boolean;
  hasRoomAt(host: string): boolean;
  /** Hosts at which something of this client waits. */
  hostsOf(clientId: string): string[];
  /** All for which something waits. */
  receivers(): Receiver[];
  size(): number;
}

const keyOf = ({ host, clientId }: Receiver) => `${host} ${clientId}`;

export function createClaimedAhead(bounds: Bounds): ClaimedAhead {
  const queues = new Map<string, Waiting[]>();
  const reservedAt = new Map<string, number>();
  const reservedFor = new Map<string, number>();
  const reservedBy = new Map<string, number>();
  let reserved = 0;

  const add = (counts: Map<string, number>, key: string, by: 1 | -1) => {
    const count = (counts.get(key) ?? 0) + by;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };
  const count = (receiver: Receiver, by: 1 | -1) => {
    reserved += by;
    add(reservedAt, receiver.host, by);
    add(reservedFor, keyOf(receiver), by);
    add(reservedBy, receiver.clientId, by);
  };
  const waitsFor = (receiver: Receiver) => reservedFor.get(keyOf(receiver)) ?? 0;
  const roomAt = (host: string) => Math.min(bounds.max - reserved, bounds.perHostMax - (reservedAt.get(host) ?? 0));
  const roomBy = (clientId: string) => bounds.perClientMax - (reservedBy.get(clientId) ?? 0);
  const roomOf = (receiver: Receiver) =>
    Math.min(roomAt(receiver.host), roomBy(receiver.clientId), bounds.perReceiverMax - waitsFor(receiver));
  const hasRoom = (receiver: Receiver) => roomOf(receiver) > 0;
  const keep = (host: string, queue: Waiting[]) => {
    if (queue.length > 0) queues.set(host, queue);
    else queues.delete(host);
  };

  return {
    reserve(receiver) {
      if (!hasRoom(receiver)) return false;
      count(receiver, 1);
      return true;
    },
    cancel: (receiver) => count(receiver, -1),
    put(delivery, nowMs, after) {
      keep(delivery.host, [...(queues.get(delivery.host) ?? []), { delivery, sinceMs: nowMs, after }]);
    },
    follow(host, after) {
      const follower = queues.get(host)?.find((waiting) => waiting.after === after);
      if (follower) follower.after = undefined;
      return follower !== undefined;
    },
    takeFollower(host, after) {
      const queue = queues.get(host) ?? [];
      const follower = queue.find((waiting) => waiting.after === after)?.delivery;
      if (!follower) return undefined;
      keep(
        host,
        queue.filter(({ delivery }) => delivery !== follower),
      );
      count(follower, -1);
      return follower;
    },
    takeAt(host, isTaken) {
      const left: Waiting[] = [];
      const full = new Set<string>();
      for (const waiting of queues.get(host) ?? []) {
        const { delivery, after } = waiting;
        if (after !== undefined) left.push(waiting);
        else if (!full.has(delivery.clientId) && isTaken(delivery)) count(delivery, -1);
        else {
          full.add(delivery.clientId);
          left.push(waiting);
        }
      }
      keep(host, left);
    },
    takeOf(receiver) {
      const queue = queues.get(receiver.host) ?? [];
      const own = queue.filter(({ delivery }) => delivery.clientId === receiver.clientId);
      keep(
        receiver.host,
        queue.filter(({ delivery }) => delivery.clientId !== receiver.clientId),
      );
      for (const { delivery } of own) count(delivery, -1);
      return own.map(({ delivery }) => delivery);
    },
    waitingSince: (sinceMs) =>
      [...queues.values()].flatMap((queue) =>
        queue.filter((waiting) => waiting.sinceMs <= sinceMs).map(({ delivery }) => delivery),
      ),
    isLow: (receiver) => waitsFor(receiver) <= bounds.perReceiverMax / 2,
    roomOf,
    roomBy,
    hasRoom,
    hasRoomAt: (host) => roomAt(host) > 0,
    hostsOf: (clientId) =>
      [...queues]
        .filter(([, queue]) => queue.some(({ delivery }) => delivery.clientId === clientId))
        .map(([host]) => host),
    receivers: () => [...queues.values()].flatMap((queue) => queue.map(({ delivery }) => delivery)),
    size: () => queues.size,
  };
}
