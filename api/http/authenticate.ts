import type { Request, RequestHandler } from 'express';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Authenticator } from '../deps.js';
import { stateOf } from './request-state.js';

const HEADER = 'authorization';

/** Node keeps the first of two `Authorization` headers and drops the other, so the raw list is looked at (S3). */
function isGivenTwice(request: Request): boolean {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === HEADER.length && name.toLowerCase() === HEADER) count += 1;
  }
  return count > 1;
}

/** Finds out who calls before anything of the body is read. */
export function authenticate(authenticator: Authenticator): RequestHandler {
  return async (request, response, next) => {
    const principal = isGivenTwice(request)
      ? undefined
      : await authenticator.authenticate(request.headers.authorization);
    if (!principal) throw new GatewayError('unauthorized');
    stateOf(response).principal = principal;
    next();
  };
}
