import { type Receiver, receiverKey } from '../../../shared/domain/callback/delivery.js';
import type { Busy } from '../../../shared/store/delivery.repository.js';

/**
 * The receivers with more due than could be claimed, and the hosts and clients that a search left out because it could not claim theirs.
 */
export class Backlog {
  readonly #receivers = new Map<string, Receiver>();
  readonly #fullHosts = new Set<string>();
  readonly #fullClients = new Set<string>();
  #processFull = false;

  /** Notes that more is due for this receiver than was claimed. It becomes the last one to be searched for. */
  add({ host, clientId }: Receiver): void {
    const key = receiverKey({ host, clientId });
    this.#receivers.delete(key);
    this.#receivers.set(key, { host, clientId });
  }

  /** Notes that nothing more is due for the receiver, as far as is known. */
  remove(receiver: Receiver): void {
    this.#receivers.delete(receiverKey(receiver));
  }

  /** Notes what a full search leaves out: it is unknown what is due for them. */
  addLeftOut(busy: Required<Busy>, inFlight: readonly Receiver[]): void {
    for (const host of busy.hosts) this.#fullHosts.add(host);
    for (const clientId of busy.clients) this.#fullClients.add(clientId);
    for (const receiver of busy.receivers) this.add(receiver);
    for (const receiver of inFlight) {
      if (this.#fullHosts.has(receiver.host) || this.#fullClients.has(receiver.clientId)) this.add(receiver);
    }
  }

  /** Notes that the process had no room: more may be due for any receiver. */
  processIsFull(): void {
    this.#processFull = true;
  }

  get processWasFull(): boolean {
    return this.#processFull;
  }

  /**
   * Whether a slot that this receiver gives back calls for a full search: its host, its client or the process was full, so there may be
   * unknown receivers. For a full client with a known receiver the search of the backlog is enough.
   */
  mayMiss({ host, clientId }: Receiver): boolean {
    return (
      this.#processFull || this.#fullHosts.has(host) || (this.#fullClients.has(clientId) && !this.#knows(clientId))
    );
  }

  /** Returns the receivers, the one with the oldest search first. */
  receivers(): readonly Receiver[] {
    return [...this.#receivers.values()];
  }

  /** Forgets everything before a full search, which finds out what is due. */
  clear(): void {
    this.#receivers.clear();
    this.#fullHosts.clear();
    this.#fullClients.clear();
    this.#processFull = false;
  }

  #knows(clientId: string): boolean {
    for (const receiver of this.#receivers.values()) if (receiver.clientId === clientId) return true;
    return false;
  }
}
