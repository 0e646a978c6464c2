import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { readWallets } from './get-wallet-integrations.js';
import { presentCertificate } from './present-wallet-integration.js';
import { certificate, merchant1001, pendingCertificate } from './wallet-examples.js';
import { certificateSchema } from './wallet-integration.schema.js';

export const getWalletBCertificateEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-b-pay/certificate',
  operationId: 'getWalletBCertificate',
  summary: 'Read the wallet-b certificate of a merchant',
  description: 'The newest one; `pending` before the first upload. Its key is never shown.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams },
  responses: { 200: certificateSchema },
  errors: [],
  examples: { params: merchant1001, response: { 200: { uploaded: certificate, none: pendingCertificate } } },
  handle: async ({ params }, deps) =>
    presentCertificate((await readWallets(deps, params.merchantId)).walletB, deps.clock.now()),
});
