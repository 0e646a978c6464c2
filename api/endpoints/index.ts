/** THE LIST of endpoints: routes, OpenAPI and the authorization matrix are derived from it. */
import type { Endpoint } from '../http/define-endpoint.js';
import { getCodeEndpoint } from './codes/get-code.endpoint.js';
import { customerEndpoints } from './customers/index.js';
import { createAccessToken } from './identity/create-access-token.endpoint.js';
import { merchantEndpoints } from './merchants/index.js';
import { getHealth } from './operations/get-health.endpoint.js';
import { getOpenApi } from './operations/get-openapi.endpoint.js';
import { getOpenApiV1 } from './operations/get-openapi-v1.endpoint.js';
import { getReadiness } from './operations/get-readiness.endpoint.js';
import { paymentLinkEndpoints } from './payment-links/index.js';
import { paymentEndpoints } from './payments/index.js';
import { sessionEndpoints } from './sessions/index.js';
import { listTestCards } from './testing/list-test-cards.endpoint.js';
import { mintWalletTokenEndpoint } from './testing/mint-wallet-token.endpoint.js';
import { threeDsEndpoints } from './threeds/index.js';
import { createTokenization } from './tokenizations/create-tokenization.endpoint.js';
import { walletEndpoints } from './wallets/index.js';

export const endpoints: readonly Endpoint[] = [
  ...paymentEndpoints,
  getCodeEndpoint,
  ...sessionEndpoints,
  ...paymentLinkEndpoints,
  ...customerEndpoints,
  ...merchantEndpoints,
  ...walletEndpoints,
  createTokenization,
  ...threeDsEndpoints,
  createAccessToken,
  listTestCards,
  mintWalletTokenEndpoint,
  getHealth,
  getReadiness,
  getOpenApi,
  getOpenApiV1,
];
