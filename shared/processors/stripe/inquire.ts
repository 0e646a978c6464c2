/** Finds the outcome of a key at Stripe: of a PaymentIntent, its capture or cancellation, or a refund. */
import type { InquireRequest, InquireResult, ProcessorReferences } from '../processor.js';
import { readList, readRefund, type WireIntent, type WireRefund } from './answer.schema.js';
import type { CallContext } from './calls.js';
import { findIntent, requestOf } from './find-intent.js';
import { CAPTURE_KEY, KEY } from './to-intent.js';
import { authorizationOutcome, cancelOutcome, captureOutcome, refundOutcome } from './to-outcome.js';

const noAnswer = (internal: string) => ({ kind: 'no-answer', internal }) as const;

/** Adds our key to a refund without one, which was made at the dashboard: found by Stripe's id, its payment shows that it belongs here. */
const withKey = (refund: WireRefund, key: string, { id }: WireIntent): WireRefund =>
  refund.metadata?.[KEY] === undefined && refund.payment_intent === id
    ? { ...refund, metadata: { [KEY]: key } }
    : refund;

/** Finds the refund of this key, by its id or among the refunds of the payment. That list is up to date. */
async function findRefund(
  { call, account }: CallContext,
  key: string,
  references: ProcessorReferences,
  intent: WireIntent,
): Promise<InquireResult> {
  const { processorReference: id } = references;
  const called = await call(account, (client) =>
    id === undefined
      ? client.refunds.list({ payment_intent: intent.id, limit: 100 }, requestOf(account))
      : client.refunds.retrieve(id, {}, requestOf(account)),
  );
  if (called.kind === 'refused') return noAnswer(`refused: ${called.fault.code ?? ''}`);
  if (called.kind !== 'answer') return noAnswer(called.internal);
  const listed = id === undefined ? readList(called.body)?.data : [called.body];
  const refunds = listed?.map(readRefund);
  if (!refunds?.every((one) => one !== undefined)) return noAnswer('the answer has another shape');
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
  if (wasNeverCharged(intent)) return { kind: 'not-found' };
  const outcome = authorizationOutcome(intent);
  return outcome.kind === 'unknown' ? noAnswer(outcome.internal) : { kind: 'found', outcome };
}
