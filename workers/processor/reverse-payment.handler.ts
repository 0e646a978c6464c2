/** Takes an authorization back that could not be resolved, so that it can be called failed. */

import type { Payment } from '../../shared/domain/payment/payment.js';
import {
  lateApprovalReversed,
  planUnconfirmedReversal,
  reversalConfirmed,
} from '../../shared/domain/payment/plan-unresolved.js';
import { settle } from '../../shared/domain/payment/settle.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import type { ReverseResult } from '../../shared/processors/processor.js';
import { type Claimed, type ProcessorPoolDeps, settleContext, unresolvedContext } from './context.js';
import { reverseRequest } from './processor-requests.js';
import { type Plan, record } from './record.js';

async function reverse({ processor, work, payment }: Claimed): Promise<ReverseResult> {
  if (!processor) return { kind: 'no-answer', internal: 'the processor is not configured in this process' };
  return processor.reverse(reverseRequest(payment, work.txId));
}

/** ISO 8583 code 10: approved for a part. */
const partReversed = {
  kind: 'declined',
  resultCode: '10',
  resultMessage: 'Partial approval; reversed',
  declineCode: 'partial_approval',
} as const;

const reversed = { kind: 'failed', resultCode: '91', resultMessage: 'No outcome; reversed' } as const;

function confirmed(deps: ProcessorPoolDeps, claimed: Claimed, payment: Payment, ticket?: string): Payment {
  const { txId } = claimed.work;
  const context = settleContext(deps, claimed.processor?.traits);
  const tx = payment.transactions.find(({ id }) => id === txId);
  if (!tx || !isOpen(tx.status)) return lateApprovalReversed(payment, txId, context.now, ticket);
  const ended = tx.approvedMinor === undefined ? reversed : partReversed;
  return settle(reversalConfirmed(payment, txId, context.now, ticket), txId, ended, context);
}

function planAnswer(deps: ProcessorPoolDeps, claimed: Claimed, answer: ReverseResult): Plan {
  return (payment) => {
    const { work } = payment;
    if (!work || work.leaseToken !== claimed.work.leaseToken) return undefined;
    if (answer.kind === 'reversed') return confirmed(deps, claimed, payment, answer.ticket);
    const context = unresolvedContext(deps, claimed.processor?.traits);
    const plan = planUnconfirmedReversal(payment, work, answer.kind, context);
    return plan === 'confirmed' ? confirmed(deps, claimed, payment) : plan;
  };
}

export async function handleReversal(deps: ProcessorPoolDeps, claimed: Claimed): Promise<string> {
  const answer = await reverse(claimed);
  if (answer.kind === 'no-answer') claimed.log.warn('processor.no-answer', { reason: answer.internal });
  await record(deps, claimed, planAnswer(deps, claimed, answer));
  return `reversal-${answer.kind}`;
}
