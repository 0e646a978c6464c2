/**
 * A delivery: one event on its way to one receiver, with everything needed to send it again (docs/decisions.md,
 * "Callbacks"). Times are `Date` in UTC. Due dates follow the gateway's clock, leases the database's.
 */

/** `ended`: the receiver answered 410 and wants no more of it. `exhausted`: all tries were used, it can be replayed. */
export const deliveryStates = ['waiting', 'delivered', 'exhausted', 'ended'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why there was no HTTP answer. `target-refused`: the address is not one that callbacks may be sent to. */
export const deliveryErrors = [
  'timeout',
  'unreachable',
  'connection-lost',
  'name-not-resolved',
  'target-refused',
  'tls',
  'broken-answer',
] as const;
export type DeliveryError = (typeof deliveryErrors)[number];

/** One try. Exactly one of `status` (HTTP status of the answer) and `error` is set. */
export interface DeliveryAttempt {
  readonly at: Date;
  readonly ms: number;
  readonly status?: number;
  readonly error?: DeliveryError;
}

export interface Delivery {
  /** `<paymentId>:<seq>`: inserting it again changes nothing. */
  readonly _id: string;
  readonly schemaVersion?: number;
  /** What the event is about: a payment, or (`ses_…`) a tokenization session. Its deliveries go in order. */
  readonly paymentId: string;
  readonly clientId: string;
  readonly seq: number;
  /** `evt_…`, derived from `_id` and `createdAt`: the receiver's key against duplicates. */
  readonly eventId: string;
  readonly url: string;
  /** Host and port of `url`: with the client, what limits and the circuit breaker count by. */
  readonly host: string;
  /** JSON text, as the resource was when it changed. */
  readonly body: string;
  /** Grows with every announced change of the resource, so that a receiver can drop what is older than it knows. */
  readonly resourceVersion: number;
  /** When the resource changed. */
  readonly createdAt: Date;
  readonly state: DeliveryState;
  readonly dueAt: Date;
  /** Tries that were recorded. */
  readonly tries: number;
  readonly leaseToken?: string;
  /** Epoch when free; compared with the database's clock. */
  readonly leaseUntil: Date;
  /** The newest `limits.callbackAttemptsKept` tries, newest last. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Set when it ended: the database removes it then. */
  readonly expireAt?: Date;
}

/** A delivery that was found: all that the choice looks at and that is sent, so that a claim need not read it again. */
export type DueDelivery = Omit<Delivery, 'state' | 'leaseToken' | 'leaseUntil' | 'attempts' | 'expireAt'>;

/** A delivery that is ours until its lease runs out. */
export interface ClaimedDelivery extends DueDelivery {
  readonly leaseToken: string;
}

/** A client's end at a host. */
export type Receiver = Pick<Delivery, 'host' | 'clientId'>;

/** The same for the same client's end at the same host. */
export function receiverKey({ host, clientId }: Receiver): string {
  return `${host} ${clientId}`;
}

export function deliveryId(paymentId: string, seq: number): string {
  return `${paymentId}:${seq}`;
}
