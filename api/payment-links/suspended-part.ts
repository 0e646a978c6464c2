import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import type { ApiDeps } from '../deps.js';

/** Whether a part of each payment by the link would go to a suspended merchant. Then no payment can be made until the merchant is active. */
export async function hasSuspendedPart(
  { merchants }: Pick<ApiDeps, 'merchants'>,
  { splitDestinations }: Pick<PaymentLink, 'splitDestinations'>,
): Promise<boolean> {
  const found = splitDestinations.map(({ destinationMerchantId }) => merchants.findMerchant(destinationMerchantId));
  return (await Promise.all(found)).some((merchant) => merchant?.status === 'suspended');
}
