import type { Merchant } from '../../shared/domain/merchant.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdParams, merchantSchema } from './merchant.schema.js';
import { merchant, merchantId } from './merchant-examples.js';
import { presentMerchant } from './present-merchant.js';

/** Reads the current merchant record. The caller has already been authorized for the merchant. */
async function readMerchant({ merchants }: Pick<ApiDeps, 'merchants'>, merchantId: number): Promise<Merchant> {
  const merchant = await merchants.readMerchant(merchantId);
  if (!merchant) throw new Error('A merchant that was just authorized is gone: merchants are never deleted');
  return merchant;
}

export const getMerchantEndpoint = defineEndpoint({
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
  handle: async ({ params }, deps) =>
    presentMerchant(await readMerchant(deps, params.merchantId), deps.config.publicBaseUrl),
});
