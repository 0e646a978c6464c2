/** Starts the work that a payment's deadline asks for: a delayed capture, or the release of an authorization that runs out. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planDeadline } from '../../shared/domain/payment/plan-deadline.js';
import { planChallengeDeadline } from '../../shared/domain/threeds/plan-authentication.js';
import { newTransactionId } from '../../shared/ids.js';
import { SaveConflictError } from '../../shared/store/payment.repository.js';
import { type ChangeDeps, changePayment } from '../payment-work.js';
import { workPage } from '../sweep-parts.js';

/** Settles one due payment. The compare-and-set makes it happen once, however many processes see it. A failure holds up no other one. */
async function settleDeadline(deps: ChangeDeps, payment: Payment): Promise<boolean> {
  const plan = (current: Payment) => {
    const now = deps.clock.now();
    return current.deadline?.kind === 'challenge'
      ? planChallengeDeadline(current, now)
      : planDeadline(current, { now, txId: newTransactionId() });
  };
  try {
    const saved = await changePayment(deps, payment, plan);
    if (saved?.work) {
      const { kind, txId } = saved.work;
      deps.log.info('deadline.started', { paymentId: saved._id, txId, kind, traceId: saved.traceId });
    }
    return true;
  } catch (error) {
    if (error instanceof SaveConflictError) deps.log.warn('deadline.contended', { paymentId: payment._id });
    else deps.log.error('deadline.not-settled', { paymentId: payment._id, error });
    return false;
  }
}

/** Starts the work of one page of due deadlines; returns how many payments were checked. */
export async function settleDeadlines(deps: ChangeDeps): Promise<number> {
  const now = deps.clock.now();
  return workPage(
    (limit, skip) => deps.payments.findDueDeadlines(now, limit, skip),
    (payment) => settleDeadline(deps, payment),
  );
}
