/** Plans what only the clock decides about a payment: delayed capture and the expiry of an authorization. Pure. */
import { noCallerWaits } from './awaited.js';
import type { Payment } from './payment.js';
import { planOwnOperation } from './plan-operation.js';

/** Operation that releases a hold which expires. A verification ends as cancelled, however long its release takes. */
export const releaseOf = ({ purpose }: Pick<Payment, 'purpose'>) =>
  purpose === 'verification'
    ? ({ kind: 'cancel', reason: 'card-verification' } as const)
    : ({ kind: 'cancel', reason: 'authorization-expired', endsAs: 'expired' } as const);

/**
 * Starts the operation of a payment's deadline. `undefined` when nothing is to be done now: the deadline is not due, the payment has
 * another status, or an operation is in flight (the same guard as for a caller's operation, so that the two never overlap).
 */
export function planDeadline(payment: Payment, context: { now: Date; txId: string }): Payment | undefined {
  const { deadline } = payment;
  if (!deadline || deadline.at > context.now || payment.status !== 'authorized' || payment.activeOp) return undefined;
  // Until the operation ends, the expiry of the hold is the next deadline. No caller waits for the operation, so its event
  // may be announced at once.
  const next: Payment = {
    ...payment,
    awaitedUntil: noCallerWaits(context.now),
    deadline: { kind: 'expire', at: payment.expiresAt ?? deadline.at },
  };
  if (deadline.kind === 'capture') {
    return planOwnOperation(next, { kind: 'capture', reason: 'delayed-capture' }, context);
  }
  return planOwnOperation(next, releaseOf(payment), context);
}
