import { createSessionEndpoint } from './create-session.endpoint.js';
import { listSessionCallbacksEndpoint } from './list-session-callbacks.endpoint.js';
import { listSessionsEndpoint } from './list-sessions.endpoint.js';

import { replaySessionCallbackEndpoint } from './replay-session-callback.endpoint.js';

export const sessionEndpoints = [
  createSessionEndpoint,
  listSessionsEndpoint,
  listSessionCallbacksEndpoint,
  replaySessionCallbackEndpoint,
];
