/** Pages of a checkout without a form: processing, paid, and the ends without a payment. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { HostedSession } from '../../sessions/hosted-session.js';
import { methodFrameOf } from '../../threeds/complete-method.js';
import { formatMoney } from '../format.js';
import { schemesOf } from '../http/schemes-of.js';
import type { PageAnswer } from '../http/send-page.js';
import { type Language, textsOf } from '../language.js';
import { immediateRedirectUrl, returnUrl } from '../return-url.js';
import { type Ending, endPage, paidPage, processingPage } from '../views/outcome.view.js';
import { sentenceWith, shownTime } from '../views/time.view.js';
import { hasMoneyToReturn } from './bank-transfer.js';
import { type AboutCheckout, paidAt, paidWith } from './checkout-model.js';

/** Returns the notes about a payment that was paid: what the shop returned, and other money that it has to return. */
export function paidNotes(payment: Payment, { language, earlierTransfer }: AboutCheckout): readonly string[] {
  const texts = textsOf[language];
  const refunded = { currency: payment.amount.currency, totalMinor: payment.refundedMinor };
  return [
    ...(refunded.totalMinor > 0 ? [texts.returned(formatMoney(refunded, language))] : []),
    ...(hasMoneyToReturn(payment) ? [texts.transferTwice] : []),
    ...(earlierTransfer ? [texts.transferEarlier] : []),
  ];
}

/**
 * Returns the page of a successful payment with the way back to the shop; the receipt has the details to keep. Redirects at once when
 * the session says so.
 * @param over set when the payment was cancelled after it was paid
 */
export function paid(about: AboutCheckout, hosted: HostedSession, payment: Payment, over?: Ending): PageAnswer {
  const { language, reference } = about;
  const { session } = hosted;
  const { status } = payment;
  const onward = immediateRedirectUrl(session, { status, payment });
  if (onward !== undefined) return { redirectTo: onward };
  if (over) return endWith(about, hosted, over, status);
  const texts = textsOf[language];
  const page = paidPage({
    ...about,
    amount: payment.amount,
    notes: paidNotes(payment, about),
    facts: [
      [texts.paidWith, paidWith(payment, language)],
      [texts.date, shownTime(paidAt(payment), language)],
      [texts.reference, reference],
      [texts.onStatement, payment.statementDescriptor],
    ],
    returnUrl: returnUrl(session.settings.redirects?.defaultUrl, session, status, payment),
    receiptUrl: `/checkout/${session._id}/receipt?lang=${language}`,
  });
  return { page };
}

/**
 * Returns the page shown while the bank decides. Before the bank is asked, the issuer may inspect the browser in a hidden frame (3DS
 * method).
 */
export function processing(about: AboutCheckout, payment: Payment): PageAnswer {
  const look = methodFrameOf(payment);
  const page = processingPage({
    ...about,
    amount: payment.amount,
    card: paidWith(payment, about.language),
    refreshSeconds: limits.waitRefreshSeconds,
    framePath: look?.path,
  });
  return { page, pagePolicy: look ? { frames: ["'self'", ...schemesOf([look.url])] } : {} };
}

/** Returns how the session ended without a payment; `undefined` while the payer can still do something. */
function endingOf(
  { status, session, merchant, triesLeft }: HostedSession,
  language: Language,
): { ending: Ending; status: string } | undefined {
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

/** Returns the page of an end without a payment. */
export function endWith(
  about: AboutCheckout,
  { session, link }: HostedSession,
  ending: Ending,
  status: string,
): PageAnswer {
  const { cancelUrl, defaultUrl } = session.settings.redirects ?? {};
  const page = endPage({
    ...about,
    ...ending,
    label: textsOf[about.language].notPaid,
    returnUrl: returnUrl(cancelUrl ?? defaultUrl, session, status) ?? (link && `/links/${link.externalId}`),
  });
  return { page };
}

/** Replaces the text of an end when money arrived that the shop has to return: the page must not say that nothing was paid. */
function withMoneyCame(ending: Ending, { merchant }: HostedSession, language: Language): Ending {
  const { transferUnused: title, transferUnusedMore, startAgain } = textsOf[language];
  return { ...ending, title, sentences: [transferUnusedMore, startAgain(merchant.name)] };
}

/**
 * Returns the end of a session that is over: a redirect when the session says so, else the page of its end. `undefined` while the payer
 * can still do something.
 * @param failed the newest attempt, if it failed
 */
export function ended(about: AboutCheckout, hosted: HostedSession, failed?: Payment): PageAnswer | undefined {
  const over = endingOf(hosted, about.language);
  if (!over) return undefined;
  const onward = immediateRedirectUrl(hosted.session, over);
  if (onward !== undefined) return { redirectTo: onward };
  const came = failed !== undefined && (hasMoneyToReturn(failed) || about.earlierTransfer === true);
  const ending = came ? withMoneyCame(over.ending, hosted, about.language) : over.ending;
  return endWith(about, hosted, ending, over.status);
}

/**
 * Returns the end for a merchant that lost its payment methods after the session was created: anything the payer typed would be
 * refused.
 */
export function unavailable({ merchant: { name } }: HostedSession, language: Language): Ending {
  const texts = textsOf[language];
  return {
    kind: 'stop',
    title: texts.unavailableTitle,
    sentences: [texts.unavailableMore(name), texts.linkAskMore(name)],
  };
}

/**
 * Returns the end when no card can be used here: the merchant no longer accepts cards, or the card that the session is for is gone.
 * @param cards how many saved cards are offered
 */
export function noUsableCardEnd(about: AboutCheckout, hosted: HostedSession, cards: number): PageAnswer | undefined {
  const { session, merchant, takesCards } = hosted;
  if (!takesCards) return endWith(about, hosted, unavailable(hosted, about.language), 'failed');
  if (session.token === undefined || cards > 0) return undefined;
  const texts = textsOf[about.language];
  const sentences = [texts.cardGoneMore, texts.startAgain(merchant.name)];
  return endWith(about, hosted, { kind: 'stop', title: texts.cardGoneTitle, sentences }, 'failed');
}
