/**
 * THE TABLE: everything that can happen to the status of a payment (docs/api.md#states; docs/decisions.md,
 * "final states"). The diagram in docs/states.md is printed from it. A status changes only by a move of this table.
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
  'returned',
  'partly-returned',
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
    // Only for alternative payments: a pending card payment cannot be cancelled, and does not expire by itself.
    cancelled: 'cancelled',
    expired: 'expired',
  },
  authorized: { captured: 'approved', cancelled: 'cancelled', expired: 'expired' },
  approved: {
    'partly-refunded': 'partially-refunded',
    refunded: 'refunded',
    // Only for alternative payments: the money is returned.
    cancelled: 'cancelled',
  },
  'partially-refunded': { 'partly-refunded': 'partially-refunded', refunded: 'refunded' },
  denied: {},
  failed: {},
  cancelled: {},
  refunded: {},
  expired: {},
} as const satisfies Record<PaymentStatus, Moves>;

/**
 * The only exception to "final states never move": the bank returns a refund that was approved, and the merchant has the money
 * again. `returned`: nothing is refunded any more. The status follows the money.
 */
export const corrections = {
  'partially-refunded': { returned: 'approved', 'partly-returned': 'partially-refunded' },
  refunded: { returned: 'approved', 'partly-returned': 'partially-refunded' },
} as const satisfies Partial<Record<PaymentStatus, Moves>>;

const movesBy: Readonly<Record<PaymentStatus, Moves>> = transitions;
const correctionsBy: Partial<Record<PaymentStatus, Moves>> = corrections;

/** Returns all moves of a status, including corrections. */
export const movesOf = (from: PaymentStatus): Moves => ({ ...movesBy[from], ...correctionsBy[from] });

/** Returns the status after `event`, or `undefined` when the table has no such move. */
export function nextStatus(from: PaymentStatus, event: PaymentEventName): PaymentStatus | undefined {
  return movesBy[from][event] ?? correctionsBy[from]?.[event];
}

/** Whether a status has no moves except corrections. Computed from the table, never listed. */
export function isFinal(status: PaymentStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}
