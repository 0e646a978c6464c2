/**
 * The way back: one pub/sub channel per API process. A worker publishes the outcome there; a lost reply costs a slow read of MongoDB
 * and nothing else. The message holds result fields only, never payer or card data.
 *
 * Any client of Redis can publish, so a message begins with an HMAC over its channel and its text, which names payment, transaction
 * and version (docs/security.md#signed-replies). A message whose HMAC is wrong is dropped and counted, and its caller is answered
 * from MongoDB.
 */

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { limits } from '../../config/limits.js';
import type { Payment } from '../domain/payment/payment.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import { isReady, isRefusal, type Redis } from './redis.js';

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
  'tokenizeAt',
] as const satisfies readonly (keyof Payment)[];

/** Result of a transaction: the fields of the payment that an outcome changes. */
export interface Reply {
  readonly paymentId: string;
  readonly txId: string;
  /** Version of the payment that has these fields. */
  readonly version: number;
  readonly fields: Pick<Payment, (typeof resultFields)[number]>;
  /**
   * The payment was written once more after the outcome, to note that the card was saved under the token that the payment was stored
   * with.
   */
  readonly cardSaved?: true;
}

export function toReply(payment: Payment, txId: string, cardSaved = false): Reply {
  const fields: Record<string, unknown> = {};
  for (const name of resultFields) if (payment[name] !== undefined) fields[name] = payment[name];
  const reply = { paymentId: payment._id, txId, version: payment.version, fields: fields as Reply['fields'] };
  return cardSaved ? { ...reply, cardSaved } : reply;
}

/** Applies a reply to the payment that its reader holds. A field that the reply lacks is removed from the payment. */
export function applyReply(held: Payment, reply: Reply): Payment {
  const changed: Record<string, unknown> = { version: reply.version };
  for (const name of resultFields) if (reply.fields[name] !== held[name]) changed[name] = reply.fields[name];
  return { ...held, ...changed };
}

/** Turns ISO texts under names that end in `At` into dates, in place. A reviver of `JSON.parse` costs several times as much. */
function reviveDates(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) reviveDates(item);
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    if (typeof field === 'object') reviveDates(field);
    else if (typeof field === 'string' && key.endsWith('At')) fields[key] = new Date(field);
  }
}

const KEY_BYTES = 32;
const KEY_INFO = 'payment-gateway reply channel HS256';
/** Length of an HMAC-SHA-256 as base64url. */
const MAC_LENGTH = 43;

/** Key that signs and checks replies. The API and every pool that replies hold it. */
export class ReplyKey {
  readonly #key: Uint8Array;

  /** @param replyKey the setting; the key is derived from it (HKDF-SHA-256, RFC 5869). */
  constructor(replyKey: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', replyKey, '', KEY_INFO, KEY_BYTES));
  }

  #mac = (channel: string, text: string) =>
    createHmac('sha256', this.#key).update(`${channel}\n${text}`, 'utf8').digest();

  sign(channel: string, text: string): string {
    return `${this.#mac(channel, text).toString('base64url')}${text}`;
  }

  /** Returns the text of a message that was signed for this channel; `undefined` for any other. */
  open(channel: string, message: string): string | undefined {
    const text = message.slice(MAC_LENGTH);
    const sent = Buffer.from(message.slice(0, MAC_LENGTH), 'base64url');
    const own = this.#mac(channel, text);
    return sent.length === own.length && timingSafeEqual(sent, own) ? text : undefined;
  }
}

/** Replies that are sent at the end of this event, by connection and channel. */
const outboxes = new WeakMap<Redis, Map<string, Reply[]>>();
/** When a reply that was not sent was last logged (ms of the monotonic clock), by connection. */
const loggedAtMs = new WeakMap<Redis, number>();

/** Logs that Redis refuses a reply, as for lack of a right: it is lost, and the API reads the payments instead. */
function logUnsent(redis: Redis, error: unknown, log: Log): void {
  const nowMs = performance.now();
  // Every other error is one of the connection, which logs it.
  if (!isRefusal(error) || nowMs - (loggedAtMs.get(redis) ?? Number.NEGATIVE_INFINITY) < limits.logAgainMs) return;
  loggedAtMs.set(redis, nowMs);
  log.warn('replies.not-sent', { error });
}

function send(redis: Redis, key: ReplyKey, outbox: Map<string, Reply[]>, log: Log): void {
  outboxes.delete(redis);
  for (const [channel, replies] of outbox) {
    const message = key.sign(channel, JSON.stringify(replies));
    redis.publish(channel, message).catch((error: unknown) => logUnsent(redis, error, log));
  }
}

interface Sender {
  readonly redis: Redis;
  readonly key: ReplyKey;
  readonly log: Log;
}

/**
 * Sends a reply without waiting for it; without Redis the reply is not sent. Replies of one event to one API process are one message,
 * because most of the cost of a message does not depend on its size.
 */
export function publishReply({ redis, key, log }: Sender, channel: string, reply: Reply): void {
  if (!isReady(redis)) return;
  let outbox = outboxes.get(redis);
  if (!outbox) {
    const opened = new Map<string, Reply[]>();
    outbox = opened;
    outboxes.set(redis, opened);
    process.nextTick(() => send(redis, key, opened, log));
  }
  const replies = outbox.get(channel);
  if (replies) replies.push(reply);
  else outbox.set(channel, [reply]);
}

export interface ReplySubscriber {
  /** Name of this process's channel: a nudge carries it as `replyTo`. */
  readonly channel: string;
  /** Whether replies arrive now, as far as is known. */
  connected(): boolean;
  /** Calls `listener` for each reply about the payment until the returned function is called. */
  listen(paymentId: string, listener: (reply: Reply) => void): () => void;
}

interface SubscriberDeps {
  readonly key: ReplyKey;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

/**
 * Subscribes, and again with each new connection and every `limits.redisPingMs`. Redis ignores a repetition, but it shows that the server
 * is not silent, and brings back a subscription that was refused, or lost by a cluster.
 * @returns a function that says whether the subscription is in effect, as far as is known
 */
function keepSubscribed(redis: Redis, channel: string, log: Log): () => boolean {
  let subscribed = false;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const failed = (error: unknown) => {
    subscribed = false;
    // The error of a connection that is not ready is logged by the connection.
    if (!isReady(redis) || performance.now() - loggedAtMs < limits.logAgainMs) return;
    loggedAtMs = performance.now();
    log.warn('replies.not-subscribed', { error });
  };
  const subscribe = () => {
    redis.subscribe(channel).then(() => {
      subscribed = true;
    }, failed);
  };
  subscribe();
  redis.on('ready', subscribe);
  redis.on('close', () => {
    subscribed = false;
  });
  const timer = setInterval(() => isReady(redis) && subscribe(), limits.redisPingMs).unref();
  redis.once('end', () => clearInterval(timer));
  return () => isReady(redis) && subscribed;
}

/** Subscribes `redis` (a separate patient connection) to `channel`. */
export function createReplySubscriber(redis: Redis, channel: string, deps: SubscriberDeps): ReplySubscriber {
  const { key, log, metrics } = deps;
  /** A forger may send many messages: one log record in ten seconds is enough. */
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  const refuse = () => {
    metrics.event('reply-refused');
    if (performance.now() - refusedAtMs < limits.logAgainMs) return;
    refusedAtMs = performance.now();
    log.error('replies.refused', { reason: 'a reply was not signed under REPLY_KEY of this process' });
  };
  const listeners = new Map<string, Set<(reply: Reply) => void>>();
  /** Passes a reply to each listener of its payment. What one listener cannot read does not keep the reply from the others. */
  const pass = (reply: Reply) => {
    for (const listener of listeners.get(reply.paymentId) ?? []) {
      try {
        listener(reply);
      } catch (error) {
        log.warn('replies.not-understood', { paymentId: reply.paymentId, error });
      }
    }
  };
  const connected = keepSubscribed(redis, channel, log);
  redis.on('message', (_channel, message) => {
    const text = key.open(channel, message);
    if (text === undefined) return refuse();
    // A message of another release must not end the process: the outcome is then read from MongoDB.
    try {
      const replies = JSON.parse(text) as Reply[];
      reviveDates(replies);
      for (const reply of replies) pass(reply);
    } catch (error) {
      log.warn('replies.not-understood', { error });
    }
  });
  return {
    channel,
    connected,
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
