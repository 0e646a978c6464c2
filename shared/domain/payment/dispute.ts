/** Disputes of a payment (chargebacks), as the processor reports them. `plan-dispute.ts` is what they do. */
import { count, oneOf, optional, record, type Stored, text, time } from '../described.js';

/**
 * `inquiry`: the issuer asks, no money moved. `open`: the money was taken back (a chargeback). `under-review`: evidence was sent.
 * `won`, `lost`: how it ended. `closed`: an inquiry that ended without a chargeback.
 */
export const disputeStatuses = ['inquiry', 'open', 'under-review', 'won', 'lost', 'closed'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

export const dispute = record({
  /** The processor's id of it. */
  id: text,
  status: oneOf(...disputeStatuses),
  amountMinor: count,
  /** ISO 4217 alphabetic code; it may be another one than the payment's. */
  currency: text,
  /** In the processor's words, for example `fraudulent`. */
  reason: optional(text),
  /** The network's reason code, for example `10.4`. */
  networkReasonCode: optional(text),
  respondBy: optional(time),
  openedAt: time,
  /** When it reached this status, as the processor says. */
  updatedAt: time,
});
export interface Dispute extends Stored<typeof dispute> {}
