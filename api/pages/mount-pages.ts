/** Mounts the pages for payers: assets, checkout, tokenization, links, challenges. Their errors are pages, not JSON. */

import type { Application, Request, RequestHandler, Response } from 'express';
import { limits } from '../../config/limits.js';
import type { HandlerDeps } from '../deps.js';
import { stateOf } from '../http/request-state.js';
import { send } from '../http/send.js';
import { type Asset, assets } from './assets.js';
import { mountCheckout } from './checkout/mount-checkout.js';
import { errorSentences, isPassing } from './error-sentences.js';
import { nothingHere } from './http/hosted-request.js';
import { beginVisit, routesOf } from './http/page-route.js';
import { isReport, readReportBody } from './http/read-reports.js';
import { sendFile } from './http/send-file.js';
import { REPORTS_PATH, sendPage } from './http/send-page.js';
import { languageOf, textsOf } from './language.js';
import { mountLinks } from './links/mount-links.js';
import { colorSheet } from './merchant-color.js';
import { keepSite } from './site.js';
import { mountChallenge } from './threeds/mount-challenge.js';
import { mountMethod } from './threeds/mount-method.js';
import { mountTokenization } from './tokenization/mount-tokenization.js';
import { errorPage } from './views/outcome.view.js';

const NO_CONTENT = 204;
const KEPT_FOR_EVER = `public, max-age=${limits.assetCacheSeconds}, immutable`;

/** Returns the asset of a path: of this release, or of another one that runs beside it or ran before. */
async function findAsset(deps: HandlerDeps, { params }: Request, response: Response): Promise<Asset> {
  const path = `/assets/${params['digest']}/${params['name']}`;
  const own = assets().get(String(params['name']));
  if (own?.path === path) return own;
  await beginVisit(deps, response, '/assets/:digest/:name');
  const other = await deps.keptAssets.find(path);
  if (!other) throw nothingHere();
  return other;
}

async function serveAsset(deps: HandlerDeps, request: Request, response: Response): Promise<void> {
  sendFile(request, response, await findAsset(deps, request, response), KEPT_FOR_EVER);
}

const serveColor: RequestHandler = ({ params }, response) => {
  const sheet = colorSheet(String(params['name']));
  if (sheet === undefined) throw nothingHere();
  const headers = { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': KEPT_FOR_EVER };
  send(response, 200, sheet, headers);
};

function countReport({ metrics }: HandlerDeps, { body }: Request, response: Response): void {
  if (isReport(body)) metrics.event('page-policy-violated');
  send(response, NO_CONTENT, '', { 'Content-Type': 'text/plain' });
}

/** Answers every error of a page with a page: what happened, that nothing was lost, and the number to quote when asking for help. */
const answerErrorsAsPages: RequestHandler = (request, response, next) => {
  const state = stateOf(response);
  state.sendErrorPage = (error) => {
    const { status } = error;
    const language = languageOf(request);
    const [title, sentences] = errorSentences(request, error, textsOf[language]);
    const passing = isPassing(status);
    sendPage(response, status, errorPage({ language, title, sentences, traceId: state.traceId, passing }));
  };
  next();
};

/** Mounts all pages for payers. */
export function mountPages(app: Application, deps: HandlerDeps): void {
  const own = ['/checkout', '/tokenization', '/links', '/threeds', '/assets', REPORTS_PATH];
  keepSite(app, deps.config);
  app.use(own, answerErrorsAsPages);
  const route = routesOf(app, deps);
  app.get('/assets/colors/:name', serveColor);
  app.get('/assets/:digest/:name', (request, response) => serveAsset(deps, request, response));
  route('post', REPORTS_PATH, (request, response) => countReport(deps, request, response), readReportBody);
  mountCheckout(route, deps);
  mountTokenization(route, deps);
  mountLinks(route, deps);
  mountChallenge(route, deps);
  mountMethod(route, deps);
  app.use(own, () => {
    throw nothingHere();
  });
}
