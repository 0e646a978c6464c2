/**
 * The operator's port: health, readiness and metrics behind one user and password, away from the public port
 * (docs/security.md#operator-port).
 */

import type { Express } from 'express';
import type { Config } from '../config/index.js';
import { GatewayError } from '../shared/contract/gateway-error.js';
import { Joi } from '../shared/contract/joi.js';
import { createOperatorSignIn } from '../shared/identity/operator-sign-in.js';
import { createAppOf } from './app.js';
import type { ApiDeps, Authenticator } from './deps.js';
import { answer, defineEndpoint, type Endpoint } from './http/define-endpoint.js';
import { getHealthEndpoint } from './operations/get-health.js';
import { getReadinessEndpoint } from './operations/get-readiness.js';

const getMetricsEndpoint = defineEndpoint({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  summary: 'Metrics of the process in the format of Prometheus',
  tags: ['Operations'],
  auth: 'basic',
  merchantScope: 'none',
  quiet: true,
  responses: { 200: Joi.string() },
  errors: [],
  handle: async (_context, { metrics }) =>
    answer(await metrics.text(), { headers: { 'Content-Type': metrics.contentType } }),
});

const behindSignIn = (endpoint: Endpoint): Endpoint => ({ ...endpoint, auth: 'basic' });

const operatorEndpoints: readonly Endpoint[] = [
  behindSignIn(getHealthEndpoint),
  behindSignIn(getReadinessEndpoint),
  getMetricsEndpoint,
];

/** The text of the error catalogue names client ids and API keys, which this port does not take. */
const SIGN_IN = 'Authentication failed. Send HTTP Basic with OPERATOR_USER and OPERATOR_PASSWORD of this process.';

/** Creates an authenticator that knows one caller: the operator. */
function createOperatorAuthenticator(
  config: Pick<Config, 'operatorUser' | 'operatorPassword'>,
  { log }: Pick<ApiDeps, 'log'>,
): Authenticator {
  const operator = { clientId: 'operator', keyId: 'operator', merchants: [] } as const;
  const signIn = createOperatorSignIn(config, log);
  return {
    authenticate: async (header, address = '') => {
      const result = await signIn(header, address);
      if (result.kind === 'blocked') {
        const { retryAfterSeconds } = result;
        const internal = 'too many failed operator sign-ins';
        throw new GatewayError('too-many-requests', { internal, retryAfterSeconds });
      }
      if (result.kind === 'stranger') throw new GatewayError('unauthorized', { message: SIGN_IN });
      return operator;
    },
  };
}

/** Builds the application of the operator port from the dependencies of the API process. */
export function createOperatorApp(deps: ApiDeps, config: Pick<Config, 'operatorUser' | 'operatorPassword'>): Express {
  const { rateLimits: _forClients, ...rest } = deps;
  // The trusted proxies are in front of the public port. Here they would let any caller choose the address that is counted and blocked.
  const direct = { ...deps.config, trustedProxies: { hops: 0 } };
  return createAppOf(operatorEndpoints, {
    ...rest,
    config: direct,
    authenticator: createOperatorAuthenticator(config, deps),
  });
}
