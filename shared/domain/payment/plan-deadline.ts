/** What time alone decides about a payment: delayed capture and the expiry of an authorization. Pure. */
import { noCallerWaits } from './awaited.js';
import type { Payment } from './payment.js';
import { planOwnOperation } from './plan-operation.js';

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
  // A verification whose release failed is released again: it ends cancelled, however long that takes.
  return payment.purpose === 'verification'
    ? planOwnOperation(next, { kind: 'cancel', reason: 'card-verification' }, context)
    : planOwnOperation(next, { kind: 'cancel', reason: 'authorization-expired', endsAs: 'expired' }, context);
}
