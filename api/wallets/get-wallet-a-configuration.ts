import { invalidField } from '../../shared/contract/gateway-error.js';
import { isOpenTo } from '../../shared/domain/wallet/integration.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdParams } from '../merchants/merchant.schema.js';
import { walletAConfigurationSchema } from './runtime-configuration.schema.js';
import { configurationFor, hasMerchantId } from './wallet-configuration.js';
import { merchant1001 } from './wallet-examples.js';

const walletNotAvailable = (reason: string) => invalidField('walletAPay', reason);

/**
 * Reads the configuration for a page of the integrator.
 * @param origin the browser's `Origin`, which the integrator's backend passes on.
 * @throws {GatewayError} `request-validation-errors` with `params.walletAPay` when wallet-a is not enabled for the API.
 */
export async function readWalletAConfiguration(
  deps: Pick<ApiDeps, 'config' | 'clock' | 'walletIntegrations' | 'methods' | 'authJwtKeys'>,
  merchantId: number,
  origin: string | undefined,
) {
  const integration = await deps.walletIntegrations.find(merchantId, 'wallet-a-pay');
  const { profile } = integration ?? {};
  if (!integration || !profile || !isOpenTo(integration, 'api'))
    throw walletNotAvailable('is not enabled for mode api');
  if (!hasMerchantId(deps, profile)) {
    throw walletNotAvailable(
      'has no merchant id of the service in this installation: ask the operator (WALLET_A_MERCHANT_ID)',
    );
  }
  return configurationFor(deps, { ...integration, profile }, { origin });
}

export const getWalletAConfigurationEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/merchants/:merchantId/wallet-a-pay/configuration',
  operationId: 'getWalletAPayConfiguration',
  summary: 'Read the runtime configuration of wallet-a',
  description:
    'Call it from your backend and pass the response to your page unchanged. Forward the browser’s `Origin` header to get `authJwt` (production, ' +
    'profile mode `service`, an allowed origin). 400 with `params.walletAPay` when wallet-a is not enabled for the API.',
  tags: ['Wallets'],
  auth: 'basic',
  merchantScope: { in: 'params', field: 'merchantId' },
  request: { params: merchantIdParams },
  responses: { 200: walletAConfigurationSchema },
  errors: [],
  examples: {
    params: merchant1001,
    response: {
      200: {
        'in testing': {
          apiVersion: 2,
          apiVersionMinor: 0,
          environment: 'TEST',
          merchantInfo: {
            merchantId: '12345678901234567890',
            merchantName: 'Sandbox Books',
            merchantOrigin: 'shop.example.com',
          },
          allowedPaymentMethods: [
            {
              type: 'CARD',
              parameters: {
                allowedAuthMethods: ['CRYPTOGRAM_3DS', 'PAN_ONLY'],
                allowedCardNetworks: ['VISA', 'MASTERCARD'],
              },
              tokenizationSpecification: {
                type: 'PAYMENT_GATEWAY',
                parameters: { gateway: 'payment-gateway', gatewayMerchantId: '1001' },
              },
            },
          ],
        },
      },
    },
  },
  handle: (context, deps) => readWalletAConfiguration(deps, context.params.merchantId, context.header('origin')),
});
