import { query } from '../../shared/contract/joi.js';
import { presentListedPayment } from '../../shared/contract/present-payment.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { type PageQuery, pageFields, toPage } from '../http/paging.js';
import { linkId, linkPayment } from './link-examples.js';
import { linkPaymentPageSchema } from './payment-link.schema.js';
import { linkIdParams, readPaymentLink } from './read-payment-link.js';

export const listLinkPaymentsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/payment-links/:linkId/payments',
  operationId: 'listPaymentLinkPayments',
  summary: 'List the payment attempts of a link',
  description: 'Every payment made through the link, including declined ones, newest first.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: linkIdParams, query: query<PageQuery>(pageFields) },
  responses: { 200: linkPaymentPageSchema },
  errors: ['payment-link-not-found'],
  examples: {
    params: linkId,
    query: { page: '1', size: '20' },
    response: { 200: { only: { data: [linkPayment], page: 1, size: 20, totalItems: 1, totalPages: 1 } } },
  },
  async handle({ params, query: { page, size }, principal }, deps) {
    const { _id, clientId } = await readPaymentLink(deps, params.linkId, principal);
    const { payments, totalItems } = await deps.queries.listByLink(clientId, _id, { page, size });
    return toPage(payments.map(presentListedPayment), { page, size }, totalItems);
  },
});
