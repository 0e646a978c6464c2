import { defineEndpoint } from '../http/define-endpoint.js';
import { threeDsSession } from './threeds-examples.js';
import {
  presentSessionPage,
  type ThreeDsSessionQuery,
  threeDsSessionPageSchema,
  threeDsSessionQuery,
} from './threeds-session.schema.js';

export const listThreeDsSessionsEndpoint = defineEndpoint<unknown, ThreeDsSessionQuery>({
  method: 'get',
  path: '/v1/threeds/sessions',
  operationId: 'listThreeDsSessions',
  summary: 'List 3DS sessions',
  description: 'Newest first; filters can be combined. `summary` covers the whole filter, not the page.',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: 'client',
  request: { query: threeDsSessionQuery },
  responses: { 200: threeDsSessionPageSchema },
  errors: ['request-validation-errors', 'currency-not-found', 'merchant-not-found', 'forbidden'],
  examples: {
    query: { status: 'step-up-required', merchants: '1001,1002', page: '1', size: '20' },
    response: {
      200: {
        found: {
          data: [threeDsSession],
          page: 1,
          size: 20,
          totalItems: 1,
          totalPages: 1,
          summary: {
            total: 1,
            byStatus: { 'step-up-required': 1 },
            byPaymentMethod: { visa: 1 },
            amountByCurrency: { USD: 122.05 },
          },
        },
      },
    },
  },
  async handle({ query, principal }, { usecases, authorizeMerchant }) {
    // One after the other: each counts against the limit of misses, and the first refusal ends it.
    for (const merchantId of query.merchants ?? []) await authorizeMerchant(principal, merchantId, 'merchants');
    return presentSessionPage(query, await usecases.listThreeDsSessions(query, principal));
  },
});
