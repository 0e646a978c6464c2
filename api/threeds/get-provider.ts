import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { ThreeDsProviderRow } from '../../shared/domain/threeds/settings.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { findProvider } from './provider-catalogue.js';
import { sandboxProvider } from './threeds-examples.js';
import { providerParams, threeDsProviderSchema } from './threeds-provider.schema.js';

/** @throws {GatewayError} `not-found` */
async function readProvider(
  { threeDsProviders }: Pick<ApiDeps, 'threeDsProviders'>,
  code: string,
): Promise<ThreeDsProviderRow> {
  const provider = findProvider(await threeDsProviders.list(), code);
  if (!provider) throw new GatewayError('not-found', { message: '3DS provider not found.' });
  return provider;
}

export const getThreeDsProviderEndpoint = defineEndpoint({
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
  handle: ({ params }, deps) => readProvider(deps, params.code),
});
