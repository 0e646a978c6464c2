import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';

/** The configuration as the wire shows it (docs/decisions.md, "merchant payment method (response)"). */
export function presentPaymentMethod(method: MerchantPaymentMethod): object {
  const { id, mode, enabled, settings, threeDs, createdAt, updatedAt } = method;
  const { name, type } = paymentMethodCatalog[id];
  return {
    id,
    name,
    type,
    mode,
    enabled,
    settings,
    threeDS: { enabled: threeDs?.enabled ?? false, provider: threeDs?.provider ?? null },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
