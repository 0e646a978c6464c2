/** The checkout of a session: its page, its status for the waiting page, and the receipt. */
import type { Request, Response } from 'express';
import { limits } from '../../../config/limits.js';
import { tryState } from '../../../shared/domain/session/rules.js';
import type { HandlerDeps } from '../../deps.js';
import { formBodyUpTo } from '../../http/read-form-body.js';
import { send } from '../../http/send.js';
import { paymentOfTry } from '../../sessions/hosted-session.js';
import { cleanPath, exchangeToken } from '../http/exchange-token.js';
import { hostedRequest, sessionOfRequest } from '../http/hosted-request.js';
import type { Route } from '../http/page-route.js';
import { sendAnswer } from '../http/send-page.js';
import { hasEarlierMoneyToReturn, secondsLeft } from './bank-transfer.js';
import { issuerPageOf } from './issuer-page.js';
import { showCheckout } from './show-checkout.js';
import { showReceipt } from './show-receipt.js';
import { submitCheckout } from './submit-checkout.js';

/** @param route mounts a page with its limits. */
export function mountCheckout(route: Route, deps: HandlerDeps): void {
  const path = '/checkout/:sessionId';
  const read = (request: Request, response: Response) => hostedRequest(deps, request, response, 'checkout');

  route('get', path, async (request, response) => {
    if (await exchangeToken(deps, 'checkout', request, response)) return;
    sendAnswer(response, await showCheckout(deps, await read(request, response)));
  });
  route(
    'post',
    path,
    async (request, response) => {
      const asked = await read(request, response);
      sendAnswer(response, await submitCheckout(deps, response, asked, cleanPath(request)));
    },
    formBodyUpTo(limits.walletFormBytesMax),
  );
  route('get', `${path}/status`, async (request, response) => {
    const session = await sessionOfRequest(deps, request, 'checkout');
    const payment = await paymentOfTry(deps, session);
    const { status, attempt } = payment ?? {};
    // A payer whom the issuer wants to challenge does not wait: the payer is sent to the issuer.
    const waiting = tryState(payment) === 'in-flight' && payment !== undefined && issuerPageOf(payment) === undefined;
    const left = payment && secondsLeft(payment, deps.clock.now());
    const earlier = payment && left !== undefined && (await hasEarlierMoneyToReturn(deps, session, payment));
    send(response, 200, { waiting, status, attempt, left, earlier });
  });
  route('get', `${path}/receipt`, async (request, response) =>
    sendAnswer(response, await showReceipt(deps, await read(request, response))),
  );
}
