import { Joi } from '../../shared/contract/joi.js';
import { answer, defineEndpoint } from '../http/define-endpoint.js';

export const getOpenApiEndpoint = defineEndpoint({
  method: 'get',
  path: '/openapi/v2.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  description: 'The API as OpenAPI 3.1, made from the endpoints themselves.',
  tags: ['Operations'],
  auth: 'none',
  merchantScope: 'none',
  responses: { 200: Joi.object() },
  errors: [],
  handle: (_context, { openApi }) =>
    answer(openApi(), { headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
});
