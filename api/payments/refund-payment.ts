import { presentPayment } from '../../shared/contract/present-payment.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { operatePayment } from './operate-payment.js';
import { refundRequestSchema } from './operation-requests.schema.js';
import { paymentSchema } from './payment.schema.js';
import { paymentId, refundedPayment } from './payment-examples.js';
import { authorizePayment, operationErrors, paymentIdParams } from './read-payment.js';

export const refundPaymentEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/refunds',
  operationId: 'refundPayment',
  summary: 'Refund a captured payment',
  description:
    'Refunds the captured amount or a part of it, repeatedly while something is left. Concurrent refunds never exceed the ' +
    'captured amount. A refused refund leaves the payment unchanged.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  idempotent: true,
  request: { params: paymentIdParams, body: refundRequestSchema },
  responses: { 200: paymentSchema },
  errors: ['payment-invalid-amount', ...operationErrors],
  examples: {
    params: paymentId,
    request: {
      full: { referenceId: 'refund-1001' },
      partial: { referenceId: 'refund-1001', amount: 4, reason: 'return', metadata: { rma: '77' } },
    },
    response: {
      200: { refunded: refundedPayment },
    },
  },
  authorizeResource: authorizePayment,
  async handle(context, deps) {
    const { params, body } = context;
    return presentPayment(await operatePayment(deps, { kind: 'refund', paymentId: params.paymentId, body }, context));
  },
});
