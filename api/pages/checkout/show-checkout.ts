/** Which page a checkout session is at, and that page. */
import type { Response } from 'express';
import { limits } from '../../../config/limits.js';
import type { ErrorCode } from '../../../shared/contract/error-catalogue.js';
import { approvalUrlOf } from '../../../shared/contract/payment/present-payment.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { isTransfer } from '../../../shared/domain/payment/plan-transfer.js';
import { tryState } from '../../../shared/domain/session/rules.js';
import { newNonce } from '../../../shared/ids.js';
import type { HandlerDeps } from '../../deps.js';
import { methodFrameOf } from '../../usecases/complete-method.js';
import type { HostedSession } from '../../usecases/hosted-sessions.js';
import { refusalOf } from '../form-problems.js';
import { brandName, formatTime } from '../format.js';
import type { HostedRequest } from '../http/hosted-request.js';
import { seeOther, sendPage } from '../http/send-page.js';
import { formTokenOf } from '../http/session-proof.js';
import { type Language, textsOf } from '../language.js';
import { returnUrl } from '../return-url.js';
import type { Refusal } from '../views/card-form.view.js';
import { checkoutPage } from '../views/checkout.view.js';
import { type Ending, endPage, paidPage, processingPage } from '../views/outcome.view.js';
import { choosesTransfer, showTransfer, showTransferChoice, transferRefusal } from './bank-transfer.js';
import { type CheckoutState, checkoutModel, fixedAmount } from './checkout-model.js';

const REFRESH_SECONDS = 3;

function cardOf({ paymentMethod: { card, type } }: Payment, language: Language): string | undefined {
  if (type === 'bank-transfer') return textsOf[language].transfer;
  return card && textsOf[language].cardEnding(brandName(card.brand), card.last4);
}

function paid(asked: HostedRequest, payment: Payment, receiptUrl?: string): string {
  const { language, hosted } = asked;
  const { session, merchant } = hosted;
  const texts = textsOf[language];
  const [transaction] = payment.transactions;
  return paidPage({
    language,
    payee: merchant,
    reference: payment.referenceId,
    amount: payment.amount,
    facts: [
      [texts.paidWith, cardOf(payment, language)],
      [texts.date, formatTime(payment.processedAt ?? payment.createdAt, language)],
      [texts.reference, payment.referenceId],
      [texts.invoice, payment.invoiceNumber],
      [texts.authorization, transaction?.authorization],
      [texts.payment, payment._id],
      [texts.onStatement, payment.statementDescriptor],
    ],
    returnUrl: returnUrl(session.settings.redirects?.defaultUrl, session, payment.status, payment),
    receiptUrl,
  });
}

/** The end without a payment. */
function ended({ language, hosted }: HostedRequest, ending: Ending, status: string): string {
  const { session, merchant } = hosted;
  const { cancelUrl, defaultUrl } = session.settings.redirects ?? {};
  return endPage({
    ...ending,
    language,
    payee: merchant,
    reference: session.paymentRequest?.referenceId ?? session.referenceId,
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
    const sentences = [texts.expiredMore(formatTime(session.expiresAt, language)), texts.startAgain(merchant.name)];
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

/** Why the newest try came to nothing. It is read from the payment, so that the page can be loaded again and gone back to. */
function refusalBy(payment: Payment, asked: HostedRequest): Refusal {
  if (isTransfer(payment)) return transferRefusal(payment, asked);
  const { language, hosted } = asked;
  const texts = textsOf[language];
  const [transaction] = payment.transactions;
  const code = (transaction?.errorCode ?? payment.threeDs?.error ?? 'declined-by-acquirer') as ErrorCode;
  const refused = { code, declineCode: transaction?.declineCode };
  return refusalOf(refused, texts, cardOf(payment, language) ?? texts.card, texts.declined, hosted.triesLeft);
}

/** The bank decides. Before it is asked, the issuer may look at the browser, in a frame that nobody sees (3DS method). */
function showProcessing(response: Response, { hosted, language }: HostedRequest, payment: Payment): void {
  const look = methodFrameOf(payment);
  const text = processingPage({
    language,
    payee: hosted.merchant,
    reference: payment.referenceId,
    amount: payment.amount,
    card: cardOf(payment, language),
    refreshSeconds: REFRESH_SECONDS,
    framePath: look?.path,
  });
  sendPage(response, 200, text, look ? { frames: ["'self'", look.origin] } : {});
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
  const { hostedSessions } = deps.usecases;
  const { hosted, language, token } = asked;
  const payment = await hostedSessions.lastPayment(hosted);
  const newest = tryState(payment);
  if (payment && newest === 'succeeded') {
    return sendPage(response, 200, paid(asked, payment, `/checkout/${hosted.session._id}/receipt?lang=${language}`));
  }
  const approvalUrl = payment && approvalUrlOf(payment);
  // The payer came back without having answered the issuer: there is nothing to wait for here.
  if (approvalUrl !== undefined) return seeOther(response, approvalUrl);
  if (payment && newest === 'in-flight' && isTransfer(payment)) return showTransfer(deps, response, asked, payment);
  if (payment && newest === 'in-flight') return showProcessing(response, asked, payment);
  const over = endingOf(asked);
  if (over) return sendPage(response, 200, ended(asked, over.ending, over.status));
  // Disabled, run out, or paid by somebody else meanwhile: its own page says so.
  if (hosted.link && hosted.link.door !== 'open') return seeOther(response, `/links/${hosted.link.externalId}`);
  const shown = payment && newest === 'failed' ? { refusal: refusalBy(payment, asked), ...state } : state;
  if (choosesTransfer(asked, payment)) {
    const again = payment !== undefined && isTransfer(payment);
    return showTransferChoice(response, asked, shown, again, status);
  }
  const cards = await hostedSessions.savedCards(hosted);
  if (hosted.session.token !== undefined && cards.length === 0) {
    const texts = textsOf[language];
    const sentences = [texts.cardGoneMore, texts.startAgain(hosted.merchant.name)];
    return sendPage(response, 200, ended(asked, { kind: 'stop', title: texts.cardGoneTitle, sentences }, 'failed'));
  }
  const { wallet, reach } = await walletOf(deps, hosted);
  const offered = cards.slice(0, limits.cardsShownMax);
  const model = checkoutModel(hosted, language, offered, formTokenOf(token), { ...shown, wallet });
  sendPage(response, status, checkoutPage(model), reach);
}

/** The button of the wallet, where the page offers one, and how far the page reaches for it. */
async function walletOf({ usecases }: HandlerDeps, hosted: HostedSession) {
  const button = await usecases.hostedSessions.walletButton(hosted);
  if (!button || button === 'pretend') return { wallet: button, reach: {} };
  const { url, client, request, origins } = button;
  const nonce = newNonce();
  const guest = { nonce, origins: [...new Set([new URL(url).origin, ...origins])] };
  return { wallet: { url, client, request, nonce }, reach: { guest } };
}

/** The receipt alone, to be printed. Not there before the payment is. */
export async function showReceipt(deps: HandlerDeps, response: Response, asked: HostedRequest): Promise<void> {
  const payment = await deps.usecases.hostedSessions.lastPayment(asked.hosted);
  if (payment && tryState(payment) === 'succeeded') return sendPage(response, 200, paid(asked, payment));
  await showCheckout(deps, response, asked);
}
