import { defineEndpoint } from '../http/define-endpoint.js';
import { type MerchantIdParams, merchantIdParams } from '../merchants/merchant.schema.js';
import { presentWalletA } from './present-wallet-integration.js';
import { merchant1001, walletA } from './wallet-examples.js';
import { type EnableWalletABody, enableWalletASchema, walletASchema } from './wallet-integration.schema.js';

const profile = { walletMerchantName: 'Sandbox Books', allowedOrigins: ['https://shop.example.com'] };

export const enableWalletAEndpoint = defineEndpoint<MerchantIdParams, unknown, EnableWalletABody>({
  method: 'put',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-a-pay',
  operationId: 'enableWalletAPay',
  recordsItself: true,
  summary: 'Enable wallet-a',
  description:
    'Replaces the configuration as a whole; `tosAccepted` alone enables the previous configuration again. Fields of the other profile mode are ignored. In production origins must be https.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams, body: enableWalletASchema },
  responses: { 200: walletASchema },
  errors: [],
  examples: {
    params: merchant1001,
    request: {
      'for pages and the API': { tosAccepted: true, walletAPayProfile: profile },
      'with an account of your own at the wallet': {
        tosAccepted: true,
        walletAPayProfile: { profileMode: 'merchant', walletMerchantId: 'BCR2DN4T7ABCDEFG' },
      },
      'hosted pages only': { mode: 'hosted', tosAccepted: true },
      'again, as it was before it was disabled': { tosAccepted: true },
    },
    response: { 200: { enabled: walletA } },
  },
  async handle(context, { usecases, clock }) {
    const enabled = await usecases.enableWalletA(context.params.merchantId, context.body, context);
    return presentWalletA(enabled, clock.now(), usecases.walletProblem(enabled));
  },
});
