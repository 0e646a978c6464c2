/** What time alone decides about a payment: delayed capture and the expiry of an authorization. Pure. */
import { noCallerWaits } from './awaited.js';
import type { Payment } from './payment.js';
import { planOwnOperation } from './plan-operation.js';

/** How a hold that runs out is released. A verification ends cancelled, however long its release takes. */
export const releaseOf = ({ purpose }: Pick<Payment, 'purpose'>) =>
  purpose === 'verification'
    ? ({ kind: 'cancel', reason: 'card-verification' } as const)
    : ({ kind: 'cancel', reason: 'authorization-expired', endsAs: 'expired' } as const);

/**
 * The payment with the operation that its deadline asks for, or `undefined` when nothing is to be done now: not due yet, the
 * payment moved on, or an operation is in flight (the same guard as a caller's operation, so that the two never cross).
 */
export function planDeadline(payment: Payment, context: { now: Date; txId: string }): Payment | undefined {
  const { deadline } = payment;
  if (!deadline || deadline.at > context.now || payment.status !== 'authorized' || payment.activeOp) return undefined;
  // Until the operation ends the hold's own expiry is the next deadline. No caller waits for it, so its event may go
  // out at once.
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
