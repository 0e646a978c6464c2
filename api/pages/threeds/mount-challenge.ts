/** The pages of a challenge: the one that leads to the issuer (`approval_url`), and the one to which the issuer returns the payer. */

import type { Request, Response } from 'express';
import { limits } from '../../../config/limits.js';
import type { HandlerDeps } from '../../deps.js';
import { formBodyUpTo } from '../../http/read-form-body.js';
import { type NextStop, openChallenge, returnFromChallenge } from '../../threeds/answer-challenge.js';
import { nothingHere, sessionIdOf } from '../http/hosted-request.js';
import type { Route } from '../http/page-route.js';
import { schemesOf } from '../http/schemes-of.js';
import { seeOther, sendPage } from '../http/send-page.js';
import { languageOf } from '../language.js';
import { challengePage } from '../views/challenge.view.js';
import { admitVisit } from './admit-visit.js';

/** @throws {GatewayError} `not-found` when there is no challenge. */
function sendNext(request: Request, response: Response, next: NextStop | undefined): void {
  if (!next) throw nothingHere();
  if (next.kind === 'redirect') {
    seeOther(response, next.url);
    return;
  }
  const { acsUrl, creq, sessionData, merchant, amount } = next;
  const fields = { creq, threeDSSessionData: sessionData };
  const text = challengePage({ language: languageOf(request), payee: merchant, amount, acsUrl, fields });
  sendPage(response, 200, text, { formTo: schemesOf([acsUrl]).join(' ') });
}

/**
 * Mounts the pages, which are public: anyone who knows the id of a session counts as its payer.
 * @param route mounts a page with its limits.
 */
export function mountChallenge(route: Route, deps: HandlerDeps): void {
  const back = '/threeds/return/:sessionId';

  route('get', '/threeds/challenge/:sessionId', async (request, response) => {
    await admitVisit(deps, response);
    sendNext(request, response, await openChallenge(deps, sessionIdOf(request)));
  });
  route('get', back, async (request, response) => {
    await admitVisit(deps, response);
    sendNext(request, response, await returnFromChallenge(deps, sessionIdOf(request), undefined));
  });
  route(
    'post',
    back,
    async (request, response) => {
      await admitVisit(deps, response);
      // An issuer's page may send nothing, for example when it was interrupted: the payer has come back all the same.
      const { cres } = request.body as { cres?: string };
      sendNext(request, response, await returnFromChallenge(deps, sessionIdOf(request), cres));
    },
    formBodyUpTo(limits.challengeFormBytesMax),
  );
}
