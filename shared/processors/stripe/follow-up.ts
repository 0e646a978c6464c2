/**
 * Sends a capture, cancellation or refund of a PaymentIntent, under our transaction id as the idempotency key.
 *
 * Stripe stores an error 5xx under its key and repeats it for a day. A repeated error shows that the request is no longer being
 * processed. The operation is then sent once more under a new key, but only if Stripe cannot carry it out twice.
 */
import type { Stripe } from 'stripe';
import type { FollowUpRequest, SendResult } from '../processor.js';
import { toStripe } from './amounts.js';
import { readIntent, readRefund, type WireIntent } from './answer.schema.js';
import type { CallContext, CallResult } from './calls.js';
import { failedOf, followUpRefusal, noOriginal } from './declines.js';
import { endOfHold } from './end-of-hold.js';
import { findIntent, requestOf } from './find-intent.js';
import { inquire } from './inquire.js';
import { CAPTURE_KEY, KEY } from './to-intent.js';
import { cancelOutcome, captureOutcome, refundOutcome } from './to-outcome.js';

export type FollowUpOperation = 'capture' | 'cancel' | 'refund';

interface FollowUp {
  post(
    client: Stripe,
    request: FollowUpRequest,
    intent: WireIntent,
    options: ReturnType<typeof requestOf>,
  ): Promise<unknown>;
  /** Returns the outcome in the answer; `undefined` when it has another shape. */
  read(body: unknown, request: FollowUpRequest): SendResult | undefined;
  /** Whether Stripe carries the operation out once only, under whatever keys it arrives. */
  happensOnce(request: FollowUpRequest, intent: WireIntent): boolean;
}

const unknown = (internal: string) => ({ kind: 'unknown', internal }) as const;
const unreadable = unknown('the answer has another shape');

const minorOf = ({ amountMinor, currency }: FollowUpRequest): number => toStripe(amountMinor, currency) ?? 0;

const operations: Readonly<Record<FollowUpOperation, FollowUp>> = {
  capture: {
    post: (client, request, { id }, options) => {
      const metadata = { [CAPTURE_KEY]: request.key };
      const params = { amount_to_capture: minorOf(request), metadata, expand: ['latest_charge'] };
      return client.paymentIntents.capture(id, params, options);
    },
    read: (body, { key }) => {
      const intent = readIntent(body);
      if (intent?.status !== 'succeeded') return intent && unknown(`the PaymentIntent is ${intent.status}`);
      return captureOutcome(intent, key);
    },
    happensOnce: () => true,
  },
  cancel: {
    post: (client, _request, { id }, options) => client.paymentIntents.cancel(id, {}, options),
    read: (body, { key }) => {
      const intent = readIntent(body);
      if (intent?.status !== 'canceled') return intent && unknown(`the PaymentIntent is ${intent.status}`);
      return cancelOutcome(intent, key);
    },
    happensOnce: () => true,
  },
  refund: {
    post: (client, request, { id }, options) => {
      const params = { payment_intent: id, amount: minorOf(request), metadata: { [KEY]: request.key } };
      return client.refunds.create(params, options);
    },
    read: (body) => {
      const made = readRefund(body);
      return made && refundOutcome(made);
    },
    // Stripe refunds no more than was received: of more than half of it there is one refund only. A smaller one could be made twice,
    // because Stripe may complete a failed request later, after an incident (docs.stripe.com/error-low-level).
    happensOnce: (request, { amount_received: received }) =>
      Boolean(received) && 2 * minorOf(request) > (received ?? 0),
  },
};

/** Returns the PaymentIntent that the operation acts on, or the result of the operation when there is none. */
async function originalOf({ call, account }: CallContext, request: FollowUpRequest): Promise<WireIntent | SendResult> {
  const found = await findIntent(call, account, request.original, request.originalReferences);
  if (found.kind === 'intent') return found.intent;
  if (found.kind === 'not-found') return noOriginal;
  if (found.kind === 'refused') return failedOf(found.fault);
  // Only the search failed: nothing of the operation itself was sent.
  return { kind: 'not-sent', internal: found.internal };
}

const isIntent = (value: WireIntent | SendResult): value is WireIntent => 'status' in value;

/** Returns the result of a request under a new key. An earlier request may have had its effect meanwhile, or may still have it. */
async function afterError(
  work: CallContext,
  operation: FollowUpOperation,
  request: FollowUpRequest,
  called: CallResult,
): Promise<SendResult> {
  if (called.kind === 'answer') return operations[operation].read(called.body, request) ?? unreadable;
  if (called.kind !== 'refused') return unknown(called.internal);
  const found = await inquire(work, { ...request, operation, references: {} });
  if (found.kind === 'no-answer') return unknown(found.internal);
  return found.kind === 'found' ? found.outcome : followUpRefusal(called.fault);
}

async function send(
  work: CallContext,
  operation: FollowUpOperation,
  request: FollowUpRequest,
  intent: WireIntent,
): Promise<SendResult> {
  const { call, account } = work;
  const { post, read, happensOnce } = operations[operation];
  const under = (key?: string) => call(account, (client) => post(client, request, intent, requestOf(account, key)));
  const called = await under(request.key);
  if (called.kind === 'answer') return read(called.body, request) ?? unreadable;
  if (called.kind === 'refused') return followUpRefusal(called.fault);
  if (called.kind !== 'unknown' || !called.isRepeated || !happensOnce(request, intent)) return called;
  return afterError(work, operation, request, await under());
}

export async function sendFollowUp(
  work: CallContext,
  operation: FollowUpOperation,
  request: FollowUpRequest,
): Promise<SendResult> {
  const intent = await originalOf(work, request);
  if (!isIntent(intent)) return intent;
  const result = await send(work, operation, request, intent);
  return result.kind === 'declined' ? { ...result, ...endOfHold(intent, request.original) } : result;
}
