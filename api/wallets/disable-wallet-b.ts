import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { disableWallet } from './disable-wallet-a.js';
import { presentWalletB } from './present-wallet-integration.js';
import { disabled, merchant1001, walletB } from './wallet-examples.js';
import { walletBSchema } from './wallet-integration.schema.js';

export const disableWalletBEndpoint = defineEndpoint({
  method: 'delete',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-b-pay',
  operationId: 'disableWalletBPay',
  flowWritesAudit: true,
  summary: 'Disable wallet-b',
  description: 'The certificate is kept. Disabling twice is not an error.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams },
  responses: { 200: walletBSchema },
  errors: [],
  examples: { params: merchant1001, response: { 200: { disabled: { ...walletB, ...disabled } } } },
  async handle(context, deps) {
    const integration = await disableWallet(deps, context.params.merchantId, 'wallet-b-pay', context);
    return presentWalletB(integration, deps.clock.now());
  },
});
