import { defineEndpoint } from '../http/define-endpoint.js';
import { type MerchantIdParams, merchantIdParams, merchantSchema } from './merchant.schema.js';
import { merchant, merchantId } from './merchant-examples.js';
import { presentMerchant } from './present-merchant.js';

export const getMerchantEndpoint = defineEndpoint<MerchantIdParams>({
  method: 'get',
  path: '/v1/merchants/:merchantId',
  operationId: 'getMerchant',
  summary: 'Read a merchant',
  description: 'A `suspended` merchant accepts no new payments; reading and refunding still work.',
  tags: ['Merchants'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams },
  responses: { 200: merchantSchema },
  errors: [],
  examples: { params: merchantId, response: { 200: { active: merchant } } },
  handle: async ({ params }, { usecases, config }) =>
    presentMerchant(await usecases.readMerchant(params.merchantId), config.publicBaseUrl),
});
