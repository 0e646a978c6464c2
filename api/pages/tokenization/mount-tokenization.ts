/** The page on which a card is saved, on its own or in a frame of the merchant's page. */
import type { Request, Response } from 'express';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import { readNewestTry } from '../../../shared/flows/settle-session.js';
import { parseUrl } from '../../../shared/outbound/parse-url.js';
import type { HandlerDeps } from '../../deps.js';
import { stateOf } from '../../http/request-state.js';
import { send } from '../../http/send.js';
import { cleanPath, exchangeToken, GONE, isOver, queryText } from '../http/exchange-token.js';
import { hostedRequest, sessionOfRequest } from '../http/hosted-request.js';
import type { Route } from '../http/page-route.js';
import { sendAnswer, sendPage } from '../http/send-page.js';
import { formTokenOf } from '../http/session-proof.js';
import { framedFaultPage } from '../views/tokenization.view.js';
import { isChecking, showTokenization, submitTokenization } from './answer-tokenization.js';
import { framingOf } from './framing.js';

/** Returns the origin of the page around a frame: from our own form or address (`frame.js`), else from the browser's referrer. */
function originAround(request: Request): string | undefined {
  const said = (request.body as { origin?: string } | undefined)?.origin ?? queryText(request, 'origin');
  if (said !== undefined) return said;
  const referrer = request.headers.referer;
  return referrer === undefined ? undefined : parseUrl(referrer)?.origin;
}

/** @param route mounts a page with its limits. */
export function mountTokenization(route: Route, deps: HandlerDeps): void {
  const path = '/tokenization/:sessionId';
  const read = (request: Request, response: Response) => hostedRequest(deps, request, response, 'tokenization');
  route('get', path, async (request, response) => {
    if (await exchangeToken(deps, 'tokenization', request, response)) return;
    sendAnswer(response, await showTokenization(deps, await read(request, response), undefined));
  });
  route('post', path, async (request, response) => {
    const asked = await read(request, response);
    sendAnswer(response, await submitTokenization(deps, asked, undefined, cleanPath(request)));
  });

  const status = async (request: Request, response: Response, token?: string) => {
    const session = await sessionOfRequest(deps, request, 'tokenization', token);
    send(response, 200, { waiting: isChecking(session, await readNewestTry(deps, session)) });
  };
  route('get', `${path}/status`, status);

  const embedded = '/tokenization/embedded/:sessionId';
  const readFramed = async (request: Request, response: Response) => {
    const token = queryText(request, 'token') ?? (request.body as { token?: string } | undefined)?.token;
    const asked = await hostedRequest(deps, request, response, 'tokenization', token);
    const framing = framingOf(asked.hosted, deps.config.environment, originAround(request));
    if (!framing) throw new GatewayError('not-found', { internal: 'no origin may frame this session' });
    // From here on the origins that may frame an error page are known. Without them the page would stay blank in a frame.
    const state = stateOf(response);
    state.sendErrorPage = ({ status: code }) => {
      const { language, hosted } = asked;
      const frame = { origin: framing.origin, sessionId: hosted.session._id, token: asked.token };
      const formToken = formTokenOf(asked.token);
      sendPage(response, code, framedFaultPage({ language, formToken, frame, traceId: state.traceId }), framing);
    };
    return { asked, framing };
  };
  route('get', embedded, async (request, response) => {
    const { asked, framing } = await readFramed(request, response);
    const code = isOver(asked.hosted) ? GONE : 200;
    sendAnswer(response, await showTokenization(deps, asked, framing, { status: code }));
  });
  route('post', embedded, async (request, response) => {
    const { asked, framing } = await readFramed(request, response);
    sendAnswer(response, await submitTokenization(deps, asked, framing, cleanPath(request)));
  });
  // No cookie reaches the frame, so its address contains the token.
  route('get', `${embedded}/status`, (request, response) => status(request, response, queryText(request, 'token')));
}
