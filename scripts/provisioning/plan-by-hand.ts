/** The end of an operation whose outcome a person learned from the processor, and the gateway cannot learn. Pure. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { ProcessorContext } from '../../shared/domain/payment/plan-context.js';
import {
  lateApprovalReversed,
  partReversedOutcome,
  withReversalApproved,
} from '../../shared/domain/payment/plan-reversal.js';
import { type Outcome, settle } from '../../shared/domain/payment/settle.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { refused } from '../../shared/domain/reconcile/plan-import.js';
import { responseCodes } from '../../shared/domain/response-codes.js';

/** `failed`: it has no effect at the processor, and will have none. */
export const outcomesByHand = ['approved', 'failed'] as const;
export type OutcomeByHand = (typeof outcomesByHand)[number];

const outcomes: Record<OutcomeByHand, Outcome> = {
  approved: {
    kind: 'approved',
    resultCode: responseCodes.approved,
    resultMessage: 'Approved, as the processor said when asked',
  },
  failed: {
    kind: 'failed',
    resultCode: responseCodes.unknownRecord,
    resultMessage: 'Not done, as the processor said when asked',
  },
};

export type SettledByHand = { readonly kind: 'settled'; readonly payment: Payment } | ReturnType<typeof refused>;

/** It has no effect at the processor any more: what takes it back is done. */
function planTakenBack(payment: Payment, txId: string, context: ProcessorContext): Payment {
  const tx = payment.transactions.find(({ id }) => id === txId);
  if (!tx || !isOpen(tx.status)) return lateApprovalReversed(payment, txId, context.now);
  const outcome = tx.approvedMinor === undefined ? outcomes.failed : partReversedOutcome;
  return settle(withReversalApproved(payment, txId, context.now), txId, outcome, context);
}

/** Another person, or an answer of the processor, may have been first: how it ended may be another answer than this person's. */
function notAwaited({ transactions }: Payment, txId: string): ReturnType<typeof refused> {
  const tx = transactions.find(({ id }) => id === txId);
  return refused(tx && !isOpen(tx.status) ? `it is ${tx.status} already` : 'the gateway does not wait for it');
}

/**
 * Only what the gateway asks about or takes back, and has raised an alert for: everything else ends by itself.
 * @param txId the transaction, of a reversal the one that is taken back
 */
export function planByHand(
  payment: Payment,
  txId: string,
  said: OutcomeByHand,
  context: ProcessorContext,
): SettledByHand {
  const { work, alerts = [] } = payment;
  if (work?.txId !== txId) return notAwaited(payment, txId);
  if (work.queue !== 'processor') return refused('it is not at a processor');
  if (work.kind !== 'inquire' && work.kind !== 'reverse') return refused('it is still to be sent');
  if (!alerts.some(({ text }) => text.includes(txId))) return refused('the gateway still finds out by itself');
  if (work.kind === 'inquire') return { kind: 'settled', payment: settle(payment, txId, outcomes[said], context) };
  if (said === 'approved') return refused('it is being taken back');
  return { kind: 'settled', payment: planTakenBack(payment, txId, context) };
}
