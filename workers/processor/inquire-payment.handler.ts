/** Asks the processor by our own key what became of an operation, and resolves it (docs/reliability.md, "Sending"). */
import { planNoAnswer, planNotFound, planPending } from '../../shared/domain/payment/plan-unresolved.js';
import type { InquireResult } from '../../shared/processors/processor.js';
import { type Claimed, type ProcessorPoolDeps, unresolvedContext } from './context.js';
import { inquireRequest } from './processor-requests.js';
import { type Plan, planFor, record } from './record.js';

async function ask({ processor, work, payment }: Claimed): Promise<InquireResult> {
  if (!processor) return { kind: 'no-answer', internal: 'the processor is not configured in this process' };
  return processor.inquire(inquireRequest(payment, work.txId));
}

/** It did not happen and will not. */
const notDone = { kind: 'failed', resultCode: '25', resultMessage: 'Unknown to the processor' } as const;

function planAnswer(deps: ProcessorPoolDeps, claimed: Claimed, answer: InquireResult): Plan {
  if (answer.kind === 'found' && answer.outcome.kind !== 'pending') return planFor(deps, claimed, answer.outcome);
  return (payment) => {
    const { work } = payment;
    if (!work || work.leaseToken !== claimed.work.leaseToken) return undefined;
    const context = unresolvedContext(deps, claimed.processor?.traits);
    if (answer.kind === 'found') return planPending(payment, work, answer.outcome, context);
    if (answer.kind === 'no-answer') return planNoAnswer(payment, work, context);
    const plan = planNotFound(payment, work, context);
    return plan.kind === 'next' ? plan.payment : planFor(deps, claimed, notDone)(payment);
  };
}

export async function handleInquiry(deps: ProcessorPoolDeps, claimed: Claimed): Promise<string> {
  const answer = await ask(claimed);
  if (answer.kind === 'no-answer') claimed.log.warn('processor.no-answer', { reason: answer.internal });
  await record(deps, claimed, planAnswer(deps, claimed, answer));
  return `inquiry-${answer.kind}`;
}
