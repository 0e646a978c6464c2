/** An application of endpoints made for the tests: the machinery is tested without any payment. */

import mongoose from 'mongoose';
import { createAppOf } from '../../api/app.js';
import type { ApiDeps } from '../../api/deps.js';
import { defineEndpoint, type Endpoint } from '../../api/http/define-endpoint.js';
import { systemClock } from '../../shared/clock.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body, Joi, metadata, nullable, query, text, withErrorCode } from '../../shared/contract/joi.js';
import type { Log, LogFields } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import type { IdempotencyRepository } from '../../shared/store/idempotency.repository.js';

const { mongo } = mongoose;

export interface Line extends LogFields {
  readonly level: string;
  readonly message: string;
}

/** A log that keeps its lines. */
export function memoryLog(lines: Line[], base: LogFields = {}): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, ...base, ...fields });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => memoryLog(lines, { ...base, ...fields }),
  };
}

export const GOOD = `Basic ${Buffer.from('client:key').toString('base64')}`;

/** Every key is new. */
const openRows: IdempotencyRepository = {
  start: async () => ({ kind: 'claimed', claim: { rowId: 'row', token: 'token', seed: 'seed', resumed: false } }),
  finish: async () => undefined,
  abandon: async () => undefined,
  forget: async () => undefined,
};

/** What the machinery of HTTP works with. No flow is called over these: there is no store behind them. */
type MachineryDeps = Partial<ApiDeps> & Pick<ApiDeps, 'log' | 'authenticator' | 'idempotency' | 'readiness'>;

/** Dependencies whose one key is {@link GOOD}, and the lines they logged. */
export function testDeps(overrides: Partial<ApiDeps> = {}): { deps: ApiDeps; lines: Line[] } {
  const lines: Line[] = [];
  const deps: MachineryDeps = {
    config: {
      environment: 'testing',
      publicBaseUrl: 'http://127.0.0.1',
      trustedProxies: { hops: 0 },
      responseWaitMs: 15_000,
      sandboxFile: undefined,
      sandboxProcessorUrl: undefined,
    } as ApiDeps['config'],
    log: memoryLog(lines),
    clock: systemClock,
    metrics: createMetrics({ process: 'test' }),
    authenticator: {
      authenticate: async (header) =>
        header === GOOD ? { clientId: 'cli_1', keyId: 'key_1', merchants: [7] } : undefined,
    },
    authorizeMerchant: async (principal, merchantId) => {
      if (merchantId === 404) throw new GatewayError('merchant-not-found');
      if (principal.merchants !== 'all' && !principal.merchants.includes(merchantId))
        throw new GatewayError('forbidden');
    },
    idempotency: {
      rows: openRows,
      digest: (sent) => JSON.stringify(sent),
      references: { isSame: async (_clientId, _refKey, known, digest) => known === digest },
      leaseMs: 30_000,
    },
    refuseCardTexts: async () => undefined,
    readiness: { draining: false, check: async () => ({ ready: true, mongodb: 'ok', redis: 'ok' }) },
    ...overrides,
  };
  return { deps: deps as ApiDeps, lines };
}

interface EchoBody {
  merchantId: number;
  name?: string;
  amount?: string;
  at?: Date;
  metadata?: Record<string, string>;
  card?: { number: string; year?: number };
  items?: unknown[];
  open?: unknown;
}

const any = Joi.any();

/** Returns what the handler was given. */
export const postEcho = defineEndpoint({
  method: 'post',
  path: '/v1/echo',
  operationId: 'postEcho',
  summary: 'Echo',
  tags: ['test'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  request: {
    query: query<{ n?: number }>({ n: Joi.int32() }),
    body: body<EchoBody>({
      merchantId: Joi.int32().required(),
      name: nullable(text(20)),
      amount: Joi.decimalText(),
      at: Joi.dateTime(),
      metadata: nullable(metadata()),
      card: withErrorCode(
        'invalid-card-number',
        body({ number: Joi.string().pattern(/^\d+$/).required(), year: Joi.int32() }),
      ),
      items: Joi.array().items(Joi.any()),
      open: Joi.any(),
    }),
  },
  responses: { 200: any },
  errors: ['conflict'],
  handle: ({ body: sent, query: asked, principal }) => ({ body: sent, query: asked, client: principal.clientId }),
});

const open = { tags: ['test'], auth: 'none', merchantScope: 'none', responses: { 200: any }, errors: [] } as const;

export const testEndpoints: Endpoint[] = [
  postEcho,
  defineEndpoint({
    ...open,
    method: 'get',
    path: '/v1/things/:id',
    operationId: 'getThing',
    summary: 'By id',
    request: { params: body<{ id: string }>({ id: text(10) }) },
    handle: ({ params }) => params,
  }),
  defineEndpoint({
    ...open,
    method: 'get',
    path: '/v1/things/query',
    operationId: 'queryThings',
    summary: 'Fixed before parameter',
    handle: () => ({ fixed: true }),
  }),
  defineEndpoint({
    ...open,
    method: 'get',
    path: '/v1/crash',
    operationId: 'crash',
    summary: 'A bug',
    handle: () => {
      throw new Error('secret text of ours at /etc/passwd');
    },
  }),
  defineEndpoint({
    ...open,
    method: 'get',
    path: '/v1/silent-database',
    operationId: 'silent',
    summary: 'MongoDB away',
    handle: () => {
      throw new mongo.MongoNetworkError('connect ECONNREFUSED');
    },
  }),
  defineEndpoint({
    ...open,
    method: 'get',
    path: '/v1/slow-database',
    operationId: 'slow',
    summary: 'MongoDB breaks off',
    handle: () => {
      throw new mongo.MongoServerError({ message: 'operation exceeded time limit', code: 50 });
    },
  }),
  defineEndpoint({
    ...open,
    method: 'get',
    path: '/v1/busy',
    operationId: 'busy',
    summary: 'Too busy',
    handle: () => {
      throw new GatewayError('service-unavailable', { retryAfterSeconds: 3, internal: 'too many wait' });
    },
  }),
];

export const testApp = (overrides: Partial<ApiDeps> = {}, extra: readonly Endpoint[] = []) => {
  const { deps, lines } = testDeps(overrides);
  return { app: createAppOf([...testEndpoints, ...extra], deps), lines, deps };
};
