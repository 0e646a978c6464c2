import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { defaultAuthMethods, type WalletIntegration } from '../../shared/domain/wallet/integration.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { presentWalletA } from './present-wallet-integration.js';
import { walletProblem } from './wallet-configuration.js';
import { merchant1001, walletA } from './wallet-examples.js';
import {
  type EnableWalletABody,
  enableWalletASchema,
  missingProfile,
  type ProfileBody,
  walletASchema,
} from './wallet-integration.schema.js';

const profile = {
  walletMerchantName: 'Sandbox Books',
  walletMerchantOrigin: 'shop.example.com',
  allowedOrigins: ['https://shop.example.com'],
};

/** Version of the terms that a merchant accepts with `tosAccepted`. */
const TOS_VERSION = '2026-11';

const refused = (field: string, reason: string) => invalidField(field, `"${field}" ${reason}`);

/** Returns the profile to store, with defaults. @throws {GatewayError} */
function profileOf({ config: { environment } }: Pick<ApiDeps, 'config'>, profile: ProfileBody) {
  const insecure = profile.allowedOrigins.some((origin) => !origin.startsWith('https:'));
  if (environment === 'production' && insecure) {
    throw refused('walletAPayProfile.allowedOrigins', 'must hold https origins only');
  }
  return { ...profile, allowedAuthMethods: profile.allowedAuthMethods ?? defaultAuthMethods(environment) };
}

/** Enables with the sent configuration, or with the previous one when none was sent. @throws {GatewayError} */
async function enable(
  deps: Pick<ApiDeps, 'config' | 'clock' | 'walletIntegrations'>,
  merchantId: number,
  { mode, walletAPayProfile: sent }: EnableWalletABody,
): Promise<WalletIntegration> {
  const now = deps.clock.now();
  const accepted = { tosAcceptedAt: now, tosVersion: TOS_VERSION };
  if (mode && sent) {
    const profile = { ...profileOf(deps, sent), ...accepted };
    return deps.walletIntegrations.enable({ merchantId, walletType: 'wallet-a-pay' }, { mode, profile }, now);
  }
  const enabled = await deps.walletIntegrations.enableAgain(merchantId, accepted, now);
  if (!enabled) throw new GatewayError('request-validation-errors', { params: missingProfile() });
  return enabled;
}

async function enableWalletA(
  deps: Pick<ApiDeps, 'config' | 'clock' | 'walletIntegrations' | 'audit'>,
  merchantId: number,
  body: EnableWalletABody,
  changer: Changer,
): Promise<WalletIntegration> {
  const enabled = await enable(deps, merchantId, body);
  await recordChange(deps, changer, { action: 'wallet.enabled', merchantId, object: 'wallet-a-pay' });
  return enabled;
}

export const enableWalletAEndpoint = defineEndpoint({
  method: 'put',
  path: '/v1/merchants/:merchantId/wallet-integrations/wallet-a-pay',
  operationId: 'enableWalletAPay',
  flowWritesAudit: true,
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
  async handle(context, deps) {
    const enabled = await enableWalletA(deps, context.params.merchantId, context.body, context);
    return presentWalletA(enabled, deps.clock.now(), walletProblem(deps, enabled));
  },
});
