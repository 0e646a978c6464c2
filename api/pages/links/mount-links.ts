/**
 * The pages of payment links, open to anyone who knows their address: `{links_url}/{externalId}`, and `{links_url}/m/{name}` for the
 * counter of a merchant. From there each payer continues to a separate checkout.
 */

import type { Request, Response } from 'express';
import { limits } from '../../../config/limits.js';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import type { HandlerDeps } from '../../deps.js';
import { stateOf } from '../../http/request-state.js';
import { send } from '../../http/send.js';
import {
  boundsOfLink,
  type ChosenLinkAmount,
  enterLink,
  findHostedLink,
  findQuickPayLink,
  type HostedLink,
} from '../../payment-links/enter-link.js';
import { shareUrlOf } from '../../payment-links/present-payment-link.js';
import { withAmountProblem } from '../amount-problem.js';
import { fieldErrorsOf } from '../form-problems.js';
import { nothingHere } from '../http/hosted-request.js';
import type { Route } from '../http/page-route.js';
import { seeOther, sendPage } from '../http/send-page.js';
import { chosenLanguage, languageOf, textsOf } from '../language.js';
import type { Form } from '../read-card-form.js';
import { readTotal } from '../read-total.js';
import { type LinkModel, linkEndPage, linkPage } from '../views/link.view.js';
import { linkEnding, linkModel, unpayableLinkEnding } from './link-model.js';
import { ownCheckout } from './own-checkout.js';

/** Limits how many payers of one address continue from one link (docs/security.md#card-testing). */
const entriesOf = ({ link }: HostedLink) => ({
  requests: link.type === 'quick-pay' ? limits.counterEntriesMax : limits.linkEntriesMax,
  windowSeconds: limits.linkEntriesSeconds,
});

async function hostedOf(deps: HandlerDeps, request: Request): Promise<HostedLink> {
  const hosted = await findHostedLink(deps, String(request.params['externalId']));
  if (!hosted) throw nothingHere();
  return hosted;
}

/** Redirects a payer whose payment is in progress to its checkout, and tells other payers why they cannot pay here. */
async function showEnding(
  deps: HandlerDeps,
  request: Request,
  response: Response,
  hosted: HostedLink,
): Promise<boolean> {
  const language = languageOf(request);
  const ending = linkEnding(hosted, language) ?? unpayableLinkEnding(hosted, language);
  if (!ending) return false;
  const own = await ownCheckout(deps, request, hosted.link);
  if (own !== undefined) {
    seeOther(response, own);
    return true;
  }
  const { availability: status } = hosted;
  const isWaiting = status === 'paying' || status === 'ending';
  const waits = isWaiting ? { status, refreshSeconds: limits.linkRefreshSeconds } : undefined;
  sendPage(response, 200, linkEndPage({ ...ending, language, payee: hosted.merchant, waits }));
  return true;
}

/** Answers what the page of a link would show, to a page that waits: for its own payer it is the checkout. */
async function answerStatus(deps: HandlerDeps, request: Request, response: Response): Promise<void> {
  const { link, availability } = await hostedOf(deps, request);
  const own = await ownCheckout(deps, request, link);
  send(response, 200, { status: own === undefined ? availability : 'own' });
}

/**
 * Returns the origin of the checkouts when links have their own address: issuers send payers back to the public address, and the
 * session's cookie has to be there. Empty when both addresses have the same origin, because a gateway may be reachable under several
 * names.
 */
function checkoutOrigin({ linksUrl, publicBaseUrl }: HandlerDeps['config']): string {
  const { origin } = new URL(publicBaseUrl);
  return linksUrl === undefined || new URL(linksUrl).origin === origin ? '' : origin;
}

/** Sends the page of a link; its form leads to the checkout. */
function sendLink({ config }: HandlerDeps, response: Response, status: number, model: LinkModel): void {
  sendPage(response, status, linkPage(model), { formTo: `'self' ${checkoutOrigin(config)}`.trimEnd() });
}

/** Creates the payer's checkout and redirects there. */
async function enter(
  deps: HandlerDeps,
  request: Request,
  response: Response,
  hosted: HostedLink,
  chosen?: ChosenLinkAmount,
): Promise<void> {
  const { remoteAddress, traceId } = stateOf(response);
  await deps.rateLimits?.admitAddress(`entries-${hosted.link.type}`, entriesOf(hosted), remoteAddress, hosted.link._id);
  const { session, token } = await enterLink(deps, hosted, chosen, traceId);
  // Another origin does not see our cookie of the language.
  const language = chosenLanguage(request);
  const lang = language === undefined ? '' : `&lang=${language}`;
  seeOther(response, `${checkoutOrigin(deps.config)}/checkout/${session._id}?token=${token}${lang}`);
}

async function show(deps: HandlerDeps, request: Request, response: Response): Promise<void> {
  const hosted = await hostedOf(deps, request);
  if (await showEnding(deps, request, response, hosted)) return;
  const own = await ownCheckout(deps, request, hosted.link);
  const { settings, type } = hosted.link;
  // At a counter each additional step costs time: the amount is typed on the page of the card. A prefetch or a HEAD request creates no
  // session.
  const looksOnly = request.method === 'HEAD' || request.headers['sec-purpose'] !== undefined;
  const skips = (settings.skipPreCheckout || type === 'quick-pay') && own === undefined;
  if (skips && !looksOnly) return enter(deps, request, response, hosted);
  sendLink(deps, response, 200, { ...linkModel(hosted, languageOf(request), {}), unfinished: own });
}

async function submit(deps: HandlerDeps, request: Request, response: Response): Promise<void> {
  const hosted = await hostedOf(deps, request);
  if (await showEnding(deps, request, response, hosted)) return;
  const language = languageOf(request);
  const form = request.body as Form;
  const { total, currency } = form;
  const chosen = currency === undefined ? undefined : { total: readTotal(total, currency, language), currency };
  const flexible = hosted.link.settings.amountMode === 'flexible';
  try {
    await enter(deps, request, response, hosted, flexible ? (chosen ?? { total: '', currency: '' }) : undefined);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status !== 400) throw error;
    const named = fieldErrorsOf(error, textsOf[language]);
    const errors = withAmountProblem(named, form, boundsOfLink(hosted), language);
    const unfinished = await ownCheckout(deps, request, hosted.link);
    sendLink(deps, response, 400, { ...linkModel(hosted, language, errors, form), unfinished });
  }
}

/** @param route mounts a page with its limits. */
export function mountLinks(route: Route, deps: HandlerDeps): void {
  route('get', '/links/m/:name', async (request, response) => {
    const link = await findQuickPayLink(deps, String(request.params['name']));
    if (!link) throw nothingHere();
    // At their own address the pages of links may have another path.
    const own = deps.config.linksUrl !== undefined;
    seeOther(response, own ? shareUrlOf(deps.config, link.externalId) : `/links/${link.externalId}`);
  });
  route('get', '/links/:externalId/status', (request, response) => answerStatus(deps, request, response));
  route('get', '/links/:externalId', (request, response) => show(deps, request, response));
  route('post', '/links/:externalId', (request, response) => submit(deps, request, response));
}
