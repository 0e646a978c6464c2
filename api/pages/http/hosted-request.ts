/** One request of a payer: its session, whether the payer may use it, and the language of the answer. */

import type { Request, Response } from 'express';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import type { Session, SessionType } from '../../../shared/domain/session/session.js';
import type { HandlerDeps } from '../../deps.js';
import { stateOf } from '../../http/request-state.js';
import type { HostedCaller } from '../../sessions/hosted-inputs.js';
import { findByToken, findHostedSession, type HostedSession } from '../../sessions/hosted-session.js';
import { type Language, languageOf } from '../language.js';
import type { Form } from '../read-card-form.js';
import { browserOf } from './browser-of.js';
import { keptName } from './kept-name.js';
import { isOwnForm, keptToken } from './session-proof.js';

export interface HostedRequest {
  readonly hosted: HostedSession;
  /** Proves the session. Embedded forms contain it, and the proof of every form is derived from it. */
  readonly token: string;
  readonly language: Language;
  readonly form: Form;
  /** The payment method that a link on the page asks for. */
  readonly method?: string;
  /** The name that was typed in the previous try. */
  readonly name?: string | undefined;
  readonly caller: HostedCaller;
  readonly browserDetails: ReturnType<typeof browserOf>;
}

/** Builds the answer for a session that is unknown, has another type, or whose token is missing: the same for all. */
export const nothingHere = () => new GatewayError('not-found');

export const sessionIdOf = (request: Request): string => String(request.params['sessionId']);

/**
 * Finds only the session, for a page that asks for its status.
 * @param token from the request; by default the one that the browser keeps in a cookie.
 * @throws {GatewayError} `not-found`
 */
export async function sessionOfRequest(
  deps: HandlerDeps,
  request: Request,
  type: SessionType,
  token = keptToken(deps, request, sessionIdOf(request)),
): Promise<Session> {
  const session = token === undefined ? undefined : await findByToken(deps, sessionIdOf(request), token);
  if (session?.type !== type) throw nothingHere();
  return session;
}

/**
 * Reads the session of a request as its page shows it, and the form that was sent.
 * @param token from the request; by default the one that the browser keeps in a cookie.
 * @throws {GatewayError} `not-found`, also for a form that was not sent by our own page.
 */
export async function hostedRequest(
  deps: HandlerDeps,
  request: Request,
  response: Response,
  type: SessionType,
  token = keptToken(deps, request, sessionIdOf(request)),
): Promise<HostedRequest> {
  const hosted = token === undefined ? undefined : await findHostedSession(deps, sessionIdOf(request), token);
  if (!hosted || token === undefined || hosted.session.type !== type) throw nothingHere();
  const form = (request.body ?? {}) as Form;
  if (request.method === 'POST' && !isOwnForm(request, token, form['form'])) {
    throw new GatewayError('not-found', { internal: 'a form that was not sent by its own page' });
  }
  const state = stateOf(response);
  const { 'user-agent': userAgent, accept, 'accept-language': acceptLanguage } = request.headers;
  const { method } = request.query;
  const language = languageOf(request);
  return {
    hosted,
    token,
    language,
    form,
    ...(typeof method === 'string' && { method }),
    name: keptName(request),
    caller: { traceId: state.traceId, log: state.log },
    browserDetails: browserOf({
      ipAddress: state.remoteAddress,
      userAgent,
      accept,
      acceptLanguage,
      form: form['browser'],
      pageLanguage: language,
    }),
  };
}
