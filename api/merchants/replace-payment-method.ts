import { defineEndpoint } from '../http/define-endpoint.js';
import { configuredVisa, gatewaySettings, visaOf1001 } from './merchant-examples.js';
import {
  type PaymentMethodParams,
  paymentMethodParams,
  paymentMethodSchema,
  type ReplacePaymentMethodBody,
  replacePaymentMethodSchema,
} from './payment-method.schema.js';
import { presentPaymentMethod } from './present-payment-method.js';

export const replacePaymentMethodEndpoint = defineEndpoint<PaymentMethodParams, unknown, ReplacePaymentMethodBody>({
  method: 'put',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId',
  operationId: 'replacePaymentMethod',
  recordsItself: true,
  summary: 'Replace the configuration of a payment method',
  description:
    '`settings` is replaced as a whole: fields that are left out are removed. `enabled` keeps its value unless it is ' +
    'sent. Read-only fields of a GET are ignored.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams, body: replacePaymentMethodSchema },
  responses: { 200: paymentMethodSchema },
  errors: ['payment-method-not-found'],
  examples: {
    params: visaOf1001,
    request: { settings: { settings: gatewaySettings }, 'what a GET answered': configuredVisa },
    response: { 200: { replaced: configuredVisa } },
  },
  handle: async (context, { usecases }) =>
    presentPaymentMethod(await usecases.replacePaymentMethod(context.params, context.body, context)),
});
