import { presentPayment } from '../../shared/contract/payment/present-payment.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { paymentSchema } from './payment.schema.js';
import { approvedPayment, paymentId } from './payment-examples.js';
import { type PaymentIdParams, paymentIdParams } from './payment-id.js';

export const getPaymentEndpoint = defineEndpoint<PaymentIdParams>({
  method: 'get',
  path: '/v1/payments/:paymentId',
  operationId: 'getPayment',
  summary: 'Read a payment',
  description: 'The payment as it is now, with all its transactions. This is the truth; a callback is only news of it.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: paymentIdParams },
  responses: { 200: paymentSchema },
  errors: ['payment-not-found'],
  examples: { params: paymentId, response: { 200: { approved: approvedPayment } } },
  handle: async ({ params, principal }, { usecases }) =>
    presentPayment(await usecases.readPayment(params.paymentId, principal)),
});
