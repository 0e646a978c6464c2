import { body, Joi } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { callbackEventSchema, presentCallbackEvent } from './callback-event.schema.js';
import { callbackEvent, eventParams } from './callback-examples.js';
import { authorizePayment, type PaymentIdParams } from './payment-id.js';

interface EventParams extends PaymentIdParams {
  readonly eventId: string;
}

const id = () => Joi.string().max(200).required();

export const replayCallbackEndpoint = defineEndpoint<EventParams>({
  method: 'post',
  path: '/v1/payments/:paymentId/callbacks/:eventId/replay',
  operationId: 'replayCallback',
  summary: 'Send a callback again',
  description:
    'Sends a finished event again, now and then by the full schedule, with the same body and `Gateway-Event-Id`. An event that is ' +
    'still waiting is not changed.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  idempotent: true,
  request: { params: body<EventParams>({ paymentId: id(), eventId: id() }) },
  responses: { 200: callbackEventSchema },
  errors: ['payment-not-found', 'not-found'],
  examples: {
    params: eventParams,
    response: {
      200: {
        again: { ...callbackEvent, status: 'waiting', nextAttemptAt: '2026-11-23T10:00:00.000Z', attemptCount: 0 },
      },
    },
  },
  authorizeResource: authorizePayment,
  handle: async (context, { usecases }) => presentCallbackEvent(await usecases.replayCallback(context.params, context)),
});
