/** Asks the bank whether a code was paid. The answer ends the payment, or the bank is asked again later. */
import { planAsked, planNotAnswered } from '../../shared/domain/payment/plan-transfer.js';
import { askBank } from '../ask-bank.js';
import { type Claimed, planContext, type RecordDeps, recordResult } from '../payment-work.js';
import type { PoolDeps } from '../pool.js';

export type TransferDeps = RecordDeps & Pick<PoolDeps, 'processors' | 'renderCallback' | 'schedule'>;

export async function handleTransfer(deps: TransferDeps, claimed: Claimed): Promise<string> {
  const answer = await askBank(deps.processors.get(claimed.payment.processor), claimed.payment, deps.clock.now());
  if (!answer) {
    claimed.log.warn('transfer.no-answer', { reason: 'the bank does not answer' });
    await recordResult(deps, claimed, (payment, work) => planNotAnswered(payment, work, planContext(deps)));
    return 'no-answer';
  }
  const written = await recordResult(deps, claimed, (payment, work) =>
    planAsked(payment, work, answer, planContext(deps)),
  );
  // A transfer may have another amount; then the bank reports it at every inquiry until the code expires.
  return written?.status === 'approved' ? 'paid' : 'asked';
}
