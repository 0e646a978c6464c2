import { body } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { pathId } from '../http/path-id.js';
import { callbackEventSchema, presentCallbackEvent } from '../payments/callback-event.schema.js';
import { replayEvent } from '../payments/replay-callback.js';
import { authorizeSession, readSession, type SessionIdParams } from './read-session.js';
import { sessionCallbackEvent, sessionId } from './session-callback-examples.js';

interface EventParams extends SessionIdParams {
  readonly eventId: string;
}

export const replaySessionCallbackEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/sessions/:sessionId/callbacks/:eventId/replay',
  operationId: 'replaySessionCallback',
  summary: 'Send a callback of a session again',
  description:
    'Sends a finished event again, now and then by the full schedule, with the same body and `Gateway-Event-Id`. An event that is ' +
    'still waiting is not changed.',
  tags: ['Sessions'],
  auth: 'basic',
  merchantScope: 'resource',
  idempotent: true,
  request: { params: body<EventParams>({ sessionId: pathId(), eventId: pathId() }) },
  responses: { 200: callbackEventSchema },
  errors: ['not-found'],
  examples: {
    params: { ...sessionId, eventId: sessionCallbackEvent.id },
    response: {
      200: {
        again: {
          ...sessionCallbackEvent,
          status: 'waiting',
          nextAttemptAt: '2026-11-23T10:00:00.000Z',
          attemptCount: 0,
        },
      },
    },
  },
  authorizeResource: authorizeSession,
  async handle({ params: { sessionId, eventId }, principal, traceId }, deps) {
    await readSession(deps, sessionId, principal);
    return presentCallbackEvent(await replayEvent(deps, { ownerId: sessionId, eventId }, traceId));
  },
});
