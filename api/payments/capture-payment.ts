import { presentPayment } from '../../shared/contract/present-payment.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { operatePayment } from './operate-payment.js';
import { captureRequestSchema } from './operation-requests.schema.js';
import { paymentSchema } from './payment.schema.js';
import { capturedPayment, paymentId } from './payment-examples.js';
import { authorizePayment, operationErrors, paymentIdParams } from './read-payment.js';

export const capturePaymentEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/captures',
  operationId: 'capturePayment',
  summary: 'Capture an authorized payment',
  description: 'Captures the authorized amount or a part of it, once; the rest is released.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  idempotent: true,
  request: { params: paymentIdParams, body: captureRequestSchema },
  responses: { 200: paymentSchema },
  errors: ['payment-invalid-amount', ...operationErrors],
  examples: {
    params: paymentId,
    request: { full: { referenceId: 'capture-1001' }, partial: { referenceId: 'capture-1001', amount: '7.25' } },
    response: { 200: { captured: capturedPayment } },
  },
  authorizeResource: authorizePayment,
  async handle(context, deps) {
    const { params, body } = context;
    return presentPayment(await operatePayment(deps, { kind: 'capture', paymentId: params.paymentId, body }, context));
  },
});
