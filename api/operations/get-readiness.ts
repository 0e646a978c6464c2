import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body, Joi } from '../../shared/contract/joi.js';
import { defineEndpoint } from '../http/define-endpoint.js';

export const getReadinessEndpoint = defineEndpoint({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the process accepts requests',
  description:
    'Ready when MongoDB answers and its indexes exist. While Redis is away, or refused the last nudge, the gateway is slower, `degraded`, and still ready. `notices` says what an ' +
    'operator may want to know: `bin-table-empty`, type, issuer and country of cards are unknown; `safe-mode`, the database was restored and no ' +
    'payment is accepted until it was compared with the processors; `redis-evicts`, its maxmemory-policy is not noeviction. A process that is not ' +
    'ready says why in `params.reason`.',
  tags: ['Operations'],
  auth: 'none',
  merchantScope: 'none',
  quiet: true,
  responses: {
    200: body({
      status: Joi.string().valid('ready').required(),
      mongodb: Joi.string().valid('ok').required(),
      redis: Joi.string().valid('ok', 'degraded').required(),
      notices: Joi.array().items(Joi.string().valid('bin-table-empty', 'safe-mode', 'redis-evicts')),
    }),
  },
  errors: ['service-unavailable'],
  examples: { response: { 200: { ready: { status: 'ready', mongodb: 'ok', redis: 'ok' } } } },
  async handle(_context, { readiness }) {
    const { ready, mongodb, redis, notices, reason = 'not ready' } = await readiness.check();
    if (!ready) {
      throw new GatewayError('service-unavailable', {
        internal: reason,
        message: 'This process is not ready; see params.',
        params: { reason: [reason] },
        retryAfterSeconds: limits.retryAfterSeconds,
      });
    }
    return { status: 'ready', mongodb, redis, ...(notices && { notices }) };
  },
});
