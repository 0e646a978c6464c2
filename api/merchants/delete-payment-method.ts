import { body } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { visaOf1001 } from './merchant-examples.js';
import { type PaymentMethodParams, paymentMethodParams } from './payment-method.schema.js';

export const deletePaymentMethodEndpoint = defineEndpoint<PaymentMethodParams>({
  method: 'delete',
  path: '/v1/merchants/:merchantId/payment-methods/:paymentMethodId',
  operationId: 'deletePaymentMethod',
  recordsItself: true,
  summary: 'Remove a payment method of a merchant',
  description: 'New payments with it are refused. Existing payments can still be captured and refunded.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: paymentMethodParams },
  responses: { 200: body({}) },
  errors: ['payment-method-not-found'],
  examples: { params: visaOf1001, response: { 200: { removed: {} } } },
  async handle(context, { usecases }) {
    await usecases.deletePaymentMethod(context.params, context);
    return {};
  },
});
