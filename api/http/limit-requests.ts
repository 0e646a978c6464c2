import type { RequestHandler, Response } from 'express';
import type { Count } from '../limits/counters.js';
import type { ListGate } from '../limits/list-gate.js';
import { rateGroupOf } from '../limits/rate-group.js';
import type { RateLimits } from '../limits/rate-limits.js';
import type { Endpoint } from './define-endpoint.js';
import { stateOf } from './request-state.js';

/** How the interactive reference marks its requests (docs/api.md#limits). */
const MARK = 'x-interactive-testing';

function setRateLimitHeaders(response: Response, { limit, remaining, resetSeconds }: Count): void {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', remaining);
  response.setHeader('RateLimit-Reset', resetSeconds);
}

/** Counts the requests of a client, which is authenticated by then. Runs before anything of the body is read. */
export function limitClient(endpoint: Endpoint, rateLimits: RateLimits): RequestHandler {
  const group = rateGroupOf(endpoint);
  return async (request, response, next) => {
    const { principal } = stateOf(response);
    if (principal) {
      const interactive = request.headers[MARK] === 'true';
      const count = await rateLimits.admit({ clientId: principal.clientId, group, interactive });
      if (count) setRateLimitHeaders(response, count);
    }
    next();
  };
}

/** Counts the requests of an address, for an endpoint that limits them. */
export function limitAddress({ operationId, addressLimit }: Endpoint, rateLimits: RateLimits): RequestHandler[] {
  if (!addressLimit) return [];
  return [
    async (_request, response, next) => {
      await rateLimits.admitAddress(operationId, addressLimit, stateOf(response).remoteAddress);
      next();
    },
  ];
}

/** Whether the endpoint answers pages of a list. To fill a page, all records of the client may have to be read. */
const isList = ({ method, request }: Endpoint): boolean =>
  method === 'get' && 'size' in ((request?.query?.describe().keys ?? {}) as object);

/** Limits how many lists of one client are read at once. Runs last, so that a call that holds a slot waits for nothing else. */
export function limitLists(endpoint: Endpoint, gate: ListGate): RequestHandler[] {
  if (endpoint.auth !== 'basic' || !isList(endpoint)) return [];
  return [
    async (_request, response, next) => {
      const { principal } = stateOf(response);
      const leave = principal && (await gate.enter(principal.clientId));
      if (leave) {
        if (response.closed) leave();
        else response.once('close', leave);
      }
      next();
    },
  ];
}
