/**
 * Notes that the processor holds an approved payment until a person there has reviewed it, and how the review ended. The approval counts,
 * and what follows from the review is reported as an operation of its own: no money and no status moves here. Pure.
 */
import { hasAlert } from './alerted.js';
import type { Payment, Transaction } from './payment.js';
import { planAlert } from './plan-update.js';

export const reviewStates = ['opened', 'accepted', 'rejected'] as const;
export type ReviewState = (typeof reviewStates)[number];

type Reviewed = Pick<Transaction, 'kind' | 'id'>;

const texts = {
  opened: ({ kind, id }) => `${kind} ${id} is held for manual review at the processor; do not deliver before it ends`,
  accepted: ({ kind, id }) => `the manual review of ${kind} ${id} at the processor ended: accepted`,
  rejected: ({ kind, id }) =>
    `the manual review of ${kind} ${id} at the processor ended: rejected; cancel or refund it, unless that follows from there`,
} as const satisfies Record<ReviewState, (tx: Reviewed) => string>;

/** Statuses in which the merchant has the payer's money, will have it, or may still get it. */
const holdsMoney: ReadonlySet<Payment['status']> = new Set([
  'created',
  'pending',
  'authorized',
  'approved',
  'partially-refunded',
]);

/**
 * Alerts a person to the review of a payment, once. `undefined`: nothing is left to decide, or nothing is new. Updates may come in any
 * order: a review that has ended is not opened again.
 */
export function planReview(payment: Payment, tx: Reviewed, state: ReviewState, now: Date): Payment | undefined {
  if (payment.purpose === 'verification' || !holdsMoney.has(payment.status)) return undefined;
  const isOver = hasAlert(payment, texts.accepted(tx)) || hasAlert(payment, texts.rejected(tx));
  return state === 'opened' && isOver ? undefined : planAlert(payment, now, texts[state](tx));
}
