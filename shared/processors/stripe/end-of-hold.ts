import type { DoneThere } from '../answers.js';
import { fromStripe } from './amounts.js';
import type { WireIntent } from './answer.schema.js';

/** Reasons of Stripe's own; `automatic` is the one of API versions before `2025-03-31.basil`. All others are of who cancelled it. */
const ranOut: ReadonlySet<unknown> = new Set(['expired', 'automatic']);

/** How a hold ended at Stripe, which never moves a PaymentIntent on from there; `{}`: it did not, or in an amount that has no value in ours. */
export function endOfHold(intent: WireIntent, of: string): { readonly done?: DoneThere } {
  const { status, amount_received: received, capture_method: method, cancellation_reason: reason } = intent;
  if (status === 'canceled') return { done: { kind: 'cancellation', of, ...(ranOut.has(reason) && { ranOut: true }) } };
  const currency = intent.currency.toUpperCase();
  const amountMinor = fromStripe(received ?? 0, currency);
  if (status !== 'succeeded' || method !== 'manual' || !amountMinor) return {};
  return { done: { kind: 'capture', of, amountMinor, currency } };
}
