import type { WalletIntegration } from '../../shared/domain/wallet/integration.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { presentWalletB } from './present-wallet-integration.js';
import { walletProblem } from './wallet-configuration.js';
import { merchant1001, pendingCertificate, walletB } from './wallet-examples.js';
import { type EnableWalletBBody, enableWalletBSchema, walletBSchema } from './wallet-integration.schema.js';

async function enableWalletB(
  deps: Pick<ApiDeps, 'clock' | 'walletIntegrations' | 'audit'>,
  merchantId: number,
  { mode }: EnableWalletBBody,
  changer: Changer,
): Promise<WalletIntegration> {
  const key = { merchantId, walletType: 'wallet-b-pay' } as const;
  const known = mode === undefined ? await deps.walletIntegrations.find(merchantId, 'wallet-b-pay') : undefined;
  const wanted = mode ?? (known?.enabled === false ? known.mode : 'both');
  const enabled = await deps.walletIntegrations.enable(key, { mode: wanted }, deps.clock.now());
  await recordChange(deps, changer, { action: 'wallet.enabled', merchantId, object: 'wallet-b-pay' });
  return enabled;
}

export const enableWalletBEndpoint = defineEndpoint({
  method: 'put',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-b-pay',
  operationId: 'enableWalletBPay',
  flowWritesAudit: true,
  summary: 'Enable wallet-b',
  description: '`pending` until a certificate is uploaded; with a valid certificate it is `active` at once.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams, body: enableWalletBSchema },
  responses: { 200: walletBSchema },
  errors: [],
  examples: {
    params: merchant1001,
    request: { 'with the defaults': {}, 'API only': { mode: 'api', certificateType: 'self-managed' } },
    response: { 200: { pending: { ...walletB, status: 'pending', certificate: pendingCertificate } } },
  },
  async handle(context, deps) {
    const enabled = await enableWalletB(deps, context.params.merchantId, context.body, context);
    return presentWalletB(enabled, deps.clock.now(), walletProblem(deps, enabled));
  },
});
