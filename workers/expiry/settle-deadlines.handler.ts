/** Starts what the deadline of a payment asks for: delayed capture, or the release of an authorization that runs out. */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planDeadline } from '../../shared/domain/payment/plan-deadline.js';
import { planChallengeDeadline } from '../../shared/domain/threeds/plan-authentication.js';
import { newTransactionId } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import type { Hints } from '../../shared/queue/hints.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import { type PaymentRepository, SaveConflictError } from '../../shared/store/payment.repository.js';

export interface DeadlineDeps {
  readonly payments: PaymentRepository;
  readonly hints: Hints;
  readonly clock: Clock;
  readonly log: Log;
}

/** One due payment. The compare-and-set makes it happen once, however many processes see it. */
async function settleDeadline(deps: DeadlineDeps, payment: Payment): Promise<void> {
  const plan = (current: Payment) => {
    const now = deps.clock.now();
    return current.deadline?.kind === 'challenge'
      ? planChallengeDeadline(current, now)
      : planDeadline(current, { now, txId: newTransactionId() });
  };
  try {
    const saved = await deps.payments.update(payment, plan);
    if (!saved?.work) return;
    const { kind, txId, gen } = saved.work;
    deps.log.info('deadline.started', { paymentId: saved._id, txId, kind, traceId: saved.traceId });
    void deps.hints.add(workPayment[kind], { paymentId: saved._id, txId, gen, traceId: saved.traceId });
  } catch (error) {
    if (!(error instanceof SaveConflictError)) throw error;
    deps.log.warn('deadline.contended', { paymentId: payment._id });
  }
}

/** Starts all that is due; answers how many payments were looked at. */
export async function settleDeadlines(deps: DeadlineDeps): Promise<number> {
  const due = await deps.payments.findDueDeadlines(deps.clock.now(), limits.sweepPageMax);
  await Promise.all(due.map((payment) => settleDeadline(deps, payment)));
  return due.length;
}
