import { waitsForPayer } from '../threeds/plan-authentication.js';
import { waitsForMethod } from '../threeds/plan-method.js';
import { answeredBy, authorizationOf } from './attempts.js';
import type { Payment } from './payment.js';

/** Whether a caller of the transaction can be answered: it has its outcome, the payer is to act, or there is none any more. */
export function isAnswerable(payment: Payment, txId: string): boolean {
  const tx = answeredBy(payment, txId);
  return tx?.status !== 'created' || waitsForPayer(payment) || waitsForMethod(payment);
}

/** The same, and nothing of the answer is still being made: the token of a card that is just being saved belongs to it. */
export const isWhollyAnswerable = (payment: Payment, txId: string): boolean =>
  isAnswerable(payment, txId) && !(payment.tokenizeAt && answeredBy(payment, txId) === authorizationOf(payment));
