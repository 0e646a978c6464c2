import { presentPayment } from '../../shared/contract/present-payment.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { paymentSchema } from './payment.schema.js';
import { approvedPayment, paymentId } from './payment-examples.js';
import { paymentIdParams, readPayment } from './read-payment.js';

export const getPaymentEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/payments/:paymentId',
  operationId: 'getPayment',
  summary: 'Read a payment',
  description: 'The current state of the payment with all its transactions. A callback is only a notification.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: paymentIdParams },
  responses: { 200: paymentSchema },
  errors: ['payment-not-found'],
  examples: { params: paymentId, response: { 200: { approved: approvedPayment } } },
  handle: async ({ params, principal }, deps) => presentPayment(await readPayment(deps, params.paymentId, principal)),
});
