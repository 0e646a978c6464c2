/**
 * Deliveries that are claimed before there is a slot for them, host by host, oldest first: the slot that an answer frees is taken
 * in the same turn, without asking MongoDB. Bounded per receiver, host, client and in total.
 */
import { type ClaimedDelivery, type Receiver, receiverKey } from '../../shared/domain/callback/delivery.js';

export interface ClaimedAheadBounds {
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

/** Counts by key; a key without any is forgotten. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, by: 1 | -1): void {
    const count = this.of(key) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

export class ClaimedAhead {
  readonly #queues = new Map<string, readonly Waiting[]>();
  readonly #byHost = new Counts();
  readonly #byReceiver = new Counts();
  readonly #byClient = new Counts();
  #reserved = 0;

  constructor(private readonly bounds: ClaimedAheadBounds) {}

  /** False when the receiver, its host or all have what they may; true: one more is counted, until it is taken out. */
  reserve(receiver: Receiver): boolean {
    if (!this.hasRoom(receiver)) return false;
    this.#count(receiver, 1);
    return true;
  }

  /** Gives an unused reservation back. */
  cancel(receiver: Receiver): void {
    this.#count(receiver, -1);
  }

  /** Puts what was claimed where it was reserved. It is not taken before the delivery `after` has ended. */
  put(delivery: ClaimedDelivery, nowMs: number, after?: string): void {
    this.#keep(delivery.host, [...this.#at(delivery.host), { delivery, sinceMs: nowMs, after }]);
  }

  /** A delivery at this host has ended: answers whether one waited for that, which may be taken now. */
  follow(host: string, after: string): boolean {
    const follower = this.#at(host).find((waiting) => waiting.after === after);
    if (follower) follower.after = undefined;
    return follower !== undefined;
  }

  /** Takes out the one that waits for this delivery. */
  takeFollower(host: string, after: string): ClaimedDelivery | undefined {
    return this.#take(host, (waiting) => waiting.after === after)[0];
  }

  /** Takes out what waits for one receiver. */
  takeOf(receiver: Receiver): ClaimedDelivery[] {
    return this.#take(receiver.host, ({ delivery }) => delivery.clientId === receiver.clientId);
  }

  /** Takes out the oldest of a host that `isTaken` takes; receivers of which one was not taken are not asked again. */
  takeAt(host: string, isTaken: (delivery: ClaimedDelivery) => boolean): void {
    const full = new Set<string>();
    this.#take(host, ({ delivery, after }) => {
      if (after !== undefined || full.has(delivery.clientId)) return false;
      if (isTaken(delivery)) return true;
      full.add(delivery.clientId);
      return false;
    });
  }

  /** Receivers for which something has waited since `sinceMs` or longer. */
  waitingSince(sinceMs: number): Receiver[] {
    return [...this.#queues.values()].flatMap((queue) =>
      queue.filter((waiting) => waiting.sinceMs <= sinceMs).map(({ delivery }) => delivery),
    );
  }

  /** Whether there is room for the half of what may wait for a receiver: less is not worth a search in MongoDB. */
  isLow(receiver: Receiver): boolean {
    return this.#byReceiver.of(receiverKey(receiver)) <= this.bounds.perReceiverMax / 2;
  }

  /** So many more may wait for a receiver. */
  roomOf(receiver: Receiver): number {
    const forReceiver = this.bounds.perReceiverMax - this.#byReceiver.of(receiverKey(receiver));
    return Math.min(this.#roomAt(receiver.host), this.roomBy(receiver.clientId), forReceiver);
  }

  /** So many more may wait for all of a client. */
  roomBy(clientId: string): number {
    return this.bounds.perClientMax - this.#byClient.of(clientId);
  }

  hasRoom(receiver: Receiver): boolean {
    return this.roomOf(receiver) > 0;
  }

  hasRoomAt(host: string): boolean {
    return this.#roomAt(host) > 0;
  }

  /** Hosts at which something of this client waits. */
  hostsOf(clientId: string): string[] {
    return [...this.#queues]
      .filter(([, queue]) => queue.some(({ delivery }) => delivery.clientId === clientId))
      .map(([host]) => host);
  }

  /** All for which something waits. */
  receivers(): Receiver[] {
    return [...this.#queues.values()].flatMap((queue) => queue.map(({ delivery }) => delivery));
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  #at(host: string): readonly Waiting[] {
    return this.#queues.get(host) ?? [];
  }

  #roomAt(host: string): number {
    return Math.min(this.bounds.max - this.#reserved, this.bounds.perHostMax - this.#byHost.of(host));
  }

  #count(receiver: Receiver, by: 1 | -1): void {
    this.#reserved += by;
    this.#byHost.add(receiver.host, by);
    this.#byReceiver.add(receiverKey(receiver), by);
    this.#byClient.add(receiver.clientId, by);
  }

  #take(host: string, isWanted: (waiting: Waiting) => boolean): ClaimedDelivery[] {
    const taken: ClaimedDelivery[] = [];
    const left: Waiting[] = [];
    for (const waiting of this.#at(host)) {
      if (!isWanted(waiting)) left.push(waiting);
      else {
        taken.push(waiting.delivery);
        this.#count(waiting.delivery, -1);
      }
    }
    this.#keep(host, left);
    return taken;
  }

  #keep(host: string, queue: readonly Waiting[]): void {
    if (queue.length > 0) this.#queues.set(host, queue);
    else this.#queues.delete(host);
  }
}
