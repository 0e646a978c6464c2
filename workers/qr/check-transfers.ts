/**
 * Asks the bank about codes whose payment has ended: money may arrive late, or twice. Such transfers are recorded, flagged and announced.
 */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planChecked } from '../../shared/domain/payment/plan-transfer.js';
import { askBank } from '../ask-bank.js';
import { changePayment, planContext } from '../payment-work.js';
import { workPage } from '../sweep-parts.js';
import type { TransferDeps } from './await-transfer.handler.js';

async function check(deps: TransferDeps, payment: Payment): Promise<true> {
  const answer = await askBank(deps.processors.get(payment.processor), payment, deps.clock.now());
  await changePayment(deps, payment, (current) => planChecked(current, answer, planContext(deps)));
  return true;
}

/** Checks one page of due payments; returns how many were checked. */
export async function checkTransfers(deps: TransferDeps): Promise<number> {
  const now = deps.clock.now();
  return workPage(
    (limit, skip) => deps.payments.findTransferChecks(now, limit, skip),
    (payment) =>
      check(deps, payment).catch((error: unknown) => {
        deps.log.warn('transfer.not-checked', { paymentId: payment._id, error });
        return false;
      }),
  );
}
