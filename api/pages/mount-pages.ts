/** Puts the pages for payers on the application: assets, checkout, tokenization, links, challenges. Errors are pages here, not JSON. */

import type { Application, ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { approvalUrlOf } from '../../shared/contract/present-payment.js';
import { tryState } from '../../shared/domain/session/rules.js';
import { parseUrl } from '../../shared/outbound/parse-url.js';
import type { HandlerDeps } from '../deps.js';
import { toGatewayError } from '../http/error-middleware.js';
import { formBodyUpTo, readFormBody } from '../http/read-form-body.js';
import { stateOf } from '../http/request-state.js';
import { send } from '../http/send.js';
import { lastPayment } from '../sessions/hosted-session.js';
import { assets } from './assets.js';
import { showCheckout } from './checkout/show-checkout.js';
import { showReceipt } from './checkout/show-receipt.js';
import { submitCheckout } from './checkout/submit-checkout.js';
import { cleanPath, exchangeToken, GONE, isOver, queryText } from './http/exchange-token.js';
import { hostedRequest, nothingHere } from './http/hosted-request.js';
import { isReport, readReportBody } from './http/read-reports.js';
import { REPORTS_PATH, sendAnswer, sendPage } from './http/send-page.js';
import { languageOf, textsOf } from './language.js';
import { mountLinks } from './links/mount-links.js';
import { colorSheet } from './merchant-color.js';
import { keepSite } from './site.js';
import { mountChallenge } from './threeds/mount-challenge.js';
import { mountMethod } from './threeds/mount-method.js';
import { showTokenization, submitTokenization } from './tokenization/answer-tokenization.js';
import { framingOf } from './tokenization/framing.js';
import { errorPage } from './views/outcome.view.js';

const NO_CONTENT = 204;
const SERVER_ERROR = 500;
const KEPT_FOR_EVER = `public, max-age=${limits.assetCacheSeconds}, immutable`;
const visits = { requests: limits.pageVisitsMax, windowSeconds: limits.pageVisitsSeconds };

const serveAsset: RequestHandler = ({ params, headers }, response) => {
  const asset = assets().get(String(params['name']));
  if (!asset || asset.path !== `/assets/${params['digest']}/${params['name']}`) throw nothingHere();
  const compressed = /\bbr\b/.test(headers['accept-encoding'] ?? '');
  send(response, 200, compressed ? asset.compressed : asset.bytes, {
    'Content-Type': asset.contentType,
    'Cache-Control': KEPT_FOR_EVER,
    Vary: 'Accept-Encoding',
    ...(compressed && { 'Content-Encoding': 'br' }),
  });
};

const serveColor: RequestHandler = ({ params }, response) => {
  const sheet = colorSheet(String(params['name']));
  if (sheet === undefined) throw nothingHere();
  const headers = { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': KEPT_FOR_EVER };
  send(response, 200, sheet, headers);
};

/** The origin around a frame: what our own form says, else what the browser says it comes from. */
function originAround(request: Request): string | undefined {
  const said = (request.body as { origin?: string } | undefined)?.origin;
  if (said !== undefined) return said;
  const referrer = request.headers.referer;
  return referrer === undefined ? undefined : parseUrl(referrer)?.origin;
}

/** Every error of a page is a page: what happened, that nothing was lost, and the number to ask for help with. */
const answerErrorPage: ErrorRequestHandler = (thrown, request, response, _next) => {
  const error = toGatewayError(thrown);
  const state = stateOf(response);
  state.code = error.code;
  if (error.message !== error.code) state.reason = error.message;
  if (error.status >= SERVER_ERROR) state.log.error('page.failed', { code: error.code, error: error.cause ?? error });
  if (response.headersSent) return void response.destroy();
  const language = languageOf(request);
  const texts = textsOf[language];
  const [title, sentence] =
    error.status === 429
      ? [texts.busyTitle, texts.busyMore]
      : error.status >= SERVER_ERROR
        ? [texts.failedTitle, texts.failedMore]
        : [texts.notFoundTitle, texts.notFoundMore];
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(error.retryAfterSeconds));
  sendPage(response, error.status, errorPage({ language, title, sentence, traceId: state.traceId }));
};

type Handle = (request: Request, response: Response) => Promise<unknown> | unknown;

/** Mounts all of it. Patterns of routes are what the log says: addresses hold ids. */
export function mountPages(app: Application, deps: HandlerDeps): void {
  keepSite(app, deps.config);
  const route = (method: 'get' | 'post', path: string, handle: Handle, readBody = readFormBody) => {
    const begin: RequestHandler = async (_request, response, next) => {
      const state = stateOf(response);
      state.route = path;
      await deps.rateLimits?.admitAddress('hostedPages', visits, state.remoteAddress);
      next();
    };
    const run: RequestHandler = async (request, response) => void (await handle(request, response));
    app[method](path, begin, ...(method === 'post' ? readBody : []), run);
  };

  app.get('/assets/colors/:name', serveColor);
  app.get('/assets/:digest/:name', serveAsset);

  route(
    'post',
    REPORTS_PATH,
    ({ body }, response) => {
      if (isReport(body)) deps.metrics.event('page-policy-violated');
      send(response, NO_CONTENT, '', { 'Content-Type': 'text/plain' });
    },
    readReportBody,
  );

  const checkout = '/checkout/:sessionId';
  const checkoutRequest = (request: Request, response: Response) => hostedRequest(deps, request, response, 'checkout');
  route('get', checkout, async (request, response) => {
    if (await exchangeToken(deps, 'checkout', request, response)) return;
    sendAnswer(response, await showCheckout(deps, await checkoutRequest(request, response)));
  });
  route(
    'post',
    checkout,
    async (request, response) => {
      const asked = await checkoutRequest(request, response);
      sendAnswer(response, await submitCheckout(deps, response, asked, cleanPath(request)));
    },
    formBodyUpTo(limits.walletFormBytesMax),
  );
  route('get', `${checkout}/status`, async (request, response) => {
    const { hosted } = await checkoutRequest(request, response);
    const payment = await lastPayment(deps, hosted);
    const status = payment?.status;
    // A payer whom the issuer wants to ask has somewhere to go.
    const waiting = tryState(payment) === 'in-flight' && payment !== undefined && approvalUrlOf(payment) === undefined;
    send(response, 200, { waiting, status });
  });
  route('get', `${checkout}/receipt`, async (request, response) =>
    sendAnswer(response, await showReceipt(deps, await checkoutRequest(request, response))),
  );

  const tokenization = '/tokenization/:sessionId';
  const whole = (request: Request, response: Response) => hostedRequest(deps, request, response, 'tokenization');
  route('get', tokenization, async (request, response) => {
    if (await exchangeToken(deps, 'tokenization', request, response)) return;
    await showTokenization(deps, response, await whole(request, response), undefined);
  });
  route('post', tokenization, async (request, response) =>
    submitTokenization(deps, response, await whole(request, response), undefined),
  );

  const embedded = '/tokenization/embedded/:sessionId';
  const framed = async (request: Request, response: Response) => {
    const token = queryText(request, 'token') ?? (request.body as { token?: string } | undefined)?.token;
    const asked = await hostedRequest(deps, request, response, 'tokenization', token);
    const framing = framingOf(asked.hosted, deps.config.environment, originAround(request));
    if (!framing) throw new GatewayError('not-found', { internal: 'no origin may frame this session' });
    return { asked, framing };
  };
  route('get', embedded, async (request, response) => {
    const { asked, framing } = await framed(request, response);
    await showTokenization(deps, response, asked, framing, undefined, undefined, isOver(asked.hosted) ? GONE : 200);
  });
  route('post', embedded, async (request, response) => {
    const { asked, framing } = await framed(request, response);
    await submitTokenization(deps, response, asked, framing);
  });

  mountLinks(route, deps);
  mountChallenge(route, deps);
  mountMethod(route, deps);

  app.use(['/checkout', '/tokenization', '/links', '/threeds', '/assets', REPORTS_PATH], () => {
    throw nothingHere();
  });
  app.use(['/checkout', '/tokenization', '/links', '/threeds', '/assets', REPORTS_PATH], answerErrorPage);
}
