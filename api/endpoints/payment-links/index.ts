import { createPaymentLinkEndpoint } from './create-payment-link.endpoint.js';
import { disablePaymentLinkEndpoint } from './disable-payment-link.endpoint.js';
import { getLinkQrEndpoint } from './get-link-qr.endpoint.js';
import { getLinkSettingsEndpoint } from './get-link-settings.endpoint.js';
import { getPaymentLinkEndpoint } from './get-payment-link.endpoint.js';
import { listLinkPaymentsEndpoint } from './list-link-payments.endpoint.js';
import { listPaymentLinksEndpoint } from './list-payment-links.endpoint.js';
import { replaceLinkSettingsEndpoint } from './replace-link-settings.endpoint.js';
import { replaceSplitDestinationsEndpoint } from './replace-split-destinations.endpoint.js';

/** `settings` stands before the id, which would match it. */
export const paymentLinkEndpoints = [
  createPaymentLinkEndpoint,
  listPaymentLinksEndpoint,
  getLinkSettingsEndpoint,
  replaceLinkSettingsEndpoint,
  getPaymentLinkEndpoint,
  disablePaymentLinkEndpoint,
  listLinkPaymentsEndpoint,
  replaceSplitDestinationsEndpoint,
  getLinkQrEndpoint,
];
