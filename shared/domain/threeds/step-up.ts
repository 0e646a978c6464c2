/**
 * Step-up: an issuer declines a card because its payer was not authenticated (soft decline). Where the merchant has 3D Secure and only its
 * thresholds did not ask for it, the payer's next try with the card is authenticated. Pure.
 */
import { authorizationOf } from '../payment/attempts.js';
import type { CardView, Payment } from '../payment/payment.js';
import type { AuthenticationReason } from './decide-authentication.js';

const byAmount: ReadonlySet<AuthenticationReason | undefined> = new Set([
  'amount-below-threshold',
  'no-threshold-for-currency',
]);

/** Whether the issuer declined the payment because its payer was not authenticated, and only an amount was the reason for that. */
export const isSoftDeclined = (payment: Payment): boolean =>
  authorizationOf(payment)?.errorCode === 'authentication-required' && byAmount.has(payment.threeDs?.reason);

/** Returns the card of a payment whose issuer wants its payer to be authenticated; `undefined`: the rules decide about the next try. */
export const cardToAuthenticate = (payment: Payment): CardView | undefined =>
  isSoftDeclined(payment) || payment.threeDs?.reason === 'issuer-required' ? payment.paymentMethod.card : undefined;
