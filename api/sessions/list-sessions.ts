import { defineEndpoint } from '../http/define-endpoint.js';
import { toPage } from '../http/paging.js';
import { presentSession } from './present-session.js';
import { sessionPageSchema, sessionQuerySchema } from './session.schema.js';
import { checkoutSession } from './session-examples.js';

export const listSessionsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/sessions',
  operationId: 'listSessions',
  summary: 'List sessions',
  description: 'Sessions created with the calling API key, or with its predecessors after a rotation. Newest first.',
  tags: ['Sessions'],
  auth: 'basic',
  merchantScope: { in: 'query', field: 'merchantId' },
  request: { query: sessionQuerySchema },
  responses: { 200: sessionPageSchema },
  errors: [],
  examples: {
    query: { merchantId: '1001', page: '1', size: '20' },
    response: { 200: { only: { data: [checkoutSession], page: 1, size: 20, totalItems: 1, totalPages: 1 } } },
  },
  async handle({ query: { page, size, ...filter }, principal }, deps) {
    const { sessions, totalItems } = await deps.sessions.list(principal, filter, { page, size });
    const data = await Promise.all(sessions.map((session) => presentSession(deps, session)));
    return toPage(data, { page, size }, totalItems);
  },
});
