import { answerList, listHeaders } from '../http/answer-list.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantListQuery, merchantListSchema } from './merchant.schema.js';
import { merchant } from './merchant-examples.js';
import { presentMerchant } from './present-merchant.js';

const path = '/v1/merchants';

export const listMerchantsEndpoint = defineEndpoint({
  method: 'get',
  path,
  operationId: 'listMerchants',
  summary: 'List your merchants',
  description: 'Newest first. A secondary key sees the merchants granted to it. The headers lead to the other pages.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: 'client',
  request: { query: merchantListQuery },
  responses: { 200: merchantListSchema },
  responseHeaders: listHeaders,
  errors: [],
  examples: { query: { name: 'books', page: '1', size: '20' }, response: { 200: { found: [merchant] } } },
  async handle({ query, principal: { clientId, merchants } }, deps) {
    const { page, size, name } = query;
    const { publicBaseUrl } = deps.config;
    const { items, total } = await deps.merchants.pageMerchants({ ...query, clientId, merchants });
    const shown = items.map((item) => presentMerchant(item, publicBaseUrl));
    return answerList(`${publicBaseUrl}${path}`, { items: shown, total, page, size }, { name });
  },
});
