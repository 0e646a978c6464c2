/**
 * THE TABLE: everything that can happen to the status of a payment (contract, "States and transitions"; docs/decisions.md,
 * "final states"). The diagram in docs/states.md is printed from it. A status changes only by a move that stands here.
 */
import type { PaymentStatus } from './statuses.js';

/** What happened, in the past tense. */
export const paymentEvents = [
  'submitted',
  'authorized',
  'purchased',
  'declined',
  'failed',
  'captured',
  'cancelled',
  'expired',
  'partly-refunded',
  'refunded',
] as const;
export type PaymentEventName = (typeof paymentEvents)[number];

type Moves = Partial<Record<PaymentEventName, PaymentStatus>>;

export const transitions = {
  created: { submitted: 'pending' },
  pending: {
    authorized: 'authorized',
    purchased: 'approved',
    declined: 'denied',
    failed: 'failed',
    // Alternative payments only: a card payment that is pending cannot be cancelled, and has no expiry of its own.
    cancelled: 'cancelled',
    expired: 'expired',
  },
  authorized: { captured: 'approved', cancelled: 'cancelled', expired: 'expired' },
  approved: {
    'partly-refunded': 'partially-refunded',
    refunded: 'refunded',
    // Alternative payments only: the money goes back.
    cancelled: 'cancelled',
  },
  'partially-refunded': { 'partly-refunded': 'partially-refunded', refunded: 'refunded' },
  denied: {},
  failed: {},
  cancelled: {},
  refunded: {},
  expired: {},
} as const satisfies Record<PaymentStatus, Moves>;

/** The status after `event`, or `undefined` when the table has no such move. */
export function nextStatus(from: PaymentStatus, event: PaymentEventName): PaymentStatus | undefined {
  return (transitions[from] as Moves)[event];
}

/** A status without moves: computed from the table, never listed. */
export function isFinal(status: PaymentStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}
