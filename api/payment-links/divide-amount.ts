import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { splitPayment } from '../../shared/domain/payment-link/split.js';
import type { PaymentDraft, PaymentOrigin } from '../payments/payment-draft.js';

/**
 * The parts of a payment by the link; `undefined` where it is not divided.
 * @throws {GatewayError} `payment-invalid-amount` naming `amount.total`: it cannot be divided as the link says.
 */
export function divideAmount(
  { merchantId, splitDestinations }: Pick<PaymentLink, 'merchantId' | 'splitDestinations'>,
  { totalMinor, currency, taxMinor, details }: PaymentDraft['amount'],
): PaymentOrigin['split'] {
  if (splitDestinations.length === 0) return undefined;
  const payment = { totalMinor, currency, taxMinor: details?.tax?.amountMinor ?? taxMinor, ownMerchantId: merchantId };
  const parts = splitPayment(payment, splitDestinations);
  if (parts) return parts.length > 0 ? parts : undefined;
  throw new GatewayError('payment-invalid-amount', {
    params: { 'amount.total': ['is less than the split amounts of the link'] },
  });
}
