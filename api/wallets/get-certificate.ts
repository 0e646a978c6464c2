import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
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
  async handle({ params }, { walletIntegrations, clock }) {
    return presentCertificate(await walletIntegrations.find(params.merchantId, 'wallet-b-pay'), clock.now());
  },
});
