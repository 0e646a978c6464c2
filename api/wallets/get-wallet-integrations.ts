import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { presentWallets } from './present-wallet-integration.js';
import { walletProblem } from './wallet-configuration.js';
import { merchant1001, walletA, walletB } from './wallet-examples.js';
import { walletIntegrationsSchema } from './wallet-integration.schema.js';

export async function readWallets({ walletIntegrations }: Pick<ApiDeps, 'walletIntegrations'>, merchantId: number) {
  const [walletA, walletB] = await Promise.all([
    walletIntegrations.find(merchantId, 'wallet-a-pay'),
    walletIntegrations.find(merchantId, 'wallet-b-pay'),
  ]);
  return { walletA, walletB };
}

export const getWalletIntegrationsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/merchants/:merchantId/wallet-integrations',
  operationId: 'getWalletIntegrations',
  summary: 'Read the wallet integrations of a merchant',
  description: 'A wallet that was never configured is null.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams },
  responses: { 200: walletIntegrationsSchema },
  errors: [],
  examples: {
    params: merchant1001,
    response: {
      200: { both: { walletAPay: walletA, walletBPay: walletB }, none: { walletAPay: null, walletBPay: null } },
    },
  },
  handle: async ({ params }, deps) =>
    presentWallets(await readWallets(deps, params.merchantId), deps.clock.now(), (integration) =>
      walletProblem(deps, integration),
    ),
});
