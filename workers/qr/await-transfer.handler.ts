/** Asks the bank whether a code was paid: the end of the payment, or the next question. */

import type { Payment } from '../../shared/domain/payment/payment.js';
import { planAsked, planNotAnswered, type TransferNews } from '../../shared/domain/payment/plan-transfer.js';
import type { Processor } from '../../shared/processors/processor.js';
import { merchantOf, referencesOf } from '../merchant-group.js';
import { type Claimed, type QrPoolDeps, transferContext } from './context.js';
import { record } from './record.js';

/** What the bank knows of the code of a payment; `undefined`: it does not answer. */
export async function askBank(
  processor: Processor | undefined,
  payment: Payment,
  askedAt: Date,
): Promise<TransferNews | undefined> {
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

export async function handleTransfer(deps: QrPoolDeps, claimed: Claimed): Promise<string> {
  const news = await askBank(claimed.processor, claimed.payment, deps.clock.now());
  if (!news) {
    claimed.log.warn('transfer.no-answer', { reason: 'the bank does not answer' });
    await record(deps, claimed, (payment, work) => planNotAnswered(payment, work, transferContext(deps)));
    return 'no-answer';
  }
  await record(deps, claimed, (payment, work) => planAsked(payment, work, news, transferContext(deps)));
  return news.transfers.length > 0 ? 'paid' : 'asked';
}
