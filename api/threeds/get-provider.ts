import { defineEndpoint } from '../http/define-endpoint.js';
import { sandboxProvider } from './threeds-examples.js';
import { type ProviderParams, providerParams, threeDsProviderSchema } from './threeds-provider.schema.js';

export const getThreeDsProviderEndpoint = defineEndpoint<ProviderParams>({
  method: 'get',
  path: '/v1/threeds/providers/:code',
  operationId: 'getThreeDsProvider',
  summary: 'Read a 3DS provider',
  description: 'The code is case-insensitive.',
  tags: ['3D Secure'],
  auth: 'basic',
  merchantScope: 'none',
  request: { params: providerParams },
  responses: { 200: threeDsProviderSchema },
  errors: ['request-validation-errors', 'not-found'],
  examples: { params: { code: 'Sandbox' }, response: { 200: { provider: sandboxProvider } } },
  handle: ({ params }, { usecases }) => usecases.readThreeDsProvider(params.code),
});
