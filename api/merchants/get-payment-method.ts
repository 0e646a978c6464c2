import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { codeOf, notConfigured } from './check-configuration.js';
import { configuredVisa, visaOf1001 } from './merchant-examples.js';
import { type PaymentMethodParams, paymentMethodParams, paymentMethodSchema } from './payment-method.schema.js';
import { presentPaymentMethod } from './present-payment-method.js';

/** @throws {GatewayError} `payment-method-not-found` */
async function readPaymentMethod(
  { methods }: Pick<ApiDeps, 'methods'>,
  params: PaymentMethodParams,
): Promise<MerchantPaymentMethod> {
  const method = await methods.readPaymentMethod(params.merchantId, codeOf(params));
  if (!method) throw notConfigured();
  return method;
}

export const getPaymentMethodEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId',
  operationId: 'getPaymentMethod',
  summary: 'Read the configuration of a payment method',
  description: 'The processor, the mode, and whether 3D Secure is on.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams },
  responses: { 200: paymentMethodSchema },
  errors: ['payment-method-not-found'],
  examples: { params: visaOf1001, response: { 200: { configured: configuredVisa } } },
  handle: async ({ params }, deps) => presentPaymentMethod(await readPaymentMethod(deps, params)),
});
