/** Asks the bank whether a code was paid: the end of the payment, or the next question. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planAsked, planNotAnswered, type TransferAnswer } from '../../shared/domain/payment/plan-transfer.js';
import { type Claimed, planContext, type RecordDeps, record } from '../payment-work.js';
import type { PoolDeps } from '../pool.js';
import { merchantOf, referencesOf } from '../processor-merchant.js';

export type TransferDeps = RecordDeps & Pick<PoolDeps, 'processors' | 'renderCallback' | 'schedule'>;

/** What the bank knows of the code of a payment; `undefined`: it does not answer. */
export async function askBank(
  { processors, clock }: Pick<PoolDeps, 'processors' | 'clock'>,
  payment: Payment,
): Promise<TransferAnswer | undefined> {
  const askedAt = clock.now();
  const processor = processors.get(payment.processor);
  const key = payment.transactions[0]?.id;
  if (!processor?.findTransfers || key === undefined) return undefined;
  const { acquirer, traceId } = payment;
  const { totalMinor: amountMinor, currency } = payment.amount;
  const answer = await processor.findTransfers({
    key,
    operation: 'issue-code',
    acquirer,
    merchant: merchantOf(payment),
    traceId,
    amountMinor,
    currency,
    references: referencesOf(payment.transactions[0]),
  });
  if (answer.kind === 'no-answer') return undefined;
  return answer.kind === 'found' ? { ...answer, askedAt } : { transfers: [], askedAt };
}

export async function handleTransfer(deps: TransferDeps, claimed: Claimed): Promise<string> {
  const answer = await askBank(deps, claimed.payment);
  if (!answer) {
    claimed.log.warn('transfer.no-answer', { reason: 'the bank does not answer' });
    await record(deps, claimed, (payment, work) => planNotAnswered(payment, work, planContext(deps)));
    return 'no-answer';
  }
  const written = await record(deps, claimed, (payment, work) => planAsked(payment, work, answer, planContext(deps)));
  // What came may be another amount, which the bank repeats at every question until the end.
  return written?.status === 'approved' ? 'paid' : 'asked';
}
