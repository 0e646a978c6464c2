/** The pages of a challenge: on the way to the issuer (`approval_url`), and on the way back. */
import { randomBytes } from 'node:crypto';
import type { Application, RequestHandler, Response } from 'express';
import { limits } from '../../../config/limits.js';
import type { HandlerDeps } from '../../deps.js';
import { readFormBody } from '../../http/read-form-body.js';
import { stateOf } from '../../http/request-state.js';
import { send } from '../../http/send.js';
import type { NextStop } from '../../usecases/answer-challenge.js';
import { renderPage } from './render-page.js';

const visits = { requests: limits.challengeVisitsMax, windowSeconds: limits.challengeVisitsSeconds };
const SEE_OTHER = 303;

function sendPage(response: Response, status: number, page: Parameters<typeof renderPage>[0]): void {
  const nonce = randomBytes(16).toString('base64');
  const formAction = page.form ? new URL(page.form.action).origin : "'none'";
  response.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
  );
  send(response, status, renderPage(page, nonce), { 'Content-Type': 'text/html; charset=utf-8' });
}

function sendNext(response: Response, next: NextStop | undefined): void {
  if (next?.kind === 'redirect') {
    response.setHeader('Location', next.url);
    send(response, SEE_OTHER, '', { 'Content-Type': 'text/plain; charset=utf-8' });
  } else if (next) {
    const { acsUrl, creq, sessionData } = next;
    sendPage(response, 200, {
      title: 'On the way to your bank',
      text: 'Your bank asks you to confirm this payment.',
      form: { action: acsUrl, fields: { creq, threeDSSessionData: sessionData }, button: 'Continue to your bank' },
    });
  } else {
    const text = 'This confirmation does not exist or is over. Go back to the shop.';
    sendPage(response, 404, { title: 'Nothing to confirm', text });
  }
}

const sessionIdOf = (params: Record<string, unknown>) => String(params['sessionId']);

/** Puts the pages on the application. They are public: whoever knows the id of a session is its payer. */
export function mountThreeDsPages(app: Application, { usecases, rateLimits }: HandlerDeps): void {
  const start =
    (route: string): RequestHandler =>
    async (_request, response, next) => {
      const state = stateOf(response);
      state.route = route;
      await rateLimits?.admitAddress('challengePages', visits, state.remoteAddress);
      next();
    };
  const challenge = '/threeds/challenge/:sessionId';
  const back = '/threeds/return/:sessionId';

  app.get(challenge, start(challenge), async ({ params }, response) => {
    sendNext(response, await usecases.openChallenge(sessionIdOf(params)));
  });
  app.get(back, start(back), async ({ params }, response) => {
    sendNext(response, await usecases.returnFromChallenge(sessionIdOf(params), undefined));
  });
  app.post(back, start(back), ...readFormBody, async ({ params, body }, response) => {
    const cres = (body as { cres?: string }).cres ?? '';
    sendNext(response, await usecases.returnFromChallenge(sessionIdOf(params), cres));
  });
}
