/** Inquires about approved refunds again, on the schedule: a bank may return a refund days later. */
import { limits } from '../../config/limits.js';
import type { Payment, RefundCheck } from '../../shared/domain/payment/payment.js';
import { dueRefundChecks, planNextCheck, planReturnedRefund } from '../../shared/domain/payment/plan-refund-check.js';
import { changePayment, planContext } from '../payment-work.js';
import { workPage } from '../sweep-parts.js';
import type { ProcessorDeps } from './processor-context.js';
import { inquireRequest } from './processor-requests.js';

type Failed = { readonly resultCode: string; readonly resultMessage: string };

/** Returns the failure of a refund; undefined: the refund is unchanged, or its state is unknown. */
async function askAbout(deps: ProcessorDeps, payment: Payment, txId: string): Promise<Failed | undefined> {
  const processor = deps.processors.get(payment.processor);
  // When only our own database knows the refund, an inquiry brings nothing new. It would even take back a refund that has no answer there:
  // a person may have settled it as approved, or a backup may contain it as approved.
  if (!processor || processor.traits.outcomesKeptHere) return undefined;
  const answer = await processor.inquire(inquireRequest(payment, txId));
  const failed = answer.kind === 'found' && (answer.outcome.kind === 'failed' || answer.outcome.kind === 'declined');
  return failed ? (answer.outcome as Failed) : undefined;
}

/**
 * Returns the payment after all answers, in one write: separate writes would only conflict with each other.
 * @param returned receives the refunds that this state returns; emptied before each try of the write
 */
function applyAnswers(
  deps: ProcessorDeps,
  payment: Payment,
  returned: Set<string>,
  answers: ReadonlyMap<string, Failed | undefined>,
): Payment | undefined {
  returned.clear();
  const context = planContext(deps);
  const due = dueRefundChecks(payment, context.now).filter(({ txId }) => answers.has(txId));
  if (due.length === 0) return undefined;
  return due.reduce((current, { txId }) => {
    const failed = answers.get(txId);
    if (!failed) return planNextCheck(current, txId, context.now, context.schedule.refundCheckAfterMs);
    returned.add(txId);
    return planReturnedRefund(current, txId, failed, context);
  }, payment);
}

/** Asks about the due refunds of one payment; returns false when no answer came about any. */
async function checkPayment(deps: ProcessorDeps, payment: Payment, now: Date): Promise<boolean> {
  const answers = new Map<string, Failed | undefined>();
  // A refund about which the processor could not be asked stays due.
  const ask = async ({ txId }: RefundCheck) => {
    try {
      answers.set(txId, await askAbout(deps, payment, txId));
    } catch (error) {
      deps.log.warn('refund.not-checked', { paymentId: payment._id, txId, error });
    }
  };
  const due = dueRefundChecks(payment, now).slice(0, limits.refundChecksAtOnceMax);
  await Promise.all(due.map(ask));
  const returned = new Set<string>();
  const changed = await changePayment(deps, payment, (current) => applyAnswers(deps, current, returned, answers));
  for (const txId of changed ? returned : []) {
    deps.log.error('refund.failed-later', { paymentId: payment._id, txId, traceId: payment.traceId });
  }
  return due.length === 0 || answers.size > 0;
}

/** Inquires about refunds that are due, a page of payments; returns how many payments were checked. */
export function checkRefunds(deps: ProcessorDeps, now: Date): Promise<number> {
  return workPage(
    (limit, skip) => deps.payments.findRefundChecks(now, limit, skip),
    (payment) =>
      checkPayment(deps, payment, now).catch((error: unknown) => {
        deps.log.warn('refund.not-checked', { paymentId: payment._id, error });
        return false;
      }),
  );
}
