import { query } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { merchantIdField } from '../payments/payment-request.schema.js';
import { linkSettings } from './link-examples.js';
import { linkSettingsSchema } from './payment-link.schema.js';
import { presentLinkSettings } from './present-payment-link.js';

export const getLinkSettingsEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/payment-links/settings',
  operationId: 'getPaymentLinkSettings',
  summary: 'Read the payment link settings of a merchant',
  description: 'A setting without a value is null; quick-pay is on unless it is switched off.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: { in: 'query', field: 'merchantId' },
  request: { query: query<{ merchantId: number }>({ merchantId: merchantIdField().required() }) },
  responses: { 200: linkSettingsSchema },
  errors: [],
  examples: { query: { merchantId: '1001' }, response: { 200: { found: linkSettings } } },
  handle: async ({ query: { merchantId } }, deps) =>
    presentLinkSettings(merchantId, await deps.linkSettings.find(merchantId)),
});
