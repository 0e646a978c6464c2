/** A code that was to be issued until after it would have run out. Pure. */
import { responseCodes } from '../response-codes.js';
import { after } from '../time.js';
import { submittedIfCreated } from './apply-moves.js';
import type { Payment, Work } from './payment.js';
import type { PlanContext } from './plan-context.js';
import { codeExpiresAt, planAsked, planNotIssued, type TransferAnswer, withChecks } from './plan-transfer.js';

const tooOld = {
  kind: 'failed',
  resultCode: responseCodes.tooLate,
  resultMessage: 'Not sent: accepted too long ago',
} as const;

/**
 * No code was issued, as far as is known here: a backup may hold it so, and its payer has paid since. What the bank has of it counts, and
 * the bank is asked again later, as after every code.
 * @param answer absent: the bank does not answer
 */
export function planLateCode(
  payment: Payment,
  work: Work,
  answer: TransferAnswer | undefined,
  context: PlanContext,
): Payment {
  const checks = context.schedule.transferCheckAfterMs.map((ms) => after(context.now, ms));
  const asked = withChecks(payment, checks);
  if (!answer || (answer.transfers.length === 0 && !answer.rejected)) return planNotIssued(asked, tooOld, context);
  const expiresAt = codeExpiresAt(payment, context);
  return planAsked(submittedIfCreated({ ...asked, expiresAt }, context), work, answer, context);
}
