/**
 * The way back: one pub/sub channel per API process. A worker publishes the outcome there; a reply that is lost costs a slow
 * read of MongoDB and nothing else. The message holds result fields only, never payer or card data.
 */
import type { Payment } from '../domain/payment/payment.js';
import type { Log } from '../log.js';
import { isReady, type Redis } from './redis.js';

const resultFields = [
  'status',
  'transactions',
  'processedAt',
  'updatedAt',
  'expiresAt',
  'authorizedMinor',
  'capturedMinor',
  'refundedMinor',
  'eventSeq',
  'threeDs',
  'code',
] as const satisfies readonly (keyof Payment)[];

/** What came of a transaction: the fields of the payment that an outcome changes. */
export interface Reply {
  readonly paymentId: string;
  readonly txId: string;
  /** Version of the payment that these fields are of. */
  readonly version: number;
  readonly fields: Pick<Payment, (typeof resultFields)[number]>;
}

export function toReply(payment: Payment, txId: string): Reply {
  const fields = Object.fromEntries(resultFields.map((name) => [name, payment[name]])) as Reply['fields'];
  return { paymentId: payment._id, txId, version: payment.version, fields };
}

/** Lays a reply over the payment that its reader holds: a field that the reply lacks is gone from the payment. */
export function applyReply(held: Payment, reply: Reply): Payment {
  const fields = Object.fromEntries(resultFields.map((name) => [name, reply.fields[name]])) as Reply['fields'];
  return { ...held, ...fields, version: reply.version };
}

/** Dates travel as ISO text under names that end in `At`. */
function reviveDates(key: string, value: unknown): unknown {
  return typeof value === 'string' && key.endsWith('At') ? new Date(value) : value;
}

/** What leaves with the end of this tick, by connection and channel. */
const outboxes = new WeakMap<Redis, Map<string, Reply[]>>();

function send(redis: Redis, outbox: Map<string, Reply[]>): void {
  outboxes.delete(redis);
  for (const [channel, replies] of outbox) {
    redis.publish(channel, JSON.stringify(replies)).catch(() => {
      // Lost: the API reads the payments instead. The connection's own error handler has logged why.
    });
  }
}

/**
 * Sends a reply without waiting for it; with Redis away it is simply not sent. Replies of one tick to one API process travel
 * as one message: most of what a message costs is the same however much it holds.
 */
export function publishReply(redis: Redis, channel: string, reply: Reply): void {
  if (!isReady(redis)) return;
  let outbox = outboxes.get(redis);
  if (!outbox) {
    const opened = new Map<string, Reply[]>();
    outbox = opened;
    outboxes.set(redis, opened);
    setImmediate(() => send(redis, opened));
  }
  const replies = outbox.get(channel);
  if (replies) replies.push(reply);
  else outbox.set(channel, [reply]);
}

export interface ReplySubscriber {
  /** Name of this process's channel: a hint carries it as `replyTo`. */
  readonly channel: string;
  connected(): boolean;
  /** Calls `listener` for each reply about the payment until the returned function is called. */
  listen(paymentId: string, listener: (reply: Reply) => void): () => void;
}

/** Subscribes `redis` (a patient connection of its own) to `channel`. */
export function createReplySubscriber(redis: Redis, channel: string, log: Log): ReplySubscriber {
  const listeners = new Map<string, Set<(reply: Reply) => void>>();
  redis.subscribe(channel).catch((error) => log.warn('replies.not-subscribed', { error }));
  redis.on('message', (_channel, message) => {
    // What another release sends, or anybody else, must not end the process: the outcome is read from MongoDB then.
    try {
      for (const reply of JSON.parse(message, reviveDates) as Reply[]) {
        for (const listener of listeners.get(reply.paymentId) ?? []) listener(reply);
      }
    } catch (error) {
      log.warn('replies.not-understood', { error });
    }
  });
  return {
    channel,
    connected: () => isReady(redis),
    listen: (paymentId, listener) => {
      const known = listeners.get(paymentId) ?? new Set();
      listeners.set(paymentId, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0) listeners.delete(paymentId);
      };
    },
  };
}
