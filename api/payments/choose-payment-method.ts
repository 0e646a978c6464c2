/** Which of the merchant's payment methods a card is charged through. */

import { type ErrorParams, GatewayError } from '../../shared/contract/gateway-error.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { type CardBrand, paymentMethodCatalog, supportsCurrency } from '../../shared/domain/payment-method-catalog.js';
import type { ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import { routeFacilitator } from '../../shared/processors/route-facilitator.js';
import type { ApiDeps } from '../deps.js';

/** Where a payment goes: the method's public name and the processor behind it. */
export interface ChosenMethod {
  readonly brand: CardBrand;
  readonly name: string;
  readonly processor: string;
  readonly acquirer: string;
  readonly settings: MerchantPaymentMethod['settings'];
  readonly threeDs?: ThreeDsSettings;
}

/** The processor that charges cards under these settings; undefined when none is configured. */
export const processorOf = (
  settings: MerchantPaymentMethod['settings'],
  environment: ApiDeps['config']['environment'],
): string | undefined => settings.paymentProcessor?.id ?? routeFacilitator(settings, environment);

const refused = (internal: string, extras: { message?: string; params?: ErrorParams } = {}) =>
  new GatewayError('invalid-card-payment-method', { internal, ...extras });

/**
 * @throws {GatewayError} `invalid-card-payment-method` when the brand is unknown, is not `methodId`, or is not configured and
 * enabled for the merchant; `currency-not-found` when the method does not take the currency.
 */
export async function chooseCardMethod(
  deps: Pick<ApiDeps, 'methods' | 'config'>,
  request: { merchantId: number; brand: CardBrand | undefined; methodId: string | undefined; currency: string },
): Promise<ChosenMethod> {
  const { brand } = request;
  if (!brand)
    throw refused('the number belongs to no brand of the catalog', {
      message: 'Card brand not supported.',
    });
  if (request.methodId !== undefined && request.methodId !== brand) {
    throw refused('the id is another brand', { params: { 'paymentMethod.id': ['is not the brand of the card'] } });
  }
  const method = await deps.methods.findPaymentMethod(request.merchantId, brand);
  if (!method?.enabled) {
    const message = 'Card brand not supported by the merchant: the payment method is not configured or is disabled.';
    throw refused(`${brand} is not configured for the merchant`, { message });
  }
  if (!supportsCurrency(brand, request.currency)) {
    throw new GatewayError('currency-not-found', {
      params: { 'amount.currency': ['is not supported by this method'] },
    });
  }
  const processor = processorOf(method.settings, deps.config.environment);
  if (!processor) throw refused(`${brand} has no processor configured`);
  return {
    brand,
    name: paymentMethodCatalog[brand].name,
    processor,
    acquirer: method.settings.paymentProcessor?.acquirer ?? processor,
    settings: method.settings,
    ...(method.threeDs && { threeDs: method.threeDs }),
  };
}
