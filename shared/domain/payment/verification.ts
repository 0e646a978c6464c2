/** How a verification is reported (docs/api.md#verification): the gateway releases it at once, and by then it may be released. Pure. */
import { authorizationOf } from './attempts.js';
import type { Payment } from './payment.js';

/**
 * The payment as its authorization ended: what the caller is answered, however fast the release was. Its last event, the release, is
 * none that the answer shows. Any other payment is returned as it is.
 */
export function asVerified(payment: Payment): Payment {
  const { purpose, status, eventSeq } = payment;
  const released =
    purpose === 'verification' && status === 'cancelled' && authorizationOf(payment)?.status === 'approved';
  return released ? { ...payment, status: 'authorized', eventSeq: eventSeq - 1 } : payment;
}
