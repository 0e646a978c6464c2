import { body, Joi } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';

export const getHealthEndpoint = defineEndpoint({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the process is alive',
  description: 'Checks nothing else: an unavailable database is no reason to restart this process.',
  tags: ['Operations'],
  auth: 'none',
  merchantScope: 'none',
  quiet: true,
  responses: { 200: body({ status: Joi.string().valid('ok').required() }) },
  errors: [],
  examples: { response: { 200: { alive: { status: 'ok' } } } },
  handle: () => ({ status: 'ok' }),
});
