/**
 * The send queue: deliveries that are claimed and not sent yet, per host, oldest first. They wait for a slot, so that the slot that an
 * answer frees is taken in the same turn, without asking MongoDB; or they wait for the delivery before them to end. The queue is in memory,
 * and bounded per receiver, host, client and in total. Room is reserved before a delivery is claimed.
 */
import { type ClaimedDelivery, type Receiver, receiverKey } from '../../../shared/domain/callback/delivery.js';

export interface SendQueueBounds {
  readonly perReceiverMax: number;
  readonly perHostMax: number;
  /** For one client over all hosts. */
  readonly perClientMax: number;
  readonly max: number;
}

interface Queued {
  readonly delivery: ClaimedDelivery;
  readonly sinceMs: number;
  /** Id of the delivery of the same payment that must end before. */
  after?: string | undefined;
}

/** Counts by key; a key whose count is 0 is removed. */
class Counts {
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#counts.size;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, by: 1 | -1): void {
    const count = this.of(key) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

export class SendQueue {
  readonly #byHost = new Map<string, readonly Queued[]>();
  // Counts of queued deliveries plus reservations.
  readonly #countByHost = new Counts();
  readonly #countByReceiver = new Counts();
  readonly #countByClient = new Counts();
  #count = 0;

  constructor(private readonly bounds: SendQueueBounds) {}

  /** Reserves room for one delivery, until it is taken out. False when the receiver, its host, its client or the queue is full. */
  reserve(receiver: Receiver): boolean {
    if (!this.hasRoom(receiver)) return false;
    this.#add(receiver, 1);
    return true;
  }

  /** Gives back an unused reservation. */
  cancel(receiver: Receiver): void {
    this.#add(receiver, -1);
  }

  /** Queues a claimed delivery for which room was reserved. It is not ready before the delivery `after` has ended. */
  put(delivery: ClaimedDelivery, nowMs: number, after?: string): void {
    this.#keep(delivery.host, [...this.#at(delivery.host), { delivery, sinceMs: nowMs, after }]);
  }

  /** Makes the delivery ready that waits for one that has ended at this host. Returns whether there is one. */
  readyAfter(host: string, ended: string): boolean {
    const follower = this.#at(host).find(({ after }) => after === ended);
    if (follower) follower.after = undefined;
    return follower !== undefined;
  }

  /** Takes out the delivery that waits for this one. */
  takeFollower(host: string, before: string): ClaimedDelivery | undefined {
    return this.#take(host, ({ after }) => after === before)[0];
  }

  /** Takes out all deliveries of one receiver. */
  takeAllOf(receiver: Receiver): ClaimedDelivery[] {
    return this.#take(receiver.host, ({ delivery }) => delivery.clientId === receiver.clientId);
  }

  /** Takes out what is ready at a host and accepted by `isTaken`, oldest first; a receiver that was refused once is not tried again. */
  takeReady(host: string, isTaken: (delivery: ClaimedDelivery) => boolean): void {
    const refused = new Set<string>();
    this.#take(host, ({ delivery, after }) => {
      if (after !== undefined || refused.has(delivery.clientId)) return false;
      if (isTaken(delivery)) return true;
      refused.add(delivery.clientId);
      return false;
    });
  }

  /** Returns the receivers of deliveries that have been queued since `sinceMs` or longer. */
  queuedSince(sinceMs: number): Receiver[] {
    return [...this.#byHost.values()].flatMap((queue) =>
      queue.filter((queued) => queued.sinceMs <= sinceMs).map(({ delivery }) => delivery),
    );
  }

  /** Whether at least half of a receiver's queue is free: less is not worth a search in MongoDB. */
  isLow(receiver: Receiver): boolean {
    return this.#countByReceiver.of(receiverKey(receiver)) <= this.bounds.perReceiverMax / 2;
  }

  /** Returns how many more deliveries may be queued for a receiver. */
  roomFor(receiver: Receiver): number {
    const ofReceiver = this.bounds.perReceiverMax - this.#countByReceiver.of(receiverKey(receiver));
    return Math.min(this.#roomAt(receiver.host), this.roomForClient(receiver.clientId), ofReceiver);
  }

  /** Returns how many more deliveries may be queued for a client, over all hosts. */
  roomForClient(clientId: string): number {
    return this.bounds.perClientMax - this.#countByClient.of(clientId);
  }

  hasRoom(receiver: Receiver): boolean {
    return this.roomFor(receiver) > 0;
  }

  hasRoomAt(host: string): boolean {
    return this.#roomAt(host) > 0;
  }

  /** Returns the hosts for which deliveries of this client are queued. */
  hostsOf(clientId: string): string[] {
    return [...this.#byHost]
      .filter(([, queue]) => queue.some(({ delivery }) => delivery.clientId === clientId))
      .map(([host]) => host);
  }

  /** Returns the receiver of each queued delivery. */
  receivers(): Receiver[] {
    return [...this.#byHost.values()].flatMap((queue) => queue.map(({ delivery }) => delivery));
  }

  /** Number of queued deliveries plus reservations. */
  get count(): number {
    return this.#count;
  }

  /** Number of keys in memory: hosts, receivers and clients with queued or reserved deliveries, and hosts again for their queues. */
  get size(): number {
    return this.#byHost.size + this.#countByHost.size + this.#countByReceiver.size + this.#countByClient.size;
  }

  get isEmpty(): boolean {
    return this.#byHost.size === 0;
  }

  #at(host: string): readonly Queued[] {
    return this.#byHost.get(host) ?? [];
  }

  #roomAt(host: string): number {
    return Math.min(this.bounds.max - this.#count, this.bounds.perHostMax - this.#countByHost.of(host));
  }

  #add(receiver: Receiver, by: 1 | -1): void {
    this.#count += by;
    this.#countByHost.add(receiver.host, by);
    this.#countByReceiver.add(receiverKey(receiver), by);
    this.#countByClient.add(receiver.clientId, by);
  }

  #take(host: string, isWanted: (queued: Queued) => boolean): ClaimedDelivery[] {
    const taken: ClaimedDelivery[] = [];
    const left: Queued[] = [];
    for (const queued of this.#at(host)) {
      if (!isWanted(queued)) left.push(queued);
      else {
        taken.push(queued.delivery);
        this.#add(queued.delivery, -1);
      }
    }
    this.#keep(host, left);
    return taken;
  }

  #keep(host: string, queue: readonly Queued[]): void {
    if (queue.length > 0) this.#byHost.set(host, queue);
    else this.#byHost.delete(host);
  }
}
