import type { DoneThere } from '../answers.js';
import { fromStripe } from './amounts.js';
import type { WireIntent } from './answer.schema.js';

/** How a hold ended at Stripe, which never moves a PaymentIntent on from there; `{}`: it did not, or in an amount that has no value in ours. */
export function endOfHold(intent: WireIntent, of: string): { readonly done?: DoneThere } {
  const { status, amount_received: received, capture_method: method } = intent;
  if (status === 'canceled') return { done: { kind: 'cancellation', of } };
  const currency = intent.currency.toUpperCase();
  const amountMinor = fromStripe(received ?? 0, currency);
  if (status !== 'succeeded' || method !== 'manual' || !amountMinor) return {};
  return { done: { kind: 'capture', of, amountMinor, currency } };
}
