import { defined } from '../../shared/domain/defined.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { paymentMethodCatalog, supportsMode } from '../../shared/domain/payment-method-catalog.js';
import { type Provisioning, ProvisioningError } from './provisioning.js';

/** A method to configure. Without `enabled` an existing method keeps its state, and a new method is enabled. */
type MethodOrder = Pick<MerchantPaymentMethod, 'merchantId' | 'id' | 'mode' | 'settings'> & {
  readonly enabled?: boolean | undefined;
};

/**
 * Configures a payment method of a merchant. Replaces the configuration that the merchant had under this code.
 * @throws {ProvisioningError} when there is no such merchant, or the method does not have this mode
 */
export async function configureMethod({ merchants, paymentMethods }: Provisioning, order: MethodOrder): Promise<void> {
  const { merchantId, id, mode, settings, enabled } = order;
  if (!(await merchants.findMerchant(merchantId))) throw new ProvisioningError(`There is no merchant ${merchantId}.`);
  if (!supportsMode(id, mode)) {
    const { name, modes } = paymentMethodCatalog[id];
    throw new ProvisioningError(`${name} can be used in mode ${modes.join(' or ')} only.`);
  }
  await paymentMethods.savePaymentMethod({ merchantId, id, mode, settings, ...defined({ enabled }) });
}
