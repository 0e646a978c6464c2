import { type Receiver, receiverKey } from '../../../shared/domain/callback/delivery.js';
import type { Busy } from '../../../shared/store/delivery.repository.js';

/** The receivers for which more is due than could be claimed; and where a search left out what it could not claim anyway. */
export class Backlog {
  readonly #receivers = new Map<string, Receiver>();
  readonly #fullHosts = new Set<string>();
  readonly #fullClients = new Set<string>();
  #processFull = false;

  /** More is due for this receiver than was claimed. It is the last to be searched for. */
  add({ host, clientId }: Receiver): void {
    const key = receiverKey({ host, clientId });
    this.#receivers.delete(key);
    this.#receivers.set(key, { host, clientId });
  }

  /** Nothing more is due for it, as far as is known. */
  remove(receiver: Receiver): void {
    this.#receivers.delete(receiverKey(receiver));
  }

  /** A full search leaves these out: what is due for them is not known. */
  addLeftOut(busy: Required<Busy>, inFlight: readonly Receiver[]): void {
    for (const host of busy.hosts) this.#fullHosts.add(host);
    for (const clientId of busy.clients) this.#fullClients.add(clientId);
    for (const receiver of busy.receivers) this.add(receiver);
    for (const receiver of inFlight) {
      if (this.#fullHosts.has(receiver.host) || this.#fullClients.has(receiver.clientId)) this.add(receiver);
    }
  }

  /** There was no room in the process: more may be due for any receiver. */
  processIsFull(): void {
    this.#processFull = true;
  }

  get processWasFull(): boolean {
    return this.#processFull;
  }

  /**
   * Whether a slot that this receiver gives back asks for a full search: its host, its client or the process was full, so there may
   * be receivers that are not known. A client with a known one gets what it may have by that.
   */
  mayMiss({ host, clientId }: Receiver): boolean {
    return (
      this.#processFull || this.#fullHosts.has(host) || (this.#fullClients.has(clientId) && !this.#knows(clientId))
    );
  }

  /** Those first that were searched for longest ago. */
  receivers(): readonly Receiver[] {
    return [...this.#receivers.values()];
  }

  /** Before a full search: what it finds is the truth. */
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
