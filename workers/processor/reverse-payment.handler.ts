/** Reverses an authorization that could not be resolved, so that the payment can be called failed. */

import type { Payment } from '../../shared/domain/payment/payment.js';
import { planNextRoute } from '../../shared/domain/payment/plan-next-route.js';
import {
  lateApprovalReversed,
  partReversedOutcome,
  planUnconfirmedReversal,
  withReversalApproved,
} from '../../shared/domain/payment/plan-reversal.js';
import { settle } from '../../shared/domain/payment/settle.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { findTransaction } from '../../shared/domain/payment/transaction.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import type { ReverseResult } from '../../shared/processors/processor.js';
import { byHolder, type Claimed } from '../payment-work.js';
import { type ProcessorDeps, processorContext, processorOf } from './processor-context.js';
import { reverseRequest } from './processor-requests.js';
import { settleOutcome } from './settle-outcome.js';

async function reverse(deps: ProcessorDeps, claimed: Claimed): Promise<ReverseResult> {
  const { work, payment } = claimed;
  const processor = processorOf(deps, claimed);
  if (!processor) return { kind: 'no-answer', internal: 'the processor is not configured in this process' };
  return processor.reverse(reverseRequest(payment, work.txId));
}

const reversedOutcome = {
  kind: 'failed',
  resultCode: responseCodes.issuerInoperative,
  resultMessage: 'No outcome; reversed',
} as const;

const leftAsReversed = { reason: 'reversed', outcome: reversedOutcome } as const;

/** Plans the end of a reversal: nothing of the authorization is in effect at the processor any more. */
export function planReversed(
  deps: ProcessorDeps,
  claimed: Pick<Claimed, 'work' | 'payment'>,
  payment: Payment,
  ticket?: string,
): Payment {
  const { txId } = claimed.work;
  const context = processorContext(deps, claimed);
  const tx = findTransaction(payment, txId);
  if (!tx || !isOpen(tx.status)) return lateApprovalReversed(payment, txId, context.now, ticket);
  const marked = withReversalApproved(payment, txId, context.now, ticket);
  if (tx.approvedMinor !== undefined) return settle(marked, txId, partReversedOutcome, context);
  return planNextRoute(marked, txId, leftAsReversed, context) ?? settle(marked, txId, reversedOutcome, context);
}

function planAnswer(deps: ProcessorDeps, claimed: Claimed, answer: ReverseResult) {
  return byHolder(claimed, (payment, work) => {
    if (answer.kind === 'reversed') return planReversed(deps, claimed, payment, answer.ticket);
    const plan = planUnconfirmedReversal(payment, work, answer, processorContext(deps, claimed));
    return plan === 'nothing-to-reverse' ? planReversed(deps, claimed, payment) : plan;
  });
}

export async function handleReversal(deps: ProcessorDeps, claimed: Claimed): Promise<string> {
  const answer = await reverse(deps, claimed);
  if (answer.kind === 'no-answer') claimed.log.warn('processor.no-answer', { reason: answer.internal });
  await settleOutcome(deps, claimed, planAnswer(deps, claimed, answer));
  return `reversal-${answer.kind}`;
}
