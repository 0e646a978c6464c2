import type { WalletIntegration, WalletType } from '../../shared/domain/wallet/integration.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { presentWalletA } from './present-wallet-integration.js';
import { disabled, merchant1001, walletA } from './wallet-examples.js';
import { walletASchema } from './wallet-integration.schema.js';

/** Disables a wallet. Returns the integration, which keeps its configuration, or undefined when it was never configured. */
export async function disableWallet(
  deps: Pick<ApiDeps, 'clock' | 'walletIntegrations' | 'audit'>,
  merchantId: number,
  walletType: WalletType,
  changer: Changer,
): Promise<WalletIntegration | undefined> {
  const disabled = await deps.walletIntegrations.disable(merchantId, walletType, deps.clock.now());
  if (!disabled) return deps.walletIntegrations.find(merchantId, walletType);
  await recordChange(deps, changer, { action: 'wallet.disabled', merchantId, object: walletType });
  return disabled;
}

export const disableWalletAEndpoint = defineEndpoint({
  method: 'delete',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-a-pay',
  operationId: 'disableWalletAPay',
  flowWritesAudit: true,
  summary: 'Disable wallet-a',
  description: 'The configuration is kept. Disabling twice is not an error.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams },
  responses: { 200: walletASchema },
  errors: [],
  examples: { params: merchant1001, response: { 200: { disabled: { ...walletA, ...disabled } } } },
  async handle(context, deps) {
    const integration = await disableWallet(deps, context.params.merchantId, 'wallet-a-pay', context);
    return presentWalletA(integration, deps.clock.now());
  },
});
