/**
 * A delivery: one event on its way to one receiver, with everything needed to send it again (docs/decisions.md,
 * "Callbacks"). Times are `Date` in UTC. Due dates follow the gateway's clock, leases the database's.
 */

/** `ended`: the receiver answered 410 and does not want the event. `exhausted`: all tries were used; the delivery can be replayed. */
export const deliveryStates = ['waiting', 'delivered', 'exhausted', 'ended'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why there was no HTTP answer. `target-refused`: callbacks may not be sent to the address. */
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
  /** Id of the payment, or of the tokenization session (`ses_…`), that the event is about. Its deliveries are sent in order. */
  readonly paymentId: string;
  readonly clientId: string;
  readonly seq: number;
  /** `evt_…`, derived from `_id` and `createdAt`: by it the receiver recognizes duplicates. */
  readonly eventId: string;
  readonly url: string;
  /** Host and port of `url`: limits and the circuit breaker count by it and by the client. */
  readonly host: string;
  /** JSON text of the resource as it was after the change. */
  readonly body: string;
  /** Grows with every announced change of the resource, so that a receiver can ignore a change that is older than the newest it knows. */
  readonly resourceVersion: number;
  /** When the resource changed. */
  readonly createdAt: Date;
  readonly state: DeliveryState;
  readonly dueAt: Date;
  /** Number of recorded tries. */
  readonly tries: number;
  readonly leaseToken?: string;
  /** Epoch when free; compared with the database's clock. */
  readonly leaseUntil: Date;
  /** The newest `limits.callbackAttemptsKept` tries, newest last. */
  readonly attempts: readonly DeliveryAttempt[];
  /** When the database removes the delivery; set when it ends. */
  readonly expireAt?: Date;
}

/** A delivery that was found as due: all that choosing and sending need, so that a claim does not read it again. */
export type DueDelivery = Omit<Delivery, 'state' | 'leaseToken' | 'leaseUntil' | 'attempts' | 'expireAt'>;

/** A delivery that this process has claimed until its lease runs out. */
export interface ClaimedDelivery extends DueDelivery {
  readonly leaseToken: string;
}

/** A receiver of callbacks: one client at one host. */
export type Receiver = Pick<Delivery, 'host' | 'clientId'>;

/** Returns the key of a receiver, equal for equal client and host. */
export function receiverKey({ host, clientId }: Receiver): string {
  return `${host} ${clientId}`;
}

export function deliveryId(paymentId: string, seq: number): string {
  return `${paymentId}:${seq}`;
}
