import { defineEndpoint } from '../http/define-endpoint.js';
import { toPage } from '../http/paging.js';
import { paymentLink } from './link-examples.js';
import { paymentLinkPageSchema, paymentLinkQuerySchema } from './payment-link.schema.js';
import { presentPaymentLink } from './present-payment-link.js';

export const listPaymentLinksEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/payment-links',
  operationId: 'listPaymentLinks',
  summary: 'List payment links',
  description: 'Of the merchants that the key can access, newest first.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: { in: 'query', field: 'merchantId' },
  request: { query: paymentLinkQuerySchema },
  responses: { 200: paymentLinkPageSchema },
  errors: [],
  examples: {
    query: { merchantId: '1001', status: 'active', page: '1', size: '20' },
    response: { 200: { only: { data: [paymentLink], page: 1, size: 20, totalItems: 1, totalPages: 1 } } },
  },
  async handle({ query: { page, size, ...filter }, principal }, deps) {
    const { links, totalItems } = await deps.links.list(principal, filter, { page, size }, deps.clock.now());
    const data = links.map((link) => presentPaymentLink(deps, link));
    return toPage(data, { page, size }, totalItems);
  },
});
