/** Plans the end of a payment whose code was not issued before the code would have expired. Pure. */
import { responseCodes } from '../response-codes.js';
import { after } from '../time.js';
import { submittedIfCreated } from './apply-moves.js';
import type { Payment, Work } from './payment.js';
import type { PlanContext } from './plan-context.js';
import { codeExpiresAt, planAsked, planNotIssued, type TransferAnswer, withTransferChecks } from './plan-transfer.js';

const tooOld = {
  kind: 'failed',
  resultCode: responseCodes.tooLate,
  resultMessage: 'Not sent: accepted too long ago',
} as const;

/**
 * Ends a payment for which no code was issued, as far as the database says. If the database is a restored backup, the payer may have paid
 * since. So what the bank has counts, and the bank is asked again later, as after every code.
 * @param answer absent: the bank does not answer
 */
export function planLateCode(
  payment: Payment,
  work: Work,
  answer: TransferAnswer | undefined,
  context: PlanContext,
): Payment {
  const checks = context.schedule.transferCheckAfterMs.map((ms) => after(context.now, ms));
  const asked = withTransferChecks(payment, checks);
  if (!answer || (answer.transfers.length === 0 && !answer.rejected)) return planNotIssued(asked, tooOld, context);
  const expiresAt = codeExpiresAt(payment, context);
  return planAsked(submittedIfCreated({ ...asked, expiresAt }, context), work, answer, context);
}
