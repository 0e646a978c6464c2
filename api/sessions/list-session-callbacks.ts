import { defineEndpoint } from '../http/define-endpoint.js';
import { callbackListSchema, presentCallbackEvent } from '../payments/callback-event.schema.js';
import { readSession, sessionIdParams } from './read-session.js';
import { sessionCallbackEvent, sessionId } from './session-callback-examples.js';

export const listSessionCallbacksEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/sessions/:sessionId/callbacks',
  operationId: 'listSessionCallbacks',
  summary: 'List the callbacks of a session',
  description:
    'Every event for `settings.callbacks.tokenizationCallbackUrl`, with its attempts and the responses of the receiver. Payments ' +
    'of a checkout have their own callbacks: `GET /v1/payments/{paymentId}/callbacks`. Events are kept ' +
    'for 90 days after their last attempt.',
  tags: ['Sessions'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: sessionIdParams },
  responses: { 200: callbackListSchema },
  errors: ['not-found'],
  examples: { params: sessionId, response: { 200: { exhausted: { data: [sessionCallbackEvent] } } } },
  async handle({ params: { sessionId }, principal }, deps) {
    await readSession(deps, sessionId, principal);
    const deliveries = await deps.deliveries.findByPayment(sessionId);
    return { data: deliveries.map(presentCallbackEvent) };
  },
});
