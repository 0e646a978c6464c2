import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { splitPayment } from '../../shared/domain/payment-link/split.js';
import type { SplitPart } from '../../shared/domain/payment-link/split-part.js';
import type { PaymentDraft, PaymentOrigin } from '../payments/payment-draft.js';

type DividedLink = Pick<PaymentLink, 'merchantId' | 'splitDestinations'>;

/** Divides an amount by the rules of a link; `undefined` when the rules cannot divide it. */
export const splitAmount = (
  { merchantId: ownMerchantId, splitDestinations }: DividedLink,
  { totalMinor, currency, taxMinor, details }: PaymentDraft['amount'],
): readonly SplitPart[] | undefined =>
  splitPayment(
    {
      totalMinor,
      currency,
      taxMinor: details?.tax?.amountMinor ?? taxMinor,
      taxRate: details?.tax?.rate,
      ownMerchantId,
    },
    splitDestinations,
  );

/**
 * Divides a payment by the rules of its link; `undefined` when the link has none, or no part results.
 * @throws {GatewayError} `payment-invalid-amount` naming `amount.total` when the rules cannot divide the amount.
 */
export function divideAmount(link: DividedLink, amount: PaymentDraft['amount']): PaymentOrigin['split'] {
  if (link.splitDestinations.length === 0) return undefined;
  const parts = splitAmount(link, amount);
  if (parts) return parts.length > 0 ? parts : undefined;
  throw new GatewayError('payment-invalid-amount', {
    params: { 'amount.total': ['is less than the split amounts of the link'] },
  });
}
