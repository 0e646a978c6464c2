/** Callbacks sent about a payment or a session, as the integrator reads them (docs/decisions.md, "reading and replaying them"). */

import { body, Joi, named } from '../../shared/contract/joi.js';
import {
  type Delivery,
  type DeliveryAttempt,
  deliveryErrors,
  deliveryStates,
} from '../../shared/domain/callback/delivery.js';
import { dateTime } from '../http/answer-fields.js';

const attemptSchema = named(
  'CallbackAttempt',
  body({
    at: dateTime().required(),
    durationMs: Joi.number().min(0).required(),
    status: Joi.number().integer().allow(null).required().description('HTTP status of the receiver’s response.'),
    error: Joi.string()
      .valid(...deliveryErrors)
      .allow(null)
      .required()
      .description('Why there was no response.'),
  }),
);

export const callbackEventSchema = named(
  'CallbackEvent',
  body({
    id: Joi.string().required().description('`Gateway-Event-Id`: the same for every attempt and replay.'),
    resourceVersion: Joi.number().integer().required().description('`Gateway-Resource-Version`.'),
    url: Joi.string().required(),
    status: Joi.string()
      .valid(...deliveryStates)
      .required()
      .description('`ended`: the receiver answered 410. `exhausted`: every attempt of the schedule failed.'),
    createdAt: dateTime().required().description('When the payment or session changed.'),
    nextAttemptAt: dateTime().allow(null).required().description('Null when the delivery has ended.'),
    attemptCount: Joi.number().integer().required().description('Attempts since it was created or replayed.'),
    attempts: Joi.array().items(attemptSchema).required().description('The newest attempts, newest last.'),
    body: Joi.object()
      .unknown()
      .required()
      .description('The body: the payment (or the tokenization result) at that time.'),
  }),
);

export const callbackListSchema = named(
  'CallbackList',
  body({ data: Joi.array().items(callbackEventSchema).required().description('In the order of the changes.') }),
);

function presentAttempt({ at, ms, status, error }: DeliveryAttempt): object {
  return { at: at.toISOString(), durationMs: ms, status: status ?? null, error: error ?? null };
}

export function presentCallbackEvent(delivery: Delivery): object {
  return {
    id: delivery.eventId,
    resourceVersion: delivery.resourceVersion,
    url: delivery.url,
    status: delivery.state,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.state === 'waiting' ? delivery.dueAt.toISOString() : null,
    attemptCount: delivery.tries,
    attempts: delivery.attempts.map(presentAttempt),
    body: JSON.parse(delivery.body),
  };
}
