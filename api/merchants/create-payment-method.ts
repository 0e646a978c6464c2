import { defineEndpoint } from '../http/define-endpoint.js';
import { type MerchantIdParams, merchantIdParams } from './merchant.schema.js';
import { configuredVisa, facilitatorSettings, gatewaySettings, merchantId } from './merchant-examples.js';
import {
  type CreatePaymentMethodBody,
  createPaymentMethodSchema,
  paymentMethodSchema,
} from './payment-method.schema.js';
import { presentPaymentMethod } from './present-payment-method.js';

export const createPaymentMethodEndpoint = defineEndpoint<MerchantIdParams, unknown, CreatePaymentMethodBody>({
  method: 'post',
  path: '/v1/merchants/:merchantId/payment-methods',
  operationId: 'createPaymentMethod',
  recordsItself: true,
  summary: 'Configure a payment method of a merchant',
  description:
    'In gateway mode, or in payment-facilitator mode when `settings.paymentFacilitator` is given. The fields of the two ' +
    'modes cannot be combined, and not every method supports both. Payments use it within a few seconds.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  idempotent: true,
  request: { params: merchantIdParams, body: createPaymentMethodSchema },
  responses: { 200: paymentMethodSchema },
  errors: ['conflict'],
  examples: {
    params: merchantId,
    request: {
      gateway: { id: 'visa', settings: gatewaySettings },
      'payment-facilitator': { id: 'mastercard', settings: facilitatorSettings },
    },
    response: { 200: { configured: configuredVisa } },
  },
  handle: async (context, { usecases }) =>
    presentPaymentMethod(await usecases.createPaymentMethod(context.params.merchantId, context.body, context)),
});
