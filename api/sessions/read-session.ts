import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body } from '../../shared/contract/joi.js';
import { mayUseMerchant, type Principal } from '../../shared/domain/principal.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { ApiDeps } from '../deps.js';
import type { Context } from '../http/define-endpoint.js';
import { pathId } from '../http/path-id.js';

export interface SessionIdParams {
  readonly sessionId: string;
}

export const sessionIdParams = body<SessionIdParams>({
  sessionId: pathId(),
});

/**
 * Reads a session that this caller may see. Sessions of payers at links are in no list, and are not found here either.
 * @throws {GatewayError} `not-found`: the same answer for an unknown id, another client's session, and a merchant that is not granted.
 */
export async function readSession(
  { sessions }: Pick<ApiDeps, 'sessions'>,
  sessionId: string,
  principal: Principal,
): Promise<Session> {
  const session = await sessions.findById(sessionId);
  const visible =
    session &&
    session.paymentLink === undefined &&
    mayUseMerchant(principal, { id: session.merchantId, clientId: session.clientId });
  if (!visible) throw new GatewayError('not-found', { message: 'Session not found.' });
  return session;
}

/** Authorizes endpoints whose path names a session. @throws {GatewayError} `not-found` */
export const authorizeSession = (
  { params, principal }: Pick<Context<SessionIdParams>, 'params' | 'principal'>,
  deps: Pick<ApiDeps, 'sessions'>,
): Promise<unknown> => readSession(deps, params.sessionId, principal);
