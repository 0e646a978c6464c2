/** Which page a checkout session is at, and that page. */

import type { Response } from 'express';
import { limits } from '../../../config/limits.js';
import type { ErrorCode } from '../../../shared/contract/error-catalogue.js';
import { approvalUrlOf } from '../../../shared/contract/present-payment.js';
import { authorizationOf } from '../../../shared/domain/payment/attempts.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { isTransfer } from '../../../shared/domain/payment/plan-transfer.js';
import { tryState } from '../../../shared/domain/session/rules.js';
import { newNonce } from '../../../shared/ids.js';
import type { HandlerDeps } from '../../deps.js';
import { type HostedSession, lastPayment } from '../../sessions/hosted-session.js';
import { walletButton } from '../../sessions/hosted-wallet.js';
import { listSavedCards } from '../../sessions/session-cards.js';
import { methodFrameOf } from '../../threeds/complete-method.js';
import { refusalOf } from '../form-problems.js';
import { brandName, formatExpiry } from '../format.js';
import type { HostedRequest } from '../http/hosted-request.js';
import { seeOther, sendPage } from '../http/send-page.js';
import { formTokenOf } from '../http/session-proof.js';
import { type Language, textsOf } from '../language.js';
import { formTargets, onwardUrl, returnUrl } from '../return-url.js';
import type { Refusal } from '../views/card-form.view.js';
import { checkoutPage } from '../views/checkout.view.js';
import type { Page } from '../views/layout.view.js';
import { type Ending, endPage, paidPage, processingPage } from '../views/outcome.view.js';
import { sentenceWith, shownTime } from '../views/time.view.js';
import { choosesTransfer, showTransfer, showTransferChoice, transferRefusal } from './bank-transfer.js';
import { type CheckoutState, checkoutModel, describeSession, fixedAmount, referenceOf } from './checkout-model.js';

/** What was paid with, in words. */
export function cardOf({ paymentMethod: { card, type } }: Payment, language: Language): string | undefined {
  if (type === 'bank-transfer') return textsOf[language].transfer;
  return card && textsOf[language].cardEnding(brandName(card.brand), card.last4);
}

/** Paid, and the way on; what a payer keeps of it is in the receipt. */
function paid(asked: HostedRequest, payment: Payment): Page {
  const { language, hosted } = asked;
  const { session, merchant } = hosted;
  const texts = textsOf[language];
  return paidPage({
    language,
    payee: merchant,
    description: describeSession(session, language),
    amount: payment.amount,
    facts: [
      [texts.paidWith, cardOf(payment, language)],
      [texts.date, shownTime(payment.processedAt ?? payment.createdAt, language)],
      [texts.reference, referenceOf(session)],
      [texts.onStatement, payment.statementDescriptor],
    ],
    returnUrl: returnUrl(session.settings.redirects?.defaultUrl, session, payment.status, payment),
    receiptUrl: `/checkout/${session._id}/receipt?lang=${language}`,
  });
}

/** The end without a payment. */
function ended({ language, hosted }: HostedRequest, ending: Ending, status: string): Page {
  const { session, merchant } = hosted;
  const { cancelUrl, defaultUrl } = session.settings.redirects ?? {};
  return endPage({
    ...ending,
    language,
    payee: merchant,
    reference: referenceOf(session),
    description: describeSession(session, language),
    amount: fixedAmount(session),
    label: textsOf[language].notPaid,
    returnUrl:
      returnUrl(cancelUrl ?? defaultUrl, session, status) ?? (hosted.link && `/links/${hosted.link.externalId}`),
  });
}

function endingOf({ language, hosted }: HostedRequest): { ending: Ending; status: string } | undefined {
  const { status, session, merchant, triesLeft } = hosted;
  const texts = textsOf[language];
  if (status === 'expired') {
    const sentences = [
      sentenceWith(texts.expiredMore, shownTime(session.expiresAt, language)),
      texts.startAgain(merchant.name),
    ];
    return { status, ending: { kind: 'time', title: texts.expiredTitle, sentences } };
  }
  if (status === 'cancelled') {
    return { status, ending: { kind: 'stop', title: texts.cancelledTitle, sentences: [texts.cancelledMore] } };
  }
  if (status === 'completed') {
    return { status, ending: { kind: 'ok', title: texts.usedTitle, sentences: [texts.usedMore] } };
  }
  if (triesLeft > 0) return undefined;
  const sentences = [texts.noTriesMore, texts.startAgain(merchant.name)];
  return { status: 'failed', ending: { kind: 'stop', title: texts.noTriesTitle, sentences } };
}

/** The merchant lost its payment methods after the session was made: whatever the payer typed would be refused. */
export function unavailable({ language, hosted }: Pick<HostedRequest, 'language' | 'hosted'>): Ending {
  const texts = textsOf[language];
  const { name } = hosted.merchant;
  return {
    kind: 'stop',
    title: texts.unavailableTitle,
    sentences: [texts.unavailableMore(name), texts.linkAskMore(name)],
  };
}

/** Why no card can be used here: the merchant takes none any more, or the one that the session is for is gone. */
function blockedBy(asked: HostedRequest, cards: number): Ending | undefined {
  const { language, hosted } = asked;
  if (!hosted.takesCards) return unavailable(asked);
  if (hosted.session.token === undefined || cards > 0) return undefined;
  const texts = textsOf[language];
  const sentences = [texts.cardGoneMore, texts.startAgain(hosted.merchant.name)];
  return { kind: 'stop', title: texts.cardGoneTitle, sentences };
}

/** Why the newest attempt failed. It is read from the payment, so that the page can be loaded again and gone back to. */
function refusalBy(payment: Payment, asked: HostedRequest): Refusal {
  if (isTransfer(payment)) return transferRefusal(payment, asked);
  const { language, hosted } = asked;
  const texts = textsOf[language];
  const transaction = authorizationOf(payment);
  const code = (transaction?.errorCode ?? payment.threeDs?.error ?? 'declined-by-acquirer') as ErrorCode;
  const refused = { code, declineCode: transaction?.declineCode };
  return refusalOf(refused, texts, cardOf(payment, language) ?? texts.card, texts.declined, hosted.triesLeft);
}

/** What need not be typed again: the date of a card that was declined, and the name on it. */
function keptOf({ paymentMethod: { source, card } }: Payment, { name }: HostedRequest): CheckoutState['kept'] {
  if (source !== 'card' || !card) return {};
  const exp = formatExpiry(card.expirationMonth, card.expirationYear).replace('/', ' / ');
  return { exp, ...(name !== undefined && { name }) };
}

/** The bank decides. Before it is asked, the issuer may look at the browser, in a hidden frame (3DS method). */
function showProcessing(response: Response, { hosted, language }: HostedRequest, payment: Payment): void {
  const look = methodFrameOf(payment);
  const text = processingPage({
    language,
    payee: hosted.merchant,
    reference: referenceOf(hosted.session),
    description: describeSession(hosted.session, language),
    amount: payment.amount,
    card: cardOf(payment, language),
    refreshSeconds: limits.waitRefreshSeconds,
    framePath: look?.path,
  });
  sendPage(response, 200, text, look ? { frames: ["'self'", look.origin] } : {});
}

/** Sends the payer on to where the session says, else answers the page. */
function leave(
  response: Response,
  { hosted }: HostedRequest,
  how: { readonly status: string; readonly payment?: Payment },
  last: () => Page,
): void {
  const onward = onwardUrl(hosted.session, how);
  if (onward === undefined) sendPage(response, 200, last());
  else seeOther(response, onward);
}

/**
 * Answers the page that the session is at.
 * @param state what was wrong with what was sent; nothing at a first view.
 */
export async function showCheckout(
  deps: HandlerDeps,
  response: Response,
  asked: HostedRequest,
  state: CheckoutState = { errors: {} },
  status = 200,
): Promise<void> {
  const { hosted, language, token } = asked;
  const payment = await lastPayment(deps, hosted);
  const newest = tryState(payment);
  if (payment && newest === 'succeeded') {
    return leave(response, asked, { status: payment.status, payment }, () => paid(asked, payment));
  }
  const approvalUrl = payment && approvalUrlOf(payment);
  // The payer came back without having answered the issuer: there is nothing to wait for here.
  if (approvalUrl !== undefined) return seeOther(response, approvalUrl);
  if (payment && newest === 'in-flight' && isTransfer(payment)) return showTransfer(deps, response, asked, payment);
  if (payment && newest === 'in-flight') return showProcessing(response, asked, payment);
  const over = endingOf(asked);
  if (over) return leave(response, asked, over, () => ended(asked, over.ending, over.status));
  // Disabled, expired, or paid by another payer meanwhile: its own page says so.
  if (hosted.link && hosted.link.availability !== 'open') return seeOther(response, `/links/${hosted.link.externalId}`);
  const shown =
    payment && newest === 'failed'
      ? { refusal: refusalBy(payment, asked), kept: keptOf(payment, asked), ...state }
      : state;
  if (choosesTransfer(asked, payment)) {
    const again = payment !== undefined && isTransfer(payment);
    return showTransferChoice(response, asked, shown, again, status);
  }
  const cards = await listSavedCards(deps, hosted.session);
  const blocked = blockedBy(asked, cards.length);
  if (blocked) return sendPage(response, 200, ended(asked, blocked, 'failed'));
  const { wallet, reach } = await walletOf(deps, hosted);
  const offered = cards.slice(0, limits.cardsShownMax);
  const model = checkoutModel(hosted, language, offered, formTokenOf(token), { ...shown, wallet });
  sendPage(response, status, checkoutPage(model), { ...reach, formTo: formTargets(hosted.session) });
}

/** The button of the wallet, where the page offers one, and how far the page reaches for it. */
async function walletOf(deps: HandlerDeps, hosted: HostedSession) {
  const button = await (hosted.walletA ? walletButton(deps, hosted.session) : undefined);
  if (!button || button === 'mock') return { wallet: button, reach: {} };
  const { url, client, request, origins } = button;
  const nonce = newNonce();
  const guest = { nonce, origins: [...new Set([new URL(url).origin, ...origins])] };
  return { wallet: { url, client, request, nonce }, reach: { guest } };
}
