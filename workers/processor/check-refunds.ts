/** Asks about approved refunds again, on the schedule: a bank may return one days later. */
import { limits } from '../../config/limits.js';
import type { Payment, RefundCheck } from '../../shared/domain/payment/payment.js';
import { dueRefundChecks, planNextCheck, planReturnedRefund } from '../../shared/domain/payment/plan-refund-check.js';
import type { ProcessorPoolDeps } from './context.js';
import { inquireRequest } from './processor-requests.js';

/** Refunds of one payment that are asked about in one sweep; the others come with the next. */
const ASKED_AT_ONCE_MAX = 16;

type Failed = { readonly resultCode: string; readonly resultMessage: string };

/** What the processor says of one refund now; undefined: it stands, or nobody knows. */
async function askAbout(deps: ProcessorPoolDeps, payment: Payment, txId: string): Promise<Failed | undefined> {
  const answer = await deps.processors.get(payment.processor)?.inquire(inquireRequest(payment, txId));
  const failed = answer?.kind === 'found' && (answer.outcome.kind === 'failed' || answer.outcome.kind === 'declined');
  return failed ? (answer.outcome as Failed) : undefined;
}

/** The payment after all answers: in one state, since each further write would only meet the one before it. */
function applyAnswers(
  deps: ProcessorPoolDeps,
  payment: Payment,
  answers: ReadonlyMap<string, Failed | undefined>,
): Payment | undefined {
  const now = deps.clock.now();
  const due = dueRefundChecks(payment, now).filter(({ txId }) => answers.has(txId));
  if (due.length === 0) return undefined;
  return due.reduce((current, { txId }) => {
    const failed = answers.get(txId);
    if (!failed) return planNextCheck(current, txId, now, deps.schedule.refundCheckAfterMs);
    return planReturnedRefund(current, txId, failed, { now, renderCallback: deps.renderCallback });
  }, payment);
}

async function checkPayment(deps: ProcessorPoolDeps, payment: Payment, now: Date): Promise<void> {
  const answers = new Map<string, Failed | undefined>();
  const ask = async ({ txId }: RefundCheck) => void answers.set(txId, await askAbout(deps, payment, txId));
  await Promise.all(dueRefundChecks(payment, now).slice(0, ASKED_AT_ONCE_MAX).map(ask));
  if (!(await deps.payments.update(payment, (current) => applyAnswers(deps, current, answers)))) return;
  for (const [txId, failed] of answers) {
    if (!failed) continue;
    deps.metrics.event('work-flagged');
    deps.log.error('refund.failed-later', { paymentId: payment._id, txId, traceId: payment.traceId });
  }
}

/** Asks about all that is due; answers how many payments were looked at. */
export async function checkRefunds(deps: ProcessorPoolDeps, now: Date): Promise<number> {
  const due = await deps.payments.findRefundChecks(now, limits.sweepPageMax);
  const checks = due.map((payment) =>
    checkPayment(deps, payment, now).catch((error: unknown) => {
      deps.log.warn('refund.not-checked', { paymentId: payment._id, error });
    }),
  );
  await Promise.all(checks);
  return due.length;
}
