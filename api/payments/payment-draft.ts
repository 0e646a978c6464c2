/** A payment before it exists: the request, and where it comes from. */
import { limits } from '../../config/limits.js';
import type { CardView, Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentRequestBody } from './payment-request.schema.js';

/** A payment request, or a verification in the same shape. */
export type PaymentDraft = PaymentRequestBody & {
  readonly purpose: Payment['purpose'];
  /** The session of the payment has `settings.checkout.disableThreeds`. */
  readonly disableThreeds?: boolean;
  /** Card of the payer's try before, which its issuer declined because the payer was not authenticated. */
  readonly cardToAuthenticate?: CardView;
};

/** Origin of a payment, in fields of the payment: the integrator's own call, or a payer's attempt in a session, maybe through a link. */
export type PaymentOrigin = Pick<
  Payment,
  '_id' | 'refKeys' | 'processingMethod' | 'sessionId' | 'attempt' | 'paymentLink' | 'split'
>;

/** Channel by which a payment comes: a call of the integrator, or a page of the gateway where the payer is. */
export type PaymentChannel = 'api' | 'hosted';

/**
 * Returns the invoice number of a verification whose request has none: the reference, shortened, and never to half of a character
 * outside of the basic plane. MongoDB would store another character for such a half than the answer shows.
 */
export const invoiceNumberFrom = (referenceId: string): string =>
  referenceId.slice(0, limits.invoiceLengthMax).replace(/\p{Cs}$/u, '');
