import { defineEndpoint } from '../http/define-endpoint.js';
import { codeImage, codeValue } from '../payments/payment-examples.js';
import { codeQuerySchema, codeSchema } from './code.schema.js';
import type { CodeQuery } from './read-code.js';

export const getCodeEndpoint = defineEndpoint<unknown, CodeQuery>({
  method: 'get',
  path: '/v1/codes',
  operationId: 'getCode',
  summary: 'Create the QR image of a code again',
  description:
    'For a code of one of your payments that can still be paid. A paid or expired code answers 409: create a new payment ' +
    'with a new `referenceId`.',
  tags: ['Payments'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { query: codeQuerySchema },
  responses: { 200: codeSchema },
  errors: ['code-not-found', 'conflict'],
  examples: {
    query: { paymentMethod: 'instant-transfer', value: codeValue },
    response: {
      200: {
        code: {
          type: 'qrcode',
          value: codeValue,
          base64Image: codeImage,
          expiresAt: '2026-11-21T12:15:00.000Z',
        },
      },
    },
  },
  async handle({ query, principal }, { usecases }) {
    const { value, base64Image, expiresAt } = await usecases.readCode(query, principal);
    return { type: 'qrcode', value, base64Image, expiresAt: expiresAt.toISOString() };
  },
});
