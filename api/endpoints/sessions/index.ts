import { createSessionEndpoint } from './create-session.endpoint.js';
import { listSessionsEndpoint } from './list-sessions.endpoint.js';

export const sessionEndpoints = [createSessionEndpoint, listSessionsEndpoint];
