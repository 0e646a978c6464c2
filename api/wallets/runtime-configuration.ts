/** Builds the configuration with which a page shows wallet-a (docs/api.md#wallet-a). Pure: the signing happens elsewhere. */
import { defined } from '../../shared/domain/defined.js';
import type { PaymentMethodId } from '../../shared/domain/payment-method-catalog.js';
import { isOpenTo, type WalletAProfile, type WalletIntegration } from '../../shared/domain/wallet/integration.js';

/** The wallet's names for brands of the catalog. It does not know the other brands. */
const networks: Partial<Record<PaymentMethodId, string>> = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  amex: 'AMEX',
  discover: 'DISCOVER',
  jcb: 'JCB',
  maestro: 'MAESTRO',
};

/** Merchant id that the wallet offers for tests. */
const TEST_MERCHANT_ID = '12345678901234567890';

interface Given {
  readonly environment: 'testing' | 'production';
  readonly gatewayName: string;
  /** The operator's id at the wallet, if there is one. */
  readonly serviceMerchantId: string | undefined;
  /** Card methods that the merchant can be paid with. */
  readonly methods: readonly PaymentMethodId[];
  /** `Origin` header of the request. */
  readonly origin: string | undefined;
}

export function runtimeConfiguration(integration: WalletIntegration & { profile: WalletAProfile }, given: Given) {
  const { profile } = integration;
  const production = given.environment === 'production';
  const merchantId = profile.profileMode === 'merchant' ? profile.walletMerchantId : given.serviceMerchantId;
  return {
    apiVersion: 2,
    apiVersionMinor: 0,
    environment: production ? ('PRODUCTION' as const) : ('TEST' as const),
    merchantInfo: {
      merchantId: production ? merchantId : TEST_MERCHANT_ID,
      ...defined({ merchantName: profile.walletMerchantName, merchantOrigin: profile.walletMerchantOrigin }),
    },
    allowedPaymentMethods: [
      {
        type: 'CARD' as const,
        parameters: {
          allowedAuthMethods: [...profile.allowedAuthMethods],
          allowedCardNetworks: given.methods.flatMap((id) => networks[id] ?? []),
        },
        tokenizationSpecification: {
          type: 'PAYMENT_GATEWAY' as const,
          parameters: { gateway: given.gatewayName, gatewayMerchantId: String(integration.merchantId) },
        },
      },
    ],
  };
}

/**
 * Returns the claims of `authJwt`, or undefined when a condition is not met (docs/api.md#wallet-a; the signing key is
 * checked elsewhere).
 */
export function authClaims(
  integration: WalletIntegration & { profile: WalletAProfile },
  { environment, serviceMerchantId, origin }: Given,
): { readonly merchantId: string; readonly merchantOrigin: string } | undefined {
  const { profile } = integration;
  if (environment !== 'production' || profile.profileMode !== 'service' || !isOpenTo(integration, 'api'))
    return undefined;
  if (origin === undefined || !profile.allowedOrigins.includes(origin) || serviceMerchantId === undefined)
    return undefined;
  const merchantOrigin = profile.walletMerchantOrigin ?? origin.replace(/^https?:\/\//, '');
  return { merchantId: serviceMerchantId, merchantOrigin };
}
