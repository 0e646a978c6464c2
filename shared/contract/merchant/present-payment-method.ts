import type { MerchantPaymentMethod } from '../../domain/merchant.js';
import { paymentMethodCatalog } from '../../domain/payment-method-catalog.js';

/** Whether 3D Secure is on for a method, and by which provider. */
export interface MethodThreeDs {
  readonly enabled: boolean;
  readonly provider: string | null;
}

const threeDsOff: MethodThreeDs = { enabled: false, provider: null };

/** A configured payment method as the wire shows it: the shape that was sent, and what follows from it. */
export function presentPaymentMethod(method: MerchantPaymentMethod, threeDS: MethodThreeDs = threeDsOff): object {
  const { id, mode, enabled, settings, createdAt, updatedAt } = method;
  const { name, type } = paymentMethodCatalog[id];
  return {
    id,
    name,
    type,
    mode,
    enabled,
    settings,
    threeDS,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
