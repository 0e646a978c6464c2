/** How a verification is reported (docs/api.md#verification): the gateway releases it at once, and by then it may be released. Pure. */
import { authorizationOf } from './attempts.js';
import type { Payment } from './payment.js';

/**
 * The payment with the status of its authorization, which the caller is answered however fast the release was. The event of the release
 * is left out: it is announced. Any other payment is returned as it is.
 */
export function asVerified(payment: Payment): Payment {
  const { purpose, status, eventSeq } = payment;
  const released =
    purpose === 'verification' && status === 'cancelled' && authorizationOf(payment)?.status === 'approved';
  return released ? { ...payment, status: 'authorized', eventSeq: eventSeq - 1 } : payment;
}
