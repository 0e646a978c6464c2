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

/** Counts a visit of the caller's address. @throws {GatewayError} when there were too many */
export const admitVisit = async ({ rateLimits }: Pick<HandlerDeps, 'rateLimits'>, response: Response): Promise<void> =>
  rateLimits?.admitAddress('hostedPages', visits, stateOf(response).remoteAddress);

export function routesOf(app: Application, deps: HandlerDeps): Route {
  return (method, path, handle, readBody = readFormBody) => {
    const begin: RequestHandler = async (request, response, next) => {
      stateOf(response).route = path;
      await admitVisit(deps, response);
      keepLanguage(request, response, isSecure(deps));
      next();
    };
    const run: RequestHandler = async (request, response) => void (await handle(request, response));
    app[method](path, begin, ...(method === 'post' ? readBody : []), run);
  };
}
