/** Builds the configuration with which a page shows wallet-a, with the signed proof if the page may have one (docs/api.md#wallet-a). */

import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import type { WalletAProfile, WalletIntegration } from '../../shared/domain/wallet/integration.js';
import { refuses } from '../../shared/processors/capabilities.js';
import { servedWallets } from '../../shared/wallets/load-trust.js';
import type { ApiDeps } from '../deps.js';
import { signAuthJwt } from './auth-jwt.js';
import { authClaims, runtimeConfiguration } from './runtime-configuration.js';

/** Whether the installation has an id at the wallet for the merchant. For tests the wallet itself offers one. */
export function hasMerchantId({ config }: Pick<ApiDeps, 'config'>, { profileMode }: WalletAProfile): boolean {
  return config.environment === 'testing' || profileMode === 'merchant' || config.walletAMerchantId !== undefined;
}

/** Says why this installation cannot serve an integration, so that the merchant can ask the operator; undefined when it can. */
export function walletProblem(deps: Pick<ApiDeps, 'config'>, integration: WalletIntegration): string | undefined {
  const { walletType, profile } = integration;
  if (!servedWallets(deps.config)[walletType]) {
    return 'This installation has no roots and keys for tokens of the wallet: ask the operator.';
  }
  if (profile && !hasMerchantId(deps, profile)) {
    return 'This installation has no merchant id of the service at the wallet: ask the operator, or use profile mode merchant.';
  }
  return undefined;
}

/** The page that shows the wallet. */
interface WalletPage {
  readonly origin: string | undefined;
  /** Payment methods that the page accepts; absent: all of the merchant. */
  readonly onlyMethods?: readonly string[] | undefined;
}

/** Whether a route of the method accepts the wallet's cryptograms. */
function takesCryptograms({ settings }: MerchantPaymentMethod): boolean {
  const { routes, paymentProcessor } = settings;
  const targets = routes?.map((route) => route.paymentProcessor) ?? [paymentProcessor];
  return targets.some((target) => !refuses(target?.id ?? '', 'wallet-cryptogram'));
}

/**
 * Decides which credentials the wallet may give, and for which methods: no cryptogram when no method accepts one, because it
 * could not be charged.
 */
function offered(cards: readonly MerchantPaymentMethod[], { allowedAuthMethods }: WalletAProfile) {
  const taking = cards.filter(takesCryptograms);
  if (!allowedAuthMethods.includes('PAN_ONLY')) return { allowedAuthMethods, cards: taking };
  const onlyNumbers = taking.length === 0 && cards.length > 0;
  return { allowedAuthMethods: onlyNumbers ? (['PAN_ONLY'] as const) : allowedAuthMethods, cards };
}

/** Builds the configuration for one page. The caller checks whether the integration is open to that page. */
export async function configurationFor(
  deps: Pick<ApiDeps, 'config' | 'clock' | 'methods' | 'authJwtKeys'>,
  integration: WalletIntegration & { readonly profile: WalletAProfile },
  { origin, onlyMethods }: WalletPage,
) {
  const { environment, walletAGatewayName: gatewayName, walletAMerchantId: serviceMerchantId } = deps.config;
  const enabled = (await deps.methods.findPaymentMethodsOf(integration.merchantId))
    .filter((method) => method.enabled && paymentMethodCatalog[method.id].type === 'card')
    .filter(({ id }) => onlyMethods?.includes(id) ?? true);
  const { allowedAuthMethods, cards } = offered(enabled, integration.profile);
  const given = { environment, gatewayName, serviceMerchantId, methods: cards.map(({ id }) => id), origin };
  const configuration = runtimeConfiguration(
    { ...integration, profile: { ...integration.profile, allowedAuthMethods } },
    given,
  );
  const claims = authClaims(integration, given);
  const authJwt = claims && (await signAuthJwt(deps.authJwtKeys, claims, deps.clock.now()));
  return authJwt ? { ...configuration, merchantInfo: { ...configuration.merchantInfo, authJwt } } : configuration;
}
