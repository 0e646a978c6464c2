/** One request of a payer: which session it is for, whether it may, and in which language it is answered. */

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
  /** Proves the session: goes into embedded forms, and makes the proof of every form. */
  readonly token: string;
  readonly language: Language;
  readonly form: Form;
  /** The way to pay that a link of the page asks for. */
  readonly method?: string;
  /** The name that was typed at the try before. */
  readonly name?: string | undefined;
  readonly caller: HostedCaller;
  readonly browserDetails: ReturnType<typeof browserOf>;
}

/** One answer for a session that is unknown, of another type, or whose token is not at hand. */
export const nothingHere = () => new GatewayError('not-found');

export const sessionIdOf = (request: Request): string => String(request.params['sessionId']);

/**
 * The session alone, for a page that asks how it stands.
 * @param token where it was sent; by default the one that the browser kept.
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
 * The session of a request as its page shows it, and what was sent.
 * @param token where it was sent; by default the one that the browser kept.
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
