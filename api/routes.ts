/** THE LIST of endpoints: routes, OpenAPI and the authorization matrix are derived from it. And that of the callbacks. */

import { getCodeEndpoint } from './codes/get-code.js';
import { createCustomerEndpoint } from './customers/create-customer.js';
import { createTokenizationEndpoint } from './customers/create-tokenization.js';
import { deleteCustomerEndpoint } from './customers/delete-customer.js';
import { deletePaymentInstrumentEndpoint } from './customers/delete-payment-instrument.js';
import { getCustomerEndpoint } from './customers/get-customer.js';
import { listCustomersEndpoint } from './customers/list-customers.js';
import { listPaymentInstrumentsEndpoint } from './customers/list-payment-instruments.js';
import { updateCustomerEndpoint } from './customers/update-customer.js';
import type { CallbackDefinition } from './http/define-callback.js';
import type { Endpoint } from './http/define-endpoint.js';
import { createAccessTokenEndpoint } from './identity/create-access-token.js';
import { createPaymentMethodEndpoint } from './merchants/create-payment-method.js';
import { deletePaymentMethodEndpoint } from './merchants/delete-payment-method.js';
import { getMerchantEndpoint } from './merchants/get-merchant.js';
import { getMerchantLogoEndpoint } from './merchants/get-merchant-logo.js';
import { getPaymentMethodEndpoint } from './merchants/get-payment-method.js';
import { listMerchantsEndpoint } from './merchants/list-merchants.js';
import { listPaymentMethodsEndpoint } from './merchants/list-payment-methods.js';
import { putMerchantLogoEndpoint } from './merchants/put-merchant-logo.js';
import { replacePaymentMethodEndpoint } from './merchants/replace-payment-method.js';
import { getHealthEndpoint } from './operations/get-health.js';
import { getOpenApiEndpoint } from './operations/get-openapi.js';
import { getOpenApiV1Endpoint } from './operations/get-openapi-v1.js';
import { getReadinessEndpoint } from './operations/get-readiness.js';
import { createPaymentLinkEndpoint } from './payment-links/create-payment-link.js';
import { disablePaymentLinkEndpoint } from './payment-links/disable-payment-link.js';
import { getLinkQrEndpoint } from './payment-links/get-link-qr.js';
import { getLinkSettingsEndpoint } from './payment-links/get-link-settings.js';
import { getPaymentLinkEndpoint } from './payment-links/get-payment-link.js';
import { listLinkPaymentsEndpoint } from './payment-links/list-link-payments.js';
import { listPaymentLinksEndpoint } from './payment-links/list-payment-links.js';
import { paymentLinkCallback } from './payment-links/payment-link-callback.js';
import { replaceLinkSettingsEndpoint } from './payment-links/replace-link-settings.js';
import { replaceSplitDestinationsEndpoint } from './payment-links/replace-split-destinations.js';
import { cancelPaymentEndpoint } from './payments/cancel-payment.js';
import { capturePaymentEndpoint } from './payments/capture-payment.js';
import { createPaymentEndpoint } from './payments/create-payment.js';
import { dryRunPaymentEndpoint } from './payments/dry-run-payment.js';
import { getPaymentEndpoint } from './payments/get-payment.js';
import { listCallbacksEndpoint } from './payments/list-callbacks.js';
import { paymentCallback } from './payments/payment-callback.js';
import { queryPaymentsEndpoint } from './payments/query-payments.js';
import { refundPaymentEndpoint } from './payments/refund-payment.js';
import { replayCallbackEndpoint } from './payments/replay-callback.js';
import { verifyPaymentEndpoint } from './payments/verify-payment.js';
import { createSessionEndpoint } from './sessions/create-session.js';
import { listSessionCallbacksEndpoint } from './sessions/list-session-callbacks.js';
import { listSessionsEndpoint } from './sessions/list-sessions.js';
import { replaySessionCallbackEndpoint } from './sessions/replay-session-callback.js';
import { tokenizationCallback } from './sessions/tokenization-callback.js';
import { listTestCardsEndpoint } from './testing/list-test-cards.js';
import { mintWalletTokenEndpoint } from './testing/mint-wallet-token.js';
import { checkThreeDsEndpoint } from './threeds/check-threeds.js';
import { createThreeDsSettingsEndpoint } from './threeds/create-settings.js';
import { getThreeDsProviderEndpoint } from './threeds/get-provider.js';
import { getThreeDsSettingsEndpoint } from './threeds/get-settings.js';
import { listThreeDsProvidersEndpoint } from './threeds/list-providers.js';
import { listThreeDsSessionsEndpoint } from './threeds/list-threeds-sessions.js';
import { replaceThreeDsSettingsEndpoint } from './threeds/replace-settings.js';
import { disableWalletAEndpoint } from './wallets/disable-wallet-a.js';
import { disableWalletBEndpoint } from './wallets/disable-wallet-b.js';
import { enableWalletAEndpoint } from './wallets/enable-wallet-a.js';
import { enableWalletBEndpoint } from './wallets/enable-wallet-b.js';
import { getWalletBCertificateEndpoint } from './wallets/get-certificate.js';
import { getWalletAConfigurationEndpoint } from './wallets/get-wallet-a-configuration.js';
import { getWalletIntegrationsEndpoint } from './wallets/get-wallet-integrations.js';
import { uploadWalletBCertificateEndpoint } from './wallets/upload-certificate.js';

export const endpoints: readonly Endpoint[] = [
  createPaymentEndpoint,
  verifyPaymentEndpoint,
  dryRunPaymentEndpoint,
  queryPaymentsEndpoint,
  getPaymentEndpoint,
  capturePaymentEndpoint,
  cancelPaymentEndpoint,
  refundPaymentEndpoint,
  listCallbacksEndpoint,
  replayCallbackEndpoint,
  getCodeEndpoint,
  createSessionEndpoint,
  listSessionsEndpoint,
  listSessionCallbacksEndpoint,
  replaySessionCallbackEndpoint,
  createPaymentLinkEndpoint,
  listPaymentLinksEndpoint,
  getLinkSettingsEndpoint,
  replaceLinkSettingsEndpoint,
  getPaymentLinkEndpoint,
  disablePaymentLinkEndpoint,
  listLinkPaymentsEndpoint,
  replaceSplitDestinationsEndpoint,
  getLinkQrEndpoint,
  createCustomerEndpoint,
  listCustomersEndpoint,
  getCustomerEndpoint,
  updateCustomerEndpoint,
  deleteCustomerEndpoint,
  listPaymentInstrumentsEndpoint,
  deletePaymentInstrumentEndpoint,
  listMerchantsEndpoint,
  getMerchantEndpoint,
  listPaymentMethodsEndpoint,
  createPaymentMethodEndpoint,
  getPaymentMethodEndpoint,
  replacePaymentMethodEndpoint,
  deletePaymentMethodEndpoint,
  putMerchantLogoEndpoint,
  getMerchantLogoEndpoint,
  getWalletIntegrationsEndpoint,
  enableWalletAEndpoint,
  disableWalletAEndpoint,
  enableWalletBEndpoint,
  disableWalletBEndpoint,
  getWalletBCertificateEndpoint,
  uploadWalletBCertificateEndpoint,
  getWalletAConfigurationEndpoint,
  createTokenizationEndpoint,
  listThreeDsProvidersEndpoint,
  getThreeDsProviderEndpoint,
  getThreeDsSettingsEndpoint,
  createThreeDsSettingsEndpoint,
  replaceThreeDsSettingsEndpoint,
  checkThreeDsEndpoint,
  listThreeDsSessionsEndpoint,
  createAccessTokenEndpoint,
  listTestCardsEndpoint,
  mintWalletTokenEndpoint,
  getHealthEndpoint,
  getReadinessEndpoint,
  getOpenApiEndpoint,
  getOpenApiV1Endpoint,
];

export const callbacks: readonly CallbackDefinition[] = [paymentCallback, paymentLinkCallback, tokenizationCallback];
