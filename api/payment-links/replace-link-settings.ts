import { defineEndpoint } from '../http/define-endpoint.js';
import { linkSettings } from './link-examples.js';
import { linkSettingsSchema } from './payment-link.schema.js';
import { type LinkSettingsBody, linkSettingsRequestSchema } from './payment-link-request.schema.js';

export const replaceLinkSettingsEndpoint = defineEndpoint<unknown, unknown, LinkSettingsBody>({
  method: 'put',
  path: '/v1/payment-links/settings',
  operationId: 'replacePaymentLinkSettings',
  summary: 'Replace the payment link settings of a merchant',
  description: 'All settings are replaced. Existing links keep their end.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  request: { body: linkSettingsRequestSchema },
  responses: { 200: linkSettingsSchema },
  errors: ['currency-not-found', 'conflict'],
  examples: { request: { all: linkSettings }, response: { 200: { saved: linkSettings } } },
  handle: ({ body, principal }, { usecases }) => usecases.replaceLinkSettings(principal.clientId, body),
});
