/** Inquires by our own key what became of an operation, and resolves it (docs/reliability.md, "Sending"). */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planNoAnswer, planNotFound, planPending } from '../../shared/domain/payment/plan-unresolved.js';
import { isLostByRestore, operationInProgress } from '../../shared/domain/payment/work.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import { after } from '../../shared/domain/time.js';
import type { InquireRequest, InquireResult } from '../../shared/processors/processor.js';
import { TokenGoneError } from '../open-card.js';
import { byHolder, type Claimed, type Plan } from '../payment-work.js';
import { type ProcessorDeps, processorContext, processorOf } from './processor-context.js';
import { authorizeRequest, followUpRequest, inquireRequest } from './processor-requests.js';
import { planSendResult, settleOutcome } from './settle-outcome.js';

/** Whether the payer left too long ago for anything to be sent. */
export const isPastAuthorizeBy = ({ clock }: Pick<ProcessorDeps, 'clock'>, { authorizeBy }: Payment) =>
  authorizeBy < clock.now();

/**
 * Returns the request that was sent, for a processor that repeats its first answer instead of being asked. Empty when it must not be sent
 * any more: an authorization for a payer who left, or of a saved card that was deleted since.
 */
async function rebuildSentRequest(
  deps: ProcessorDeps,
  { payment, work }: Claimed,
): Promise<Pick<InquireRequest, 'sentRequest'>> {
  if (operationInProgress(payment) !== 'authorize') return { sentRequest: followUpRequest(payment, work.txId) };
  if (isPastAuthorizeBy(deps, payment)) return {};
  try {
    return { sentRequest: await authorizeRequest(deps, payment, work.txId) };
  } catch (error) {
    if (error instanceof TokenGoneError) return {};
    throw error;
  }
}

async function ask(deps: ProcessorDeps, claimed: Claimed): Promise<InquireResult> {
  const { work, payment, log } = claimed;
  const processor = processorOf(deps, claimed);
  if (!processor) return { kind: 'no-answer', internal: 'the processor is not configured in this process' };
  const request: InquireRequest = {
    ...inquireRequest(payment, work.txId),
    ...(isLostByRestore(work, processor.traits) && { restored: true }),
  };
  if (!processor.traits.inquiresBySending) return processor.inquire(request);
  try {
    const again = await rebuildSentRequest(deps, claimed);
    // Such an inquiry sends: a process that slept meanwhile must not do so, maybe long after the payer has left.
    if (!claimed.mayStillSend()) {
      const knowsOutcomeAt = after(deps.clock.now(), deps.schedule.notSentRetryMs);
      return { kind: 'no-answer', internal: 'too long since the claim', knowsOutcomeAt };
    }
    return await processor.inquire({ ...request, ...again });
  } catch (error) {
    log.error('processor.send-failed', { error });
    return { kind: 'no-answer', internal: error instanceof Error ? error.name : 'error' };
  }
}

/** Outcome of an operation that did not happen and will not happen. */
const notDone = {
  kind: 'failed',
  resultCode: responseCodes.unknownRecord,
  resultMessage: 'Unknown to the processor',
} as const;

function planAnswer(deps: ProcessorDeps, claimed: Claimed, answer: InquireResult): Plan {
  if (answer.kind === 'found' && answer.outcome.kind !== 'pending')
    return planSendResult(deps, claimed, answer.outcome);
  return byHolder(claimed, (payment, work) => {
    const context = processorContext(deps, claimed);
    if (answer.kind === 'found') return planPending(payment, work, answer.outcome, context);
    if (answer.kind === 'no-answer') return planNoAnswer(payment, work, context, answer.knowsOutcomeAt);
    const plan = planNotFound(payment, work, context);
    return plan === 'failed' ? planSendResult(deps, claimed, notDone)(payment) : plan;
  });
}

export async function handleInquiry(deps: ProcessorDeps, claimed: Claimed): Promise<string> {
  const answer = await ask(deps, claimed);
  if (answer.kind === 'no-answer') claimed.log.warn('processor.no-answer', { reason: answer.internal });
  await settleOutcome(deps, claimed, planAnswer(deps, claimed, answer));
  return `inquiry-${answer.kind}`;
}
