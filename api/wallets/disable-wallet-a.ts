import { defineEndpoint } from '../http/define-endpoint.js';
import { type MerchantIdParams, merchantIdParams } from '../merchants/merchant.schema.js';
import { presentWalletA } from './present-wallet-integration.js';
import { disabled, merchant1001, walletA } from './wallet-examples.js';
import { walletASchema } from './wallet-integration.schema.js';

export const disableWalletAEndpoint = defineEndpoint<MerchantIdParams>({
  method: 'delete',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-a-pay',
  operationId: 'disableWalletAPay',
  recordsItself: true,
  summary: 'Disable wallet-a',
  description: 'The configuration is kept. Disabling twice is not an error.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams },
  responses: { 200: walletASchema },
  errors: [],
  examples: { params: merchant1001, response: { 200: { disabled: { ...walletA, ...disabled } } } },
  async handle(context, { usecases, clock }) {
    const integration = await usecases.disableWallet(context.params.merchantId, 'wallet-a-pay', context);
    return presentWalletA(integration, clock.now());
  },
});
