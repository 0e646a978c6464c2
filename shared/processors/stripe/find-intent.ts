/**
 * Finds a PaymentIntent: by its id if Stripe returned one, else by our key in its metadata. The search is fast but lags behind by a
 * minute or more, so only the list, which is up to date, can prove that there is none.
 */
import { unixSeconds } from '../../domain/time.js';
import type { InquireResult, ProcessorReferences } from '../processor.js';
import { readIntent, readList, type WireIntent } from './answer.schema.js';
import type { Account, Call, CallResult, Fault } from './calls.js';
import { isKeyRefused } from './declines.js';
import { KEY } from './to-intent.js';

export type Found =
  | { readonly kind: 'intent'; readonly intent: WireIntent }
  | Extract<InquireResult, { kind: 'not-found' | 'no-answer' }>
  /** The secret key is not allowed to read payments, so no other operation would work either. */
  | { readonly kind: 'refused'; readonly fault: Fault; readonly internal: string }
  /** No byte left the gateway. */
  | { readonly kind: 'not-sent'; readonly internal: string };

/** Tolerances around the creation time: for a clock that differs, and for a request that takes long. */
const BEFORE_SECONDS = 300;
const AFTER_SECONDS = 3_600;
const PAGE = 100;
const PAGES_MAX = 50;

const expand = { expand: ['latest_charge'] };
const noAnswer = (internal: string) => ({ kind: 'no-answer', internal }) as const;
const unreadable = noAnswer('the answer has another shape');
const another = noAnswer('the answer is about another key');

const failed = (called: Exclude<CallResult, { kind: 'answer' }>): Found => {
  if (called.kind === 'not-sent') return called;
  if (called.kind !== 'refused') return noAnswer(called.internal);
  const { fault } = called;
  const internal = `refused: ${fault.code ?? fault.type ?? ''}`;
  return isKeyRefused(fault) ? { kind: 'refused', fault, internal } : noAnswer(internal);
};

const STATUS_NOT_FOUND = 404;

async function byId(call: Call, account: Account, id: string, key: string): Promise<Found> {
  const called = await call(account, (client) => client.paymentIntents.retrieve(id, expand, requestOf(account)));
  if (called.kind === 'refused' && called.fault.status === STATUS_NOT_FOUND) return { kind: 'not-found' };
  if (called.kind !== 'answer') return failed(called);
  const intent = readIntent(called.body);
  if (!intent || intent.id !== id) return unreadable;
  return intent.metadata?.[KEY] === key ? { kind: 'intent', intent } : another;
}

/** Finds by search; `undefined` when the payment is not in the index (yet), or the account's country has no search. */
async function bySearch(call: Call, account: Account, key: string): Promise<Found | undefined> {
  const query = `metadata['${KEY}']:'${key}'`;
  const called = await call(account, (client) => client.paymentIntents.search({ query, limit: 1 }, requestOf(account)));
  if (called.kind === 'refused') return undefined;
  if (called.kind !== 'answer') return failed(called);
  const [first] = readList(called.body)?.data ?? [];
  if (first === undefined) return readList(called.body) ? undefined : unreadable;
  const found = readIntent(first);
  if (!found) return unreadable;
  // The index may have an older state of the PaymentIntent.
  return found.metadata?.[KEY] === key ? byId(call, account, found.id, key) : another;
}

async function byList(call: Call, account: Account, key: string, createdAt: Date | undefined): Promise<Found> {
  const seconds = createdAt && unixSeconds(createdAt);
  const created =
    seconds === undefined ? {} : { created: { gte: seconds - BEFORE_SECONDS, lte: seconds + AFTER_SECONDS } };
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const params = { limit: PAGE, ...created, ...(after !== undefined && { starting_after: after }) };
    const called = await call(account, (client) => client.paymentIntents.list(params, requestOf(account)));
    if (called.kind !== 'answer') return failed(called);
    const list = readList(called.body);
    const intents = list?.data.map(readIntent);
    if (!list || !intents?.every((intent) => intent !== undefined)) return unreadable;
    const match = intents.find((intent) => intent.metadata?.[KEY] === key);
    if (match) return byId(call, account, match.id, key);
    after = intents.at(-1)?.id;
    if (!list.has_more || after === undefined) return { kind: 'not-found' };
  }
  return noAnswer('too many payments to look through');
}

/** Returns the request options of a call. */
export const requestOf = ({ stripeAccount }: Account, idempotencyKey?: string) => ({
  ...(stripeAccount !== undefined && { stripeAccount }),
  ...(idempotencyKey !== undefined && { idempotencyKey }),
});

/** @param key key of the authorization or purchase */
export async function findIntent(
  call: Call,
  account: Account,
  key: string,
  { processorReference, createdAt }: ProcessorReferences,
): Promise<Found> {
  if (processorReference !== undefined) return byId(call, account, processorReference, key);
  return (await bySearch(call, account, key)) ?? byList(call, account, key, createdAt);
}
