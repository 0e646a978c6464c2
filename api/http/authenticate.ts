import type { Request, RequestHandler } from 'express';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Authenticator } from '../deps.js';
import { bearerTokenOf } from '../identity/access-token.js';
import { stateOf } from './request-state.js';

const HEADER = 'authorization';

/**
 * Node keeps the first of two `Authorization` headers and drops the other, so this reads the raw list
 * (docs/security.md#basic-credentials).
 */
function isGivenTwice(request: Request): boolean {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === HEADER.length && name.toLowerCase() === HEADER) count += 1;
  }
  return count > 1;
}

/**
 * Authenticates the caller before anything of the body is read.
 * @param keyOnly refuses bearer tokens: a token must not be usable to get a new token.
 */
export function authenticate(authenticator: Authenticator, keyOnly = false): RequestHandler {
  return async (request, response, next) => {
    const state = stateOf(response);
    const header = request.headers.authorization;
    const refused = isGivenTwice(request) || (keyOnly && bearerTokenOf(header) !== undefined);
    const principal = refused ? undefined : await authenticator.authenticate(header, state.remoteAddress);
    if (!principal) throw new GatewayError('unauthorized');
    state.principal = principal;
    next();
  };
}
