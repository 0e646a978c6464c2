/** Asks about approved refunds again, on the schedule: a bank may return one days later. */
import { limits } from '../../config/limits.js';
import type { Payment, RefundCheck } from '../../shared/domain/payment/payment.js';
import { dueRefundChecks, planFailedRefund, planNextCheck } from '../../shared/domain/payment/plan-refund-check.js';
import { newTransactionId } from '../../shared/ids.js';
import type { ProcessorPoolDeps } from './context.js';

async function checkRefund(deps: ProcessorPoolDeps, payment: Payment, { txId }: RefundCheck): Promise<void> {
  const { acquirer, traceId } = payment;
  const answer = await deps.processors.get(payment.processor)?.inquire({ key: txId, acquirer, traceId });
  const failed = answer?.kind === 'found' && (answer.outcome.kind === 'failed' || answer.outcome.kind === 'declined');
  const saved = await deps.payments.update(payment, (current) => {
    const now = deps.clock.now();
    if (!dueRefundChecks(current, now).some((check) => check.txId === txId)) return undefined;
    if (!failed) return planNextCheck(current, txId, now, deps.schedule.refundCheckAfterMs);
    const context = { now, newTxId: newTransactionId(), renderCallback: deps.renderCallback };
    return planFailedRefund(current, txId, answer.outcome as { resultCode: string; resultMessage: string }, context);
  });
  if (!saved || !failed) return;
  deps.metrics.event('work-flagged');
  deps.log.error('refund.failed-later', { paymentId: payment._id, txId, traceId });
}

/** Asks about all that is due; answers how many payments were looked at. */
export async function checkRefunds(deps: ProcessorPoolDeps, now: Date): Promise<number> {
  const due = await deps.payments.findRefundChecks(now, limits.sweepPageMax);
  await Promise.all(
    due.flatMap((payment) =>
      dueRefundChecks(payment, now).map((check) =>
        checkRefund(deps, payment, check).catch((error: unknown) => {
          deps.log.warn('refund.not-checked', { paymentId: payment._id, txId: check.txId, error });
        }),
      ),
    ),
  );
  return due.length;
}
