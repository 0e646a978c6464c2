/** What a page needs to show wallet-a, with the signed proof where the contract allows one. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import { isOpenTo } from '../../shared/domain/wallet/integration.js';
import { authClaims, runtimeConfiguration } from '../../shared/domain/wallet/runtime-configuration.js';
import { signAuthJwt } from '../../shared/wallets/wallet-a/auth-jwt.js';
import type { WalletDeps } from './wallet-deps.js';

const off = (reason: string) => new GatewayError('request-validation-errors', { params: { walletAPay: [reason] } });

/**
 * @param origin the browser's `Origin`, as the integrator's backend passes it on.
 * @throws {GatewayError} `request-validation-errors` with `params.walletAPay` when wallet-a is not enabled for the API.
 */
export async function readWalletAConfiguration(deps: WalletDeps, merchantId: number, origin: string | undefined) {
  const { environment, walletAGatewayName: gatewayName, walletAMerchantId: serviceMerchantId } = deps.config;
  const integration = await deps.integrations.find(merchantId, 'wallet-a-pay');
  const { profile } = integration ?? {};
  if (!integration || !profile || !isOpenTo(integration, 'api')) throw off('is not enabled for mode api');
  if (environment === 'production' && profile.profileMode === 'service' && serviceMerchantId === undefined) {
    throw off('has no merchant id of the service in this installation: ask the operator (WALLET_A_MERCHANT_ID)');
  }
  const methods = (await deps.methods.findPaymentMethodsOf(merchantId))
    .filter(({ id, enabled }) => enabled && paymentMethodCatalog[id].type === 'card')
    .map(({ id }) => id);
  const given = { environment, gatewayName, serviceMerchantId, methods, origin };
  const configured = { ...integration, profile };
  const configuration = runtimeConfiguration(configured, given);
  const claims = authClaims(configured, given);
  const authJwt = claims && (await signAuthJwt(deps.authJwtKeys, claims, deps.clock.now()));
  return authJwt ? { ...configuration, merchantInfo: { ...configuration.merchantInfo, authJwt } } : configuration;
}
