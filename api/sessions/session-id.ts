import { body, Joi } from '../../shared/contract/joi.js';
import type { HandlerDeps } from '../deps.js';
import type { Context } from '../http/define-endpoint.js';

export interface SessionIdParams {
  readonly sessionId: string;
}

/** Any text: an id that cannot exist is answered like one that does not. */
export const sessionIdParams = body<SessionIdParams>({ sessionId: Joi.string().max(200).required() });

/** For endpoints whose path names a session. @throws {GatewayError} `not-found` */
export const authorizeSession = (
  { params, principal }: Pick<Context<SessionIdParams>, 'params' | 'principal'>,
  { usecases }: Pick<HandlerDeps, 'usecases'>,
): Promise<unknown> => usecases.readSession(params.sessionId, principal);
