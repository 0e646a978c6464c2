import { createPaymentMethodEndpoint } from './create-payment-method.endpoint.js';
import { deletePaymentMethodEndpoint } from './delete-payment-method.endpoint.js';
import { getMerchantEndpoint } from './get-merchant.endpoint.js';
import { getMerchantLogoEndpoint } from './get-merchant-logo.endpoint.js';
import { getPaymentMethodEndpoint } from './get-payment-method.endpoint.js';
import { listMerchantsEndpoint } from './list-merchants.endpoint.js';
import { listPaymentMethodsEndpoint } from './list-payment-methods.endpoint.js';
import { putMerchantLogoEndpoint } from './put-merchant-logo.endpoint.js';
import { replacePaymentMethodEndpoint } from './replace-payment-method.endpoint.js';

export const merchantEndpoints = [
  listMerchantsEndpoint,
  getMerchantEndpoint,
  listPaymentMethodsEndpoint,
  createPaymentMethodEndpoint,
  getPaymentMethodEndpoint,
  replacePaymentMethodEndpoint,
  deletePaymentMethodEndpoint,
  putMerchantLogoEndpoint,
  getMerchantLogoEndpoint,
];
