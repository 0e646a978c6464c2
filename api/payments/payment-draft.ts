/** What is asked for, by whichever availability it comes: the API, a session or a link. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { SessionTry } from '../../shared/domain/session/session.js';
import { idFrom, newPaymentId } from '../../shared/ids.js';
import type { Caller } from '../http/define-endpoint.js';
import type { PaymentRequestBody } from './payment-request.schema.js';

/** A payment request, or a verification in the same shape. */
export type PaymentDraft = PaymentRequestBody & {
  readonly purpose: Payment['purpose'];
  /** The session of the payment has `settings.checkout.disableThreeds`. */
  readonly disableThreeds?: boolean;
  /** The payer's try of a session. Absent: the integrator's own payment. */
  readonly sessionTry?: SessionTry;
  /** Link that the payer came by. */
  readonly paymentLink?: Payment['paymentLink'];
  readonly split?: Payment['split'];
};

/** The id: chosen by the session, made from the caller's key, or new. */
export function chooseId({ sessionTry }: PaymentDraft, { idempotency }: Caller): string {
  if (sessionTry) return sessionTry.paymentId;
  return idempotency ? idFrom('pay', idempotency.seed) : newPaymentId();
}
