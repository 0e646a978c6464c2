/** Plans the end of an operation whose outcome a person learned from the processor when the gateway cannot learn it. Pure. */
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

/** `failed`: the operation has no effect at the processor, and will have none. */
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

/** Plans the end of a reversal: the transaction has no effect at the processor any more. */
function planTakenBack(payment: Payment, txId: string, context: ProcessorContext): Payment {
  const tx = payment.transactions.find(({ id }) => id === txId);
  if (!tx || !isOpen(tx.status)) return lateApprovalReversed(payment, txId, context.now);
  const outcome = tx.approvedMinor === undefined ? outcomes.failed : partReversedOutcome;
  return settle(withReversalApproved(payment, txId, context.now), txId, outcome, context);
}

/** Another person, or an answer of the processor, may have ended it first, possibly with a different outcome. */
function notAwaited({ transactions }: Payment, txId: string): ReturnType<typeof refused> {
  const tx = transactions.find(({ id }) => id === txId);
  return refused(tx && !isOpen(tx.status) ? `it is ${tx.status} already` : 'the gateway does not wait for it');
}

/**
 * Plans the end of an operation that the gateway inquires or reverses and has raised an alert for. All others end without a person.
 * @param txId the transaction; for a reversal, the transaction that is reversed
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
  if (work.kind !== 'inquire' && work.kind !== 'reverse') {
    return refused(work.leaseToken ? 'a worker is sending it, or waits for the answer' : 'it is still to be sent');
  }
  if (!alerts.some(({ text }) => text.includes(txId))) return refused('the gateway still finds out by itself');
  if (work.kind === 'inquire') return { kind: 'settled', payment: settle(payment, txId, outcomes[said], context) };
  if (said === 'approved') return refused('it is being taken back');
  return { kind: 'settled', payment: planTakenBack(payment, txId, context) };
}
