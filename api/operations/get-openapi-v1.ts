import { Joi } from '../../shared/contract/joi.js';
import { answer, defineEndpoint } from '../http/define-endpoint.js';

export const getOpenApiV1Endpoint = defineEndpoint({
  method: 'get',
  path: '/openapi/v1.json',
  operationId: 'getOpenApiV1',
  summary: 'This document as OpenAPI 3.0',
  description: 'The same operations, for tools that do not read OpenAPI 3.1 yet.',
  tags: ['Operations'],
  auth: 'none',
  merchantScope: 'none',
  responses: { 200: Joi.object() },
  errors: [],
  handle: (_context, { openApi30 }) =>
    answer(openApi30(), { headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
});
