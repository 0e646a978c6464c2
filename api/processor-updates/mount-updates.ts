/** Mounts the address for updates of processors: raw bytes, a size limit of its own, no client credentials. */
import type { Application, RequestHandler } from 'express';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { ApiDeps } from '../deps.js';
import { readBytes } from '../http/read-bytes.js';
import { stateOf } from '../http/request-state.js';
import { createReceiver, type UpdateDeps, updateTargetOf } from './receive-update.js';

const PATHS = ['/v1/processors/:code/updates', '/v1/processors/:code/updates/:merchantId'] as const;
const addressLimit = { requests: limits.updatesPerAddressMax, windowSeconds: limits.updatesPerAddressSeconds };

const noteRoute =
  (path: string): RequestHandler =>
  (_request, response, next) => {
    stateOf(response).route = path;
    next();
  };

/** Names this size limit, because the message of the catalogue names that of other bodies. */
const nameBound: RequestHandler = (request, _response, next) => {
  if (Number(request.headers['content-length'] ?? 0) <= limits.updateBodyBytesMax) return next();
  throw new GatewayError('payload-too-large', {
    message: `The request body is larger than ${limits.updateBodyBytesMax / 1024} kB.`,
  });
};

const onlyPost: RequestHandler = (_request, response) => {
  response.setHeader('Allow', 'POST');
  throw new GatewayError('method-not-allowed', { message: 'Method not allowed. This path supports POST.' });
};

export function mountUpdates(app: Application, deps: UpdateDeps & Pick<ApiDeps, 'rateLimits'>): void {
  const receive = createReceiver(deps);
  /** Runs before a byte of the body is read. */
  const admit: RequestHandler = async (request, response, next) => {
    updateTargetOf(deps, request);
    await deps.rateLimits?.admitAddress('processor-updates', addressLimit, stateOf(response).remoteAddress);
    next();
  };
  for (const path of PATHS) {
    const route = app.route(path);
    route.post(noteRoute(path), admit, nameBound, readBytes(limits.updateBodyBytesMax), (request, response) =>
      receive(updateTargetOf(deps, request), request, response),
    );
    route.all(noteRoute(path), onlyPost);
  }
}
