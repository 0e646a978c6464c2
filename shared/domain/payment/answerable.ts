import { waitsForPayer } from '../threeds/plan-authentication.js';
import { waitsForMethod } from '../threeds/plan-method.js';
import { answeredBy, authorizationOf } from './attempts.js';
import type { Payment } from './payment.js';

/** Whether a caller can be answered: the transaction has its outcome, the payer has to act, or the transaction does not exist any more. */
export function isAnswerable(payment: Payment, txId: string): boolean {
  const tx = answeredBy(payment, txId);
  return tx?.status !== 'created' || waitsForPayer(payment) || waitsForMethod(payment);
}

/** Whether a caller can be answered completely: the token of a card that is just being saved belongs to the answer. */
export const isAnswerComplete = (payment: Payment, txId: string): boolean =>
  isAnswerable(payment, txId) && !(payment.tokenizeAt && answeredBy(payment, txId) === authorizationOf(payment));
