import { defineEndpoint } from '../http/define-endpoint.js';
import { callbackListSchema, presentCallbackEvent } from './callback-event.schema.js';
import { callbackEvent } from './callback-examples.js';
import { paymentId } from './payment-examples.js';
import { paymentIdParams, readPayment } from './read-payment.js';

export const listCallbacksEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/payments/:paymentId/callbacks',
  operationId: 'listCallbacks',
  summary: 'List the callbacks of a payment',
  description:
    'Every event for `callbackUrl`, with its attempts and the responses of the receiver. Changes that the caller got in its own ' +
    'response are not sent. Events are kept for 90 days after their last attempt.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: paymentIdParams },
  responses: { 200: callbackListSchema },
  errors: ['payment-not-found'],
  examples: { params: paymentId, response: { 200: { exhausted: { data: [callbackEvent] } } } },
  async handle({ params: { paymentId }, principal }, deps) {
    await readPayment(deps, paymentId, principal);
    const deliveries = await deps.deliveries.findByPayment(paymentId);
    return { data: deliveries.map(presentCallbackEvent) };
  },
});
