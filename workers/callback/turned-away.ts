/**
 * For whom more is due than could be claimed. As slots become free, only those receivers are searched for: a search through all
 * that is due costs as much as is due, and most of it may be theirs.
 */
import { type Receiver, receiverKey } from '../../shared/domain/callback/delivery.js';
import type { Busy } from '../../shared/store/delivery.repository.js';

export class TurnedAway {
  readonly #receivers = new Map<string, Receiver>();
  readonly #hosts = new Set<string>();
  readonly #clients = new Set<string>();
  #poolFull = false;

  /** More is due for this receiver than was claimed. */
  add({ host, clientId }: Receiver): void {
    const key = receiverKey({ host, clientId });
    this.#receivers.delete(key);
    this.#receivers.set(key, { host, clientId });
  }

  /** Nothing more is due for it, as far as is known. */
  drained(receiver: Receiver): void {
    this.#receivers.delete(receiverKey(receiver));
  }

  /** A search through all begins without these: what is due for them is not known. */
  leftOut(busy: Required<Busy>, underWay: readonly Receiver[]): void {
    for (const host of busy.hosts) this.#hosts.add(host);
    for (const clientId of busy.clients) this.#clients.add(clientId);
    for (const receiver of busy.receivers) this.add(receiver);
    for (const receiver of underWay) {
      if (this.#hosts.has(receiver.host) || this.#clients.has(receiver.clientId)) this.add(receiver);
    }
  }

  /** A search could not begin, for want of room in the process. */
  poolIsFull(): void {
    this.#poolFull = true;
  }

  get poolWasFull(): boolean {
    return this.#poolFull;
  }

  /**
   * Whether a slot that this receiver gives back asks for a search through all: its host, its client or the process was full, so
   * there may be receivers that are not known. A client that is known to have more due gets its share by that.
   */
  concerns({ host, clientId }: Receiver): boolean {
    return this.#poolFull || this.#hosts.has(host) || (this.#clients.has(clientId) && !this.#isKnown(clientId));
  }

  /** The receivers, those first that were searched for longest ago. */
  receivers(): readonly Receiver[] {
    return [...this.#receivers.values()];
  }

  /** Before a search through all: what it finds is the truth. */
  forget(): void {
    this.#receivers.clear();
    this.#hosts.clear();
    this.#clients.clear();
    this.#poolFull = false;
  }

  #isKnown(clientId: string): boolean {
    for (const receiver of this.#receivers.values()) if (receiver.clientId === clientId) return true;
    return false;
  }
}
