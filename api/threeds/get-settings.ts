import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { isPaymentMethodId, paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import type { ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { visaOf1001 } from '../merchants/merchant-examples.js';
import { type PaymentMethodParams, paymentMethodParams } from '../merchants/payment-method.schema.js';
import { threeDsSettings } from './threeds-examples.js';
import { presentThreeDsSettings, threeDsSettingsAnswerSchema } from './threeds-settings.schema.js';

/** Finds a card method of the merchant. @throws {GatewayError} `request-validation-errors` naming `paymentMethodId`. */
export async function cardMethodOf(
  { methods }: Pick<ApiDeps, 'methods'>,
  { merchantId, paymentMethodId }: PaymentMethodParams,
): Promise<MerchantPaymentMethod> {
  const isCard = isPaymentMethodId(paymentMethodId) && paymentMethodCatalog[paymentMethodId].type === 'card';
  if (!isCard) throw invalidField('paymentMethodId', 'is not a card method of the catalog');
  const method = await methods.readPaymentMethod(merchantId, paymentMethodId);
  if (!method) throw invalidField('paymentMethodId', 'is not configured for the merchant');
  return method;
}

export const notConfigured = () => new GatewayError('threeds-settings-not-found');

/** @throws {GatewayError} `threeds-settings-not-found`, or `request-validation-errors` for an invalid method. */
async function readThreeDsSettings(
  deps: Pick<ApiDeps, 'methods'>,
  params: PaymentMethodParams,
): Promise<ThreeDsSettings> {
  const { threeDs } = await cardMethodOf(deps, params);
  if (!threeDs) throw notConfigured();
  return threeDs;
}

export const getThreeDsSettingsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId/threeds',
  operationId: 'getThreeDsSettings',
  summary: 'Read the 3DS settings of a payment method',
  description: 'The settings for new payments; payments that are already accepted keep theirs.',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams },
  responses: { 200: threeDsSettingsAnswerSchema },
  errors: ['threeds-settings-not-found', 'request-validation-errors'],
  examples: { params: visaOf1001, response: { 200: { settings: threeDsSettings } } },
  handle: async ({ params }, deps) => presentThreeDsSettings(await readThreeDsSettings(deps, params)),
});
