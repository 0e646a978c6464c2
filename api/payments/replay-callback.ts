import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body } from '../../shared/contract/joi.js';
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import { deliverCallback } from '../../shared/queue/deliver-callback.job.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { pathId } from '../http/path-id.js';
import { callbackEventSchema, presentCallbackEvent } from './callback-event.schema.js';
import { callbackEvent, eventParams } from './callback-examples.js';
import { authorizePayment, type PaymentIdParams, readPayment } from './read-payment.js';

interface EventParams extends PaymentIdParams {
  readonly eventId: string;
}

/**
 * Sends an event of a payment or a session again, from the start of the schedule. An event that is still waiting is not changed.
 * The caller has already been authorized for the payment or session.
 * @throws {GatewayError} `not-found`
 */
export async function replayEvent(
  deps: Pick<ApiDeps, 'deliveries' | 'nudges' | 'clock'>,
  { ownerId, eventId }: { readonly ownerId: string; readonly eventId: string },
  traceId: string,
): Promise<Delivery> {
  const replayed = await deps.deliveries.replay(ownerId, eventId, deps.clock.now());
  const events = await deps.deliveries.findByPayment(ownerId);
  const event = events.find((one) => one.eventId === eventId);
  if (!event) throw new GatewayError('not-found', { message: 'Callback event not found.' });
  if (replayed !== undefined) void deps.nudges.add(deliverCallback, { deliveryId: replayed, traceId });
  return event;
}

export const replayCallbackEndpoint = defineEndpoint({
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
  request: { params: body<EventParams>({ paymentId: pathId(), eventId: pathId() }) },
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
  async handle({ params: { paymentId, eventId }, principal, traceId }, deps) {
    await readPayment(deps, paymentId, principal);
    return presentCallbackEvent(await replayEvent(deps, { ownerId: paymentId, eventId }, traceId));
  },
});
