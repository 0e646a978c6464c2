/** A payment before it is one: what is asked for, and where it comes from. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentRequestBody } from './payment-request.schema.js';

/** A payment request, or a verification in the same shape. */
export type PaymentDraft = PaymentRequestBody & {
  readonly purpose: Payment['purpose'];
  /** The session of the payment has `settings.checkout.disableThreeds`. */
  readonly disableThreeds?: boolean;
};

/** Where it comes from, in fields of the payment: the integrator's own call, or a payer's try of a session, maybe through a link. */
export type PaymentOrigin = Pick<
  Payment,
  '_id' | 'refKeys' | 'processingMethod' | 'sessionId' | 'attempt' | 'paymentLink' | 'split'
>;
