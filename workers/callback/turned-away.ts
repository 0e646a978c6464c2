/**
 * For whom more is due than could be claimed. As places come back, those receivers alone are looked for: a look through all that
 * is due costs as much as is due, and most of it may be theirs.
 */
import type { Receiver } from '../../shared/domain/callback/delivery.js';
import type { Busy } from '../../shared/store/delivery.repository.js';

export interface TurnedAway {
  /** More is due for this receiver than was claimed. */
  add(receiver: Receiver): void;
  /** Nothing more is due for it, as far as is known. */
  drained(receiver: Receiver): void;
  /** A look through all begins without these: what is due for them is not known. */
  leftOut(busy: Required<Busy>, underWay: readonly Receiver[]): void;
  /** A look could not begin, for want of room in the process. */
  poolIsFull(): void;
  poolWasFull(): boolean;
  /**
   * Whether a place that this receiver gives back asks for a look through all: its host, its client or the process was full, so
   * there may be receivers that are not known. A client that is known to have more due comes to its share by that.
   */
  concerns(receiver: Receiver): boolean;
  /** The receivers, those first that were looked for longest ago. */
  receivers(): readonly Receiver[];
  /** Before a look through all: what it finds is the truth. */
  forget(): void;
}

const keyOf = ({ host, clientId }: Receiver) => `${host} ${clientId}`;

export function createTurnedAway(): TurnedAway {
  const receivers = new Map<string, Receiver>();
  const hosts = new Set<string>();
  const clients = new Set<string>();
  let poolFull = false;

  const add = ({ host, clientId }: Receiver) => {
    const key = keyOf({ host, clientId });
    receivers.delete(key);
    receivers.set(key, { host, clientId });
  };

  const isKnown = (clientId: string) => {
    for (const receiver of receivers.values()) if (receiver.clientId === clientId) return true;
    return false;
  };

  return {
    add,
    drained: (receiver) => void receivers.delete(keyOf(receiver)),
    leftOut(busy, underWay) {
      for (const host of busy.hosts) hosts.add(host);
      for (const clientId of busy.clients) clients.add(clientId);
      for (const receiver of busy.receivers) add(receiver);
      for (const receiver of underWay) if (hosts.has(receiver.host) || clients.has(receiver.clientId)) add(receiver);
    },
    poolIsFull() {
      poolFull = true;
    },
    poolWasFull: () => poolFull,
    concerns: ({ host, clientId }) => poolFull || hosts.has(host) || (clients.has(clientId) && !isKnown(clientId)),
    receivers: () => [...receivers.values()],
    forget() {
      receivers.clear();
      hosts.clear();
      clients.clear();
      poolFull = false;
    },
  };
}
