/** Asks the bank whether a payment's code was paid. */
import type { Payment } from '../shared/domain/payment/payment.js';
import type { TransferAnswer } from '../shared/domain/payment/plan-transfer.js';
import type { Processor } from '../shared/processors/processor.js';
import { merchantOf, referencesOf } from './processor-merchant.js';

/**
 * Returns what the bank knows of the code of a payment; `undefined`: the bank does not answer.
 * @param processor the payment's own processor; `undefined`: this process has none
 * @param askedAt now
 */
export async function askBank(
  processor: Processor | undefined,
  payment: Payment,
  askedAt: Date,
): Promise<TransferAnswer | undefined> {
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
