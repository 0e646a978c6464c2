/** The first visit to the address of a hosted page: its token becomes a cookie (docs/security.md#tokens-of-hosted-pages). */

import type { Request, Response } from 'express';
import type { SessionType } from '../../../shared/domain/session/session.js';
import type { HandlerDeps } from '../../deps.js';
import { stateOf } from '../../http/request-state.js';
import { findHostedSession, type HostedSession } from '../../sessions/hosted-session.js';
import { languageOf, textsOf } from '../language.js';
import { errorPage } from '../views/outcome.view.js';
import { nothingHere, sessionIdOf } from './hosted-request.js';
import { seeOther, sendPage } from './send-page.js';
import { keepToken, keptToken } from './session-proof.js';

export const GONE = 410;

export const queryText = ({ query }: Request, name: string): string | undefined => {
  const value = query[name];
  return typeof value === 'string' ? value : undefined;
};

/** Returns the path of the requested page with the chosen language, without the token. */
export const cleanPath = (request: Request): string => {
  const lang = queryText(request, 'lang');
  return lang === undefined ? request.path : `${request.path}?lang=${encodeURIComponent(lang)}`;
};

/** Whether the address is used up: the session is completed or cancelled. */
export const isOver = ({ status }: HostedSession): boolean => status === 'completed' || status === 'cancelled';

/** Tells another browser only that the address is used up: the receipt is for the payer. */
function sendGone(request: Request, response: Response, { session, status }: HostedSession): void {
  const language = languageOf(request);
  const texts = textsOf[language];
  const used =
    session.type === 'checkout' ? [texts.usedTitle, texts.usedMore] : [texts.savedUsedTitle, texts.savedUsedMore];
  const [title = '', ...sentences] = status === 'cancelled' ? [texts.cancelledTitle, texts.cancelledMore] : used;
  const { traceId } = stateOf(response);
  sendPage(response, GONE, errorPage({ language, title, sentences, traceId }));
}

/**
 * Stores the token of the address in a cookie and redirects to the address without the token.
 * @returns false when the address has no token: nothing was answered.
 */
export async function exchangeToken(
  deps: HandlerDeps,
  type: SessionType,
  request: Request,
  response: Response,
): Promise<boolean> {
  const token = queryText(request, 'token');
  if (token === undefined) return false;
  const hosted = await findHostedSession(deps, sessionIdOf(request), token);
  if (hosted?.session.type !== type) throw nothingHere();
  if (isOver(hosted) && keptToken(deps, request, hosted.session._id) !== token) {
    sendGone(request, response, hosted);
    return true;
  }
  keepToken(deps, request, response, hosted, token);
  seeOther(response, cleanPath(request));
  return true;
}
