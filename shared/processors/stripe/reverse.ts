/**
 * Takes a payment back: what is held is cancelled, what was captured is refunded. Each try has an idempotency key of its own, which the
 * client makes: under the same one Stripe repeats an error for a day. What the payment is by then keeps a second try from doing harm:
 * what is cancelled stays so, and no more than all of it is ever refunded.
 */
import type { ReverseRequest, ReverseResult } from '../processor.js';
import { toStripe } from './amounts.js';
import { readIntent, readRefund, type WireIntent } from './answer.schema.js';
import type { Work } from './calls.js';
import { findIntent, requestOf } from './find-intent.js';
import { KEY } from './to-intent.js';
import { refundOutcome } from './to-outcome.js';

const noAnswer = (internal: string) => ({ kind: 'no-answer', internal }) as const;
const aboutOf = ({ key, amountMinor, currency }: ReverseRequest) => ({ key, amountMinor, currency });

async function cancelled({ call, account }: Work, request: ReverseRequest, { id }: WireIntent): Promise<ReverseResult> {
  // Shown at the dashboard.
  const params = { cancellation_reason: 'abandoned' } as const;
  const called = await call(account, (client) => client.paymentIntents.cancel(id, params, requestOf(account)));
  if (called.kind === 'refused') return noAnswer('the cancellation was refused');
  if (called.kind !== 'answer') return noAnswer(called.internal);
  const isGone = readIntent(called.body)?.status === 'canceled';
  return isGone ? { kind: 'reversed', about: aboutOf(request) } : noAnswer('it is not cancelled');
}

async function refunded(
  { call, account }: Work,
  request: ReverseRequest,
  { id, amount }: WireIntent,
): Promise<ReverseResult> {
  const params = { payment_intent: id, amount, metadata: { [KEY]: request.key } };
  const called = await call(account, (client) => client.refunds.create(params, requestOf(account)));
  if (called.kind === 'refused') {
    const isBack = called.fault.code === 'charge_already_refunded';
    return isBack ? { kind: 'reversed', about: aboutOf(request) } : noAnswer('the refund was refused');
  }
  if (called.kind !== 'answer') return noAnswer(called.internal);
  const refund = readRefund(called.body);
  const outcome = refund && refundOutcome(refund);
  if (outcome?.kind !== 'approved' && outcome?.kind !== 'pending') return noAnswer('the refund did not succeed');
  return { kind: 'reversed', ...(outcome.about && { about: outcome.about }), ticket: refund?.id ?? '' };
}

export async function reverse(work: Work, request: ReverseRequest): Promise<ReverseResult> {
  const { original, originalReferences, amountMinor, currency } = request;
  const found = await findIntent(work.call, work.account, original, originalReferences);
  if (found.kind === 'not-found') return { kind: 'nothing-found' };
  if (found.kind !== 'intent') return noAnswer(found.internal);
  const { intent } = found;
  if (intent.amount !== toStripe(amountMinor, currency) || intent.currency.toUpperCase() !== currency) {
    return noAnswer('the PaymentIntent has another amount');
  }
  if (intent.status === 'canceled') return { kind: 'reversed', about: aboutOf(request) };
  if (intent.status === 'processing') return noAnswer('the PaymentIntent is still being processed');
  return intent.status === 'succeeded' ? refunded(work, request, intent) : cancelled(work, request, intent);
}
