/** The evidence by which a run is judged. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { dedupes } from '../../../shared/processors/capabilities.js';
import type { LedgerEntry } from '../../../shared/processors/processor.js';
import type { Exchange } from './caller.js';
import type { Received } from './receivers.js';

export interface Evidence {
  readonly payments: readonly Payment[];
  readonly ledger: readonly LedgerEntry[];
  readonly exchanges: readonly Exchange[];
  readonly received: readonly Received[];
  /** Payments that violated an invariant at any moment. */
  readonly orphanIds: ReadonlySet<string>;
  /** How often a sender of callbacks was killed. */
  readonly senderKills: number;
  /** When MongoDB was unavailable (ms since the epoch): `503` is a right answer then. */
  readonly outages: readonly { readonly from: number; readonly to: number }[];
}

/**
 * Whether a person decides (docs/reliability.md, "Sending"): about a capture or cancellation that the processor does not know, and
 * that must not be sent again because the processor would execute it twice. The payment has to be flagged.
 */
export function waitsForPerson(payment: Payment): boolean {
  const { processor, activeOp, alerts = [] } = payment;
  return !dedupes(processor) && (activeOp?.kind === 'capture' || activeOp?.kind === 'cancel') && alerts.length > 0;
}
