/**
 * The 3DS method in the hidden frame of a checkout: the page that leads to the issuer's page, and the issuer's notification that it is
 * done.
 */

import type { Request, Response } from 'express';
import type { HandlerDeps } from '../../deps.js';
import { completeMethod, methodPath, openMethod } from '../../threeds/complete-method.js';
import { nothingHere, sessionIdOf } from '../http/hosted-request.js';
import type { Route } from '../http/page-route.js';
import { schemesOf } from '../http/schemes-of.js';
import { sendPage } from '../http/send-page.js';
import { languageOf } from '../language.js';
import { methodDonePage, methodPage } from '../views/method.view.js';
import { admitVisit } from './admit-visit.js';

/** Our own checkout frames these pages. */
const ancestors = ["'self'"];

/**
 * Mounts the pages, which are public like those of challenges: anyone who knows the id of a session counts as its payer.
 * @param route mounts a page with its limits.
 */
export function mountMethod(route: Route, deps: HandlerDeps): void {
  const path = methodPath(':sessionId');

  const complete = async (request: Request, response: Response, methodData: string | undefined) => {
    await admitVisit(deps, response);
    if (!(await completeMethod(deps, sessionIdOf(request), methodData))) throw nothingHere();
    sendPage(response, 200, methodDonePage(languageOf(request)), { ancestors });
  };

  route('get', path, async (request, response) => {
    await admitVisit(deps, response);
    const sessionId = sessionIdOf(request);
    const call = await openMethod(deps, sessionId);
    if (!call) throw nothingHere();
    const text = methodPage({ language: languageOf(request), ...call, skipPath: `${methodPath(sessionId)}/skip` });
    sendPage(response, 200, text, { ancestors, formTo: schemesOf([call.url]).join(' ') });
  });
  // The issuer's page posts this from the payer's browser.
  route('post', path, async (request, response) => {
    const { threeDSMethodData } = request.body as { threeDSMethodData?: string };
    await complete(request, response, threeDSMethodData ?? '');
  });
  route('get', `${path}/skip`, (request, response) => complete(request, response, undefined));
}
