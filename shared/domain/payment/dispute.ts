/** Disputes of a payment (chargebacks), as the processor reports them. `plan-dispute.ts` applies them to the payment. */
import { count, oneOf, optional, record, type Stored, text, time } from '../described.js';

/**
 * `inquiry`: the issuer asks, no money moved. `open`: the money was taken back (a chargeback). `under-review`: evidence was sent.
 * `won`, `lost`: how it ended. `closed`: an inquiry that ended without a chargeback, or a dispute that was blocked; no money moved.
 */
export const disputeStatuses = ['inquiry', 'open', 'under-review', 'won', 'lost', 'closed'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

export const dispute = record({
  /** The processor's id of the dispute. */
  id: text,
  status: oneOf(...disputeStatuses),
  amountMinor: count,
  /** ISO 4217 alphabetic code; may differ from the payment's currency. */
  currency: text,
  /** In the processor's words, for example `fraudulent`. */
  reason: optional(text),
  /** The network's reason code, for example `10.4`. */
  networkReasonCode: optional(text),
  respondBy: optional(time),
  openedAt: time,
  /** When the dispute reached this status, according to the processor. */
  updatedAt: time,
});
export interface Dispute extends Stored<typeof dispute> {}
