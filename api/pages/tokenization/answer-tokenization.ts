/** The page on which a card is saved: which page the session is at, and what the payer did there. */
import type { Response } from 'express';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import type { HandlerDeps } from '../../deps.js';
import { fieldModesOf } from '../../usecases/hosted-card.js';
import type { TokenizationOutcome } from '../../usecases/hosted-sessions.js';
import { cardInWords, prefilledName } from '../checkout/checkout-model.js';
import { fieldErrorsOf, refusalOf } from '../form-problems.js';
import { brandName, formatMoney, formatTime } from '../format.js';
import type { HostedRequest } from '../http/hosted-request.js';
import { sendPage } from '../http/send-page.js';
import { formTokenOf } from '../http/session-proof.js';
import { textsOf } from '../language.js';
import { readAttempt, readCard } from '../read-card-form.js';
import { returnUrl } from '../return-url.js';
import type { FieldErrors, Refusal } from '../views/card-form.view.js';
import { type Ending, endPage } from '../views/outcome.view.js';
import { framedEndPage, tokenizationPage } from '../views/tokenization.view.js';

/** Around an embedded page: who is told, and who may frame it. */
export interface Framing {
  readonly origin: string;
  readonly ancestors: readonly string[];
}

interface Shown {
  readonly errors: FieldErrors;
  readonly refusal?: Refusal | undefined;
}

type Instrument = TokenizationOutcome['instrument'];

function endingOf(
  { hosted, language }: HostedRequest,
  instrument: Instrument,
): { ending: Ending; status: string } | undefined {
  const { status, session, triesLeft, merchant } = hosted;
  const texts = textsOf[language];
  if (status === 'completed') {
    const card = instrument && texts.cardEnding(brandName(instrument.paymentMethodId), instrument.last4);
    const sentence = card === undefined ? texts.savedUsedMore : texts.savedMore(card);
    return { status, ending: { kind: 'ok', title: texts.savedTitle, sentences: [sentence] } };
  }
  if (status === 'expired') {
    const sentences = [
      texts.savedExpiredMore(formatTime(session.expiresAt, language)),
      texts.startAgain(merchant.name),
    ];
    return { status, ending: { kind: 'time', title: texts.expiredTitle, sentences } };
  }
  if (status === 'cancelled') {
    return { status, ending: { kind: 'stop', title: texts.cancelledTitle, sentences: [texts.savedCancelledMore] } };
  }
  if (triesLeft > 0) return undefined;
  const ending: Ending = { kind: 'stop', title: texts.noTriesTitle, sentences: [texts.startAgain(merchant.name)] };
  return { status: 'failed', ending };
}

/** Answers the page that the session is at. */
export function showTokenization(
  response: Response,
  asked: HostedRequest,
  framing: Framing | undefined,
  { errors, refusal }: Shown = { errors: {} },
  instrument?: Instrument,
  status = 200,
): void {
  const { hosted, language, token, form } = asked;
  const { session, merchant } = hosted;
  const frame = framing && { origin: framing.origin, sessionId: session._id };
  const over = endingOf(asked, instrument);
  if (over && frame) {
    sendPage(response, status, framedEndPage(language, frame, over.ending, over.status), framing.ancestors);
    return;
  }
  if (over) {
    const { defaultUrl, cancelUrl } = session.settings.redirects ?? {};
    const to = over.status === 'completed' ? defaultUrl : (cancelUrl ?? defaultUrl);
    const end = { ...over.ending, language, payee: merchant, reference: session.referenceId, label: '' };
    sendPage(response, 200, endPage({ ...end, returnUrl: returnUrl(to, session, over.status) }));
    return;
  }
  const { verifyFunds } = session.settings.tokenization;
  const checked = verifyFunds && { totalMinor: verifyFunds.amountMinor, currency: verifyFunds.currency };
  const page = tokenizationPage({
    language,
    payee: merchant,
    attempt: hosted.nextAttempt,
    formToken: formTokenOf(token),
    fields: fieldModesOf(session),
    checkedWith: checked && formatMoney(checked, language),
    canCancel: framing === undefined,
    errors,
    refusal,
    values: { exp: form['exp'], name: form['name'] ?? prefilledName(session) },
    frame: frame && { ...frame, token },
  });
  sendPage(response, status, page, framing?.ancestors);
}

/** Saves the card that was sent, or cancels. */
export async function submitTokenization(
  { usecases: { hostedSessions } }: HandlerDeps,
  response: Response,
  asked: HostedRequest,
  framing: Framing | undefined,
): Promise<void> {
  const { hosted, form, language, caller, browserDetails, token } = asked;
  const texts = textsOf[language];
  const current = async () => (await hostedSessions.find(hosted.session._id, token)) ?? hosted;
  try {
    if (form['action'] === 'cancel') {
      const cancelled = await hostedSessions.cancel(hosted);
      return showTokenization(response, { ...asked, hosted: cancelled }, framing);
    }
    const input = { attempt: readAttempt(form), card: readCard(form), browserDetails };
    const { session, instrument } = await hostedSessions.tokenize(hosted, input, caller);
    showTokenization(response, { ...asked, hosted: session }, framing, undefined, instrument);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    const again = { ...asked, hosted: await current() };
    if (error.status === 409) return showTokenization(response, again, framing);
    if (error.status === 422) {
      const card = cardInWords(language, form, []);
      const refusal = refusalOf(error, texts, card, texts.notSaved, again.hosted.triesLeft);
      return showTokenization(response, again, framing, { errors: {}, refusal }, undefined, 422);
    }
    const named = fieldErrorsOf(error, texts);
    const errors = form['number'] ? named : { ...named, number: texts.missingNumber };
    const refusal =
      Object.keys(errors).length > 0 ? undefined : { title: texts.notSaved, sentences: [texts.somethingWrong] };
    showTokenization(response, again, framing, { errors, refusal }, undefined, 400);
  }
}
