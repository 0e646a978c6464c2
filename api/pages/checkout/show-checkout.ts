/** Decides which page a checkout session shows, and builds it. */
import { limits } from '../../../config/limits.js';
import type { ErrorCode } from '../../../shared/contract/error-catalogue.js';
import { defined } from '../../../shared/domain/defined.js';
import { authorizationOf } from '../../../shared/domain/payment/attempts.js';
import { isNeverTaken } from '../../../shared/domain/payment/never-taken.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { isTransfer } from '../../../shared/domain/payment/plan-transfer.js';
import { tryState } from '../../../shared/domain/session/rules.js';
import { isSoftDeclined } from '../../../shared/domain/threeds/step-up.js';
import { newNonce } from '../../../shared/ids.js';
import type { HandlerDeps } from '../../deps.js';
import { type HostedSession, lastPayment } from '../../sessions/hosted-session.js';
import { walletButton } from '../../sessions/hosted-wallet.js';
import { listSavedCards } from '../../sessions/session-cards.js';
import { refusalOf } from '../form-problems.js';
import { formatAmountToType, formatExpiryToType } from '../format.js';
import type { HostedRequest } from '../http/hosted-request.js';
import type { PageAnswer } from '../http/send-page.js';
import { formTokenOf } from '../http/session-proof.js';
import { type Language, textsOf } from '../language.js';
import { linkEnding } from '../links/link-model.js';
import { formTargets } from '../return-url.js';
import { NEW_CARD } from '../views/card-choice.view.js';
import type { Refusal } from '../views/card-form.view.js';
import { checkoutPage } from '../views/checkout.view.js';
import type { Ending } from '../views/outcome.view.js';
import {
  choosesTransfer,
  hasEarlierMoneyToReturn,
  hasMoneyToReturn,
  transferChoice,
  transferCode,
} from './bank-transfer.js';
import {
  type AboutCheckout,
  aboutCheckout,
  type CheckoutState,
  checkoutModel,
  isCancelledAfterPayment,
  paidWith,
} from './checkout-model.js';
import { issuerPageOf } from './issuer-page.js';
import { ended, endWith, noUsableCardEnd, paid, processing } from './outcome-pages.js';

/** Explains why a transfer failed. */
function transferRefusal(payment: Payment, language: Language, triesLeft: number | undefined): Refusal {
  const { status, transactions } = payment;
  const texts = textsOf[language];
  const left = triesLeft === undefined ? [] : [texts.triesLeft(triesLeft)];
  // If the page said that nothing arrived, the payer would pay once more.
  if (hasMoneyToReturn(payment)) return { title: texts.transferUnused, sentences: [texts.transferUnusedMore, ...left] };
  if (status === 'expired') return { title: texts.codeRunOut, sentences: [texts.codeRunOutMore, ...left] };
  if (status === 'cancelled') {
    return { title: texts.transferCancelled, sentences: [texts.transferCancelledMore, ...left] };
  }
  const why = transactions[0]?.errorCode === 'acquirer-offline' ? texts.offline : texts.transferRefusedMore;
  return { title: texts.transferRefused, sentences: [why, ...left] };
}

/**
 * Explains why the newest attempt failed. The reason is read from the payment, so the page stays the same when it is reloaded or opened
 * again.
 */
function ownRefusal(payment: Payment, language: Language, triesLeft: number | undefined): Refusal {
  if (isTransfer(payment)) return transferRefusal(payment, language, triesLeft);
  const texts = textsOf[language];
  const transaction = authorizationOf(payment);
  const code = (transaction?.errorCode ?? payment.threeDs?.error ?? 'declined-by-acquirer') as ErrorCode;
  const notTaken = transaction !== undefined && isNeverTaken(transaction);
  const refused = { code, declineCode: transaction?.declineCode, notTaken, confirmNext: isSoftDeclined(payment) };
  return refusalOf(refused, texts, paidWith(payment, language) ?? texts.theCard, texts.declined, triesLeft);
}

/** Adds to the refusal that an earlier transfer has to be returned. */
function refusalBy(payment: Payment, { language, earlierTransfer }: AboutCheckout, triesLeft?: number): Refusal {
  const refusal = ownRefusal(payment, language, triesLeft);
  if (!earlierTransfer || hasMoneyToReturn(payment)) return refusal;
  return { ...refusal, sentences: [...refusal.sentences, textsOf[language].transferEarlier] };
}

function showPaid(about: AboutCheckout, hosted: HostedSession, payment: Payment): PageAnswer {
  const over: Ending | undefined = isCancelledAfterPayment(payment)
    ? { kind: 'stop', ...refusalBy(payment, about) }
    : undefined;
  return paid(about, hosted, payment, over);
}

/** Returns what the payer need not enter again: amount, card and installments; for a new card also its expiry date and the name on it. */
function keptOf(payment: Payment, language: Language, name: string | undefined): CheckoutState['kept'] {
  const { amount, installments, instrument, tokenization, paymentMethod } = payment;
  const { source, card } = paymentMethod;
  const asked = {
    total: formatAmountToType(amount, language),
    currency: amount.currency,
    installments: installments?.toString(),
    source: instrument,
  };
  if (source !== 'card' || !card) return defined(asked);
  const exp = formatExpiryToType(card.expirationMonth, card.expirationYear);
  return defined({ ...asked, source: NEW_CARD, save: tokenization && '1', exp, name });
}

/**
 * Returns the end for a link that was closed or has expired, or that another payer has paid: the page of the link says so. A payer
 * whose own attempt failed reads both, so as not to mistake the other payer's payment for this one.
 */
function endOfLink(about: AboutCheckout, hosted: HostedSession, failed: Payment | undefined): PageAnswer | undefined {
  const { link, merchant } = hosted;
  const ending = link && linkEnding({ link, availability: link.availability, merchant }, about.language);
  if (!ending) return undefined;
  if (!failed) return { redirectTo: `/links/${link.externalId}` };
  const { title, sentences } = refusalBy(failed, about);
  const both = [...sentences, `${ending.title}.`, ...ending.sentences];
  return endWith(about, hosted, { kind: 'stop', title, sentences: both }, 'failed');
}

/** Returns the wallet's button, if the page offers the wallet, and the origins that the page's policy must allow for it. */
async function walletOf(deps: HandlerDeps, hosted: HostedSession) {
  const button = await (hosted.walletA ? walletButton(deps, hosted.session) : undefined);
  if (!button || button === 'mock') return { wallet: button, reach: {} };
  const { url, client, request, origins } = button;
  const nonce = newNonce();
  const guest = { nonce, origins: [...new Set([new URL(url).origin, ...origins])] };
  return { wallet: { url, client, request, nonce }, reach: { guest } };
}

/**
 * Returns the page for the current state of the session.
 * @param state what was wrong with the form that was sent; empty at a first view.
 */
export async function showCheckout(
  deps: HandlerDeps,
  asked: HostedRequest,
  state: CheckoutState = { errors: {} },
  status = 200,
): Promise<PageAnswer> {
  const { hosted, language, token, name } = asked;
  const { session } = hosted;
  const formToken = formTokenOf(token);
  const payment = await lastPayment(deps, hosted);
  const newest = tryState(payment);
  const earlierTransfer = payment !== undefined && (await hasEarlierMoneyToReturn(deps, session, payment));
  const about = { ...aboutCheckout(hosted, language), earlierTransfer };
  if (payment && newest === 'succeeded') return showPaid(about, hosted, payment);
  const issuerPage = payment && issuerPageOf(payment);
  // The payer came back without answering the issuer: waiting here would not help.
  if (issuerPage !== undefined) return { redirectTo: issuerPage };
  if (payment && newest === 'in-flight') {
    const isCode = isTransfer(payment);
    return isCode ? transferCode(about, session, payment, formToken, deps.clock.now()) : processing(about, payment);
  }
  const failed = newest === 'failed' ? payment : undefined;
  const end = ended(about, hosted, failed) ?? endOfLink(about, hosted, failed);
  if (end) return end;
  const shown = failed
    ? { refusal: refusalBy(failed, about, hosted.triesLeft), kept: keptOf(failed, language, name), ...state }
    : state;
  if (choosesTransfer(asked, payment)) {
    const again = payment !== undefined && isTransfer(payment);
    return { ...transferChoice(about, hosted, formToken, shown, again), status };
  }
  const cards = await listSavedCards(deps, session);
  const block = noUsableCardEnd(about, hosted, cards.length);
  if (block) return block;
  const { wallet, reach } = await walletOf(deps, hosted);
  const model = checkoutModel(about, hosted, cards.slice(0, limits.cardsShownMax), formToken, { ...shown, wallet });
  return { page: checkoutPage(model), status, pagePolicy: { ...reach, formTo: formTargets(session) } };
}
