/** Mounts the list of endpoints as routes. */
import type { Application, Request, RequestHandler, Response } from 'express';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { HandlerDeps } from '../deps.js';
import { createListGate, type ListGate } from '../limits/list-gate.js';
import { authenticate } from './authenticate.js';
import { checkQuery } from './check-query.js';
import { Answer, type Endpoint, type MerchantField, successStatus } from './define-endpoint.js';
import { KeptAnswer, runOnce } from './idempotency.js';
import { limitAddress, limitClient, limitLists } from './limit-requests.js';
import { readFormBody } from './read-form-body.js';
import { readJsonBody } from './read-json-body.js';
import { readUpload } from './read-upload.js';
import { auditCall } from './record-audit.js';
import { RequestContext } from './request-context.js';
import { stateOf } from './request-state.js';
import { send } from './send.js';
import { validateRequest } from './validate-request.js';

/** Runs first on each route, so that the log line names the pattern whatever happens next. */
const noteRoute =
  ({ path, quiet = false, presentError }: Pick<Endpoint, 'path' | 'quiet' | 'presentError'>): RequestHandler =>
  (_request, response, next) => {
    const state = stateOf(response);
    state.route = path;
    state.quiet = quiet;
    state.presentError = presentError;
    next();
  };

const noteChange =
  (endpoint: Endpoint, { audit }: HandlerDeps): RequestHandler =>
  (request, response, next) => {
    const state = stateOf(response);
    state.audited = auditCall(endpoint, request, state, audit);
    next();
  };

const checkTexts =
  ({ refuseCardTexts }: HandlerDeps): RequestHandler =>
  async (request, _response, next) => {
    await refuseCardTexts(request.body);
    next();
  };

/** Authorizes the merchant that the request names. The field may be an optional filter: without it there is nothing to authorize. */
function checkMerchantField({ in: segment, field }: MerchantField, deps: HandlerDeps): RequestHandler {
  return async (request, response, next) => {
    const state = stateOf(response);
    const merchantId = (request[segment] as Record<string, unknown> | undefined)?.[field];
    if (typeof merchantId === 'number' && state.principal) {
      state.merchantId = merchantId;
      await deps.authorizeMerchant(state.principal, merchantId, field);
    }
    next();
  };
}

function handle(endpoint: Endpoint, deps: HandlerDeps) {
  const usual = successStatus(endpoint);
  return async (request: Request, response: Response): Promise<void> => {
    const result = await runOnce(endpoint, request, response, deps.idempotency, {
      authorize: async () => endpoint.authorizeResource?.(new RequestContext(request, response), deps),
      run: async (idempotency) => endpoint.handle(new RequestContext(request, response, idempotency), deps),
    });
    if (!(result instanceof KeptAnswer)) stateOf(response).audited?.done(result);
    if (deps.readiness.draining) response.setHeader('Connection', 'close');
    if (result instanceof Answer) send(response, result.status ?? usual, result.body, result.headers);
    else send(response, usual, result);
  };
}

function chainOf(endpoint: Endpoint, deps: HandlerDeps, lists: ListGate): RequestHandler[] {
  const { auth, keyOnly, merchantScope, request, bodyFormat } = endpoint;
  const { rateLimits } = deps;
  const validate = validateRequest(endpoint);
  return [
    noteRoute(endpoint),
    noteChange(endpoint, deps),
    ...(rateLimits ? limitAddress(endpoint, rateLimits) : []),
    ...(auth === 'basic' ? [authenticate(deps.authenticator, keyOnly)] : []),
    ...(auth === 'basic' && rateLimits ? [limitClient(endpoint, rateLimits)] : []),
    checkQuery(request?.query),
    ...(request?.body ? (bodyFormat === 'form' ? readFormBody : readJsonBody) : []),
    ...(validate ? [validate] : []),
    ...(request?.body ? [checkTexts(deps)] : []),
    ...(typeof merchantScope === 'object' ? [checkMerchantField(merchantScope, deps)] : []),
    ...(request?.upload ? [readUpload(request.upload)] : []),
    ...limitLists(endpoint, lists),
    handle(endpoint, deps),
  ];
}

/** Sorts fixed segments before parameters, so that `/v1/payments/query` is not taken for a payment id. */
export function bySpecificity(a: string, b: string): number {
  const key = (path: string) =>
    path
      .split('/')
      .map((segment) => (segment.startsWith(':') ? `1${segment}` : `0${segment}`))
      .join('/');
  return key(a) < key(b) ? -1 : 1;
}

function groupByPath(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const byPath = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint]);
  return byPath;
}

/** A kept answer must not be returned before the caller's access to the object is checked (docs/security.md#kept-answers). */
function refuseUnguarded({ operationId, idempotent, merchantScope, authorizeResource }: Endpoint): void {
  const namesObject = merchantScope === 'resource' || merchantScope === 'client-resource';
  if (idempotent && namesObject && !authorizeResource) {
    throw new Error(`${operationId} is idempotent and about an object: it needs authorizeResource`);
  }
}

/**
 * Mounts all endpoints. A method that a path does not support is answered with 405 and `Allow`.
 * @throws {Error} at start when two endpoints share method and path, or when an endpoint would repeat kept answers to any caller.
 */
export function mountEndpoints(app: Application, endpoints: readonly Endpoint[], deps: HandlerDeps): void {
  endpoints.forEach(refuseUnguarded);
  const byPath = groupByPath(endpoints);
  const lists = createListGate(limits);
  for (const path of [...byPath.keys()].sort(bySpecificity)) {
    const own = byPath.get(path) ?? [];
    const methods = own.map((endpoint) => endpoint.method);
    if (new Set(methods).size !== methods.length) throw new Error(`Two endpoints share a method of ${path}`);
    const route = app.route(path);
    for (const endpoint of own) route[endpoint.method](...chainOf(endpoint, deps, lists));
    const allow = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ');
    route.all(noteRoute({ path }), (_request, response) => {
      response.setHeader('Allow', allow);
      throw new GatewayError('method-not-allowed', { message: `Method not allowed. This path supports ${allow}.` });
    });
  }
}
