/** Mounts a page with its limit of visits and the reader of its form. */
import type { Application, Request, RequestHandler, Response } from 'express';
import { limits } from '../../../config/limits.js';
import type { HandlerDeps } from '../../deps.js';
import { readFormBody } from '../../http/read-form-body.js';
import { stateOf } from '../../http/request-state.js';
import { keepLanguage } from '../language.js';
import { isSecure } from './session-proof.js';

const visits = { requests: limits.pageVisitsMax, windowSeconds: limits.pageVisitsSeconds };

/**
 * Mounts a page. The log has the pattern of the route, because addresses contain ids.
 * @param readBody of a POST; by default a form
 */
export type Route = (
  method: 'get' | 'post',
  path: string,
  handle: (request: Request, response: Response) => unknown,
  readBody?: readonly RequestHandler[],
) => void;

/**
 * Notes the route of a page for the log, and counts the visit.
 * @throws {GatewayError} `too-many-requests`
 */
export async function beginVisit(
  { rateLimits }: Pick<HandlerDeps, 'rateLimits'>,
  response: Response,
  path: string,
): Promise<void> {
  const state = stateOf(response);
  state.route = path;
  await rateLimits?.admitAddress('hostedPages', visits, state.remoteAddress);
}

/** Returns the function that mounts the pages for payers. */
export function routesOf(app: Application, deps: HandlerDeps): Route {
  return (method, path, handle, readBody = readFormBody) => {
    const begin: RequestHandler = async (request, response, next) => {
      await beginVisit(deps, response, path);
      keepLanguage(request, response, isSecure(deps));
      next();
    };
    const run: RequestHandler = async (request, response) => void (await handle(request, response));
    app[method](path, begin, ...(method === 'post' ? readBody : []), run);
  };
}
