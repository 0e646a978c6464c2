import { defineEndpoint } from '../http/define-endpoint.js';
import { configuredVisa, visaOf1001 } from './merchant-examples.js';
import { type PaymentMethodParams, paymentMethodParams, paymentMethodSchema } from './payment-method.schema.js';
import { presentPaymentMethod } from './present-payment-method.js';

export const getPaymentMethodEndpoint = defineEndpoint<PaymentMethodParams>({
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
  handle: async ({ params }, { usecases }) => presentPaymentMethod(await usecases.readPaymentMethod(params)),
});
