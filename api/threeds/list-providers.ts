import { defineEndpoint } from '../http/define-endpoint.js';
import { sandboxProvider } from './threeds-examples.js';
import { threeDsProviderListSchema } from './threeds-provider.schema.js';

export const listThreeDsProvidersEndpoint = defineEndpoint({
  method: 'get',
  path: '/v1/threeds/providers',
  operationId: 'listThreeDsProviders',
  summary: 'List the 3DS providers',
  description:
    '`requiredFields` are the keys that `metadata` of the settings must have; `supportedPaymentMethods` are the methods it supports.',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: 'none',
  responses: { 200: threeDsProviderListSchema },
  errors: ['request-validation-errors'],
  examples: { response: { 200: { catalogue: [sandboxProvider] } } },
  handle: (_context, { threeDsProviders }) => threeDsProviders.list(),
});
