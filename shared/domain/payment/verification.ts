/** How a verification is reported (docs/api.md#verification), also when the gateway has already released it. Pure. */
import { authorizationOf } from './attempts.js';
import type { Payment } from './payment.js';

/**
 * Returns a verification with the status of its authorization, so that the caller's answer does not depend on how fast the release was.
 * The event of the release is left out, because it is announced. Any other payment is returned unchanged.
 */
export function withoutVerificationRelease(payment: Payment): Payment {
  const { purpose, status, eventSeq } = payment;
  const released =
    purpose === 'verification' && status === 'cancelled' && authorizationOf(payment)?.status === 'approved';
  return released ? { ...payment, status: 'authorized', eventSeq: eventSeq - 1 } : payment;
}
