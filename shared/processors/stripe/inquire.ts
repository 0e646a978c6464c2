/** Finds the outcome of a key at Stripe: of a PaymentIntent, its capture or cancellation, or a refund. */
import type { InquireRequest, InquireResult, NoAnswer, ProcessorReferences } from '../processor.js';
import { readId, readList, readRefund, type WireIntent, type WireRefund } from './answer.schema.js';
import type { CallContext, CallResult } from './calls.js';
import { findIntent, requestOf } from './find-intent.js';
import { CAPTURE_KEY, KEY } from './to-intent.js';
import { authorizationOutcome, cancelOutcome, captureOutcome, refundOutcome } from './to-outcome.js';

const noAnswer = (internal: string) => ({ kind: 'no-answer', internal }) as const;
const unreadable = noAnswer('the answer has another shape');

const notListed = (called: Exclude<CallResult, { kind: 'answer' }>): NoAnswer =>
  noAnswer(called.kind === 'refused' ? `refused: ${called.fault.code ?? ''}` : called.internal);

/** Adds our key to a refund without one, which was made at the dashboard: found by Stripe's id, its payment shows that it belongs here. */
const withKey = (refund: WireRefund, key: string, { id }: WireIntent): WireRefund =>
  refund.metadata?.[KEY] === undefined && refund.payment_intent === id
    ? { ...refund, metadata: { [KEY]: key } }
    : refund;

const PAGE = 100;
const PAGES_MAX = 50;

/** Lists all refunds of the payment, newest first. That list is up to date. */
async function listRefunds({ call, account }: CallContext, intent: WireIntent): Promise<readonly unknown[] | NoAnswer> {
  const listed: unknown[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const params = { payment_intent: intent.id, limit: PAGE, ...(after !== undefined && { starting_after: after }) };
    const called = await call(account, (client) => client.refunds.list(params, requestOf(account)));
    if (called.kind !== 'answer') return notListed(called);
    const list = readList(called.body);
    if (!list) return unreadable;
    listed.push(...list.data);
    after = readId(list.data.at(-1));
    if (!list.has_more) return listed;
    if (after === undefined) return unreadable;
  }
  return noAnswer('too many refunds to look through');
}

/** Returns the refund of this id, or all refunds of the payment. */
async function refundsOf(
  work: CallContext,
  id: string | undefined,
  intent: WireIntent,
): Promise<readonly unknown[] | NoAnswer> {
  if (id === undefined) return listRefunds(work, intent);
  const { call, account } = work;
  const called = await call(account, (client) => client.refunds.retrieve(id, {}, requestOf(account)));
  return called.kind === 'answer' ? [called.body] : notListed(called);
}

const isNoAnswer = (found: readonly unknown[] | NoAnswer): found is NoAnswer => 'kind' in found;

/** Finds the refund of this key, by its id or among the refunds of the payment. */
async function findRefund(
  work: CallContext,
  key: string,
  { processorReference: id }: ProcessorReferences,
  intent: WireIntent,
): Promise<InquireResult> {
  const found = await refundsOf(work, id, intent);
  if (isNoAnswer(found)) return found;
  const refunds = found.map(readRefund);
  if (!refunds.every((one) => one !== undefined)) return unreadable;
  const named = id === undefined ? refunds : refunds.map((refund) => withKey(refund, key, intent));
  const mine = named.find(({ metadata }) => metadata?.[KEY] === key);
  if (!mine) return id === undefined ? { kind: 'not-found' } : noAnswer('the refund is about another key');
  const outcome = refundOutcome(mine);
  return outcome.kind === 'unknown' || outcome.kind === 'not-sent'
    ? noAnswer(outcome.internal)
    : { kind: 'found', outcome };
}

const waiting: ReadonlySet<string> = new Set(['requires_action', 'requires_confirmation', 'requires_payment_method']);

/**
 * Whether the PaymentIntent was created but never charged: Stripe failed in between, or the payer would have to act. Stripe does nothing
 * more with it by itself, so an inquiry would never end. Reported as not found, it is reversed by the core, which cancels it.
 */
const wasNeverCharged = ({ status, last_payment_error: error }: WireIntent): boolean => waiting.has(status) && !error;

/** Returns the outcome of an authorization or purchase. */
function firstOutcome(intent: WireIntent): InquireResult {
  if (wasNeverCharged(intent)) return { kind: 'not-found' };
  const outcome = authorizationOutcome(intent);
  return outcome.kind === 'unknown' ? noAnswer(outcome.internal) : { kind: 'found', outcome };
}

/** Stripe deletes no PaymentIntent: one that it has named and does not know is in another account, whose key was replaced since. */
export const otherAccount = noAnswer('stripe does not know its own id: the key may be of another account');

export async function inquire(work: CallContext, request: InquireRequest): Promise<InquireResult> {
  const { key, operation, references, original, originalReferences = {} } = request;
  const isFirst = operation === 'authorize' || operation === 'verify';
  const found = await findIntent(
    work.call,
    work.account,
    isFirst ? key : (original ?? ''),
    isFirst ? references : originalReferences,
  );
  if (found.kind === 'not-sent' || found.kind === 'refused') return noAnswer(found.internal);
  if (found.kind === 'not-found' && isFirst && references.processorReference !== undefined) return otherAccount;
  if (found.kind !== 'intent') return found;
  const { intent } = found;
  if (operation === 'refund') return findRefund(work, key, references, intent);
  if (operation === 'capture') {
    // Another key captured the payment, or none did. When the capture is sent again, Stripe's answer tells which.
    const mine = intent.metadata?.[CAPTURE_KEY] === key && intent.status === 'succeeded';
    return mine ? { kind: 'found', outcome: captureOutcome(intent, key) } : { kind: 'not-found' };
  }
  if (operation === 'cancel') {
    const isGone = intent.status === 'canceled';
    return isGone ? { kind: 'found', outcome: cancelOutcome(intent, key) } : { kind: 'not-found' };
  }
  return firstOutcome(intent);
}
