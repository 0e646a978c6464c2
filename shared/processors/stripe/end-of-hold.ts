import type { ExternalOperation } from '../answers.js';
import { fromStripe } from './amounts.js';
import type { WireIntent } from './answer.schema.js';

/** Stripe's own reasons for an expired hold; `automatic` is that of API versions before `2025-03-31.basil`. The caller gives all others. */
const expiredReasons: ReadonlySet<unknown> = new Set(['expired', 'automatic']);

/** Returns how a hold ended at Stripe, which is final; `{}` when it has not ended, or its amount has no value in our minor units. */
export function endOfHold(intent: WireIntent, of: string): { readonly done?: ExternalOperation } {
  const { status, amount_received: received, capture_method: method, cancellation_reason: reason } = intent;
  if (status === 'canceled')
    return { done: { kind: 'cancellation', of, ...(expiredReasons.has(reason) && { ranOut: true }) } };
  const currency = intent.currency.toUpperCase();
  const amountMinor = fromStripe(received ?? 0, currency);
  if (status !== 'succeeded' || method !== 'manual' || !amountMinor) return {};
  return { done: { kind: 'capture', of, amountMinor, currency } };
}
