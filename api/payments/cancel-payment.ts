import { presentPayment } from '../../shared/contract/present-payment.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { operatePayment } from './operate-payment.js';
import { cancellationRequestSchema } from './operation-requests.schema.js';
import { paymentSchema } from './payment.schema.js';
import { cancellationRequest, cancelledPayment, paymentId } from './payment-examples.js';
import { authorizePayment, operationErrors, paymentIdParams } from './read-payment.js';

export const cancelPaymentEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/cancellations',
  operationId: 'cancelPayment',
  summary: 'Cancel an authorized payment, or a bank transfer',
  description:
    'Releases the whole hold before the capture. A captured card payment is refunded instead. A pending bank transfer is ' +
    'closed at the bank; an approved one is paid back in full.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  idempotent: true,
  request: { params: paymentIdParams, body: cancellationRequestSchema },
  responses: { 200: paymentSchema },
  errors: [...operationErrors],
  examples: {
    params: paymentId,
    request: { customer: cancellationRequest },
    response: { 200: { cancelled: cancelledPayment } },
  },
  authorizeResource: authorizePayment,
  async handle(context, deps) {
    const { params, body } = context;
    return presentPayment(
      await operatePayment(deps, { kind: 'cancellation', paymentId: params.paymentId, body }, context),
    );
  },
});
