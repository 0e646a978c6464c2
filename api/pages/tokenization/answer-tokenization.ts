/** The page on which a card is saved: which page the session shows, and what the payer did there. */

import { limits } from '../../../config/limits.js';
import type { ErrorCode } from '../../../shared/contract/error-catalogue.js';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import { authorizationOf } from '../../../shared/domain/payment/attempts.js';
import { isNeverTaken } from '../../../shared/domain/payment/never-taken.js';
import { hasFeature } from '../../../shared/domain/session/rules.js';
import type { Session } from '../../../shared/domain/session/session.js';
import type { NewestTry } from '../../../shared/flows/settle-session.js';
import type { HandlerDeps } from '../../deps.js';
import { chooseSavedCard } from '../../sessions/choose-saved-card.js';
import { fieldModesOf } from '../../sessions/hosted-card.js';
import { cancelSession, findHostedSession, type HostedSession, viewSession } from '../../sessions/hosted-session.js';
import { deleteSavedCard, listSavedCards } from '../../sessions/session-cards.js';
import { settleOrLog } from '../../sessions/submit-try.js';
import { type TokenizationOutcome, tokenizeSession } from '../../sessions/tokenize-session.js';
import { paidWith, prefilledName, shownCard } from '../checkout/checkout-model.js';
import { unavailable } from '../checkout/outcome-pages.js';
import { fieldErrorsOf, missingFields, refusalOf, unclearSentence } from '../form-problems.js';
import { brandName, formatMoney } from '../format.js';
import type { HostedRequest } from '../http/hosted-request.js';
import { auditedAsPayer } from '../http/record-payer.js';
import type { PageAnswer } from '../http/send-page.js';
import { formTokenOf } from '../http/session-proof.js';
import { type Language, textsOf } from '../language.js';
import { readAttempt, readCard } from '../read-card-form.js';
import { formTargets, immediateRedirectUrl, returnUrl } from '../return-url.js';
import { NEW_CARD } from '../views/card-choice.view.js';
import type { FieldErrors, Refusal } from '../views/card-form.view.js';
import { type Ending, endPage } from '../views/outcome.view.js';
import { sentenceWith, shownTime } from '../views/time.view.js';
import { CHECK_AGAIN, checkingPage, framedEndPage, tokenizationPage } from '../views/tokenization.view.js';

/** The frame around an embedded page: the origin that receives its messages, and the origins that may frame it. */
export interface Framing {
  readonly origin: string;
  readonly ancestors: readonly string[];
}

type Instrument = TokenizationOutcome['instrument'];

/** What a page shows beside the state of the session, about the form that was just sent. */
interface Shown {
  readonly errors?: FieldErrors;
  readonly refusal?: Refusal | undefined;
  /** The card that the form saved or chose. */
  readonly instrument?: Instrument;
  readonly status?: number;
}

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
      sentenceWith(texts.savedExpiredMore, shownTime(session.expiresAt, language)),
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

/** Returns the end when no new card can be saved any more and there is no saved card to choose. */
function nothingLeft(asked: HostedRequest, cards: number): { ending: Ending; status: string } | undefined {
  const { session, takesCards } = asked.hosted;
  if (takesCards || !hasFeature(session, 'create') || (cards > 0 && hasFeature(session, 'select'))) return undefined;
  return { ending: unavailable(asked.hosted, asked.language), status: 'failed' };
}

/** Whether the bank has not yet answered whether the card is good, or the card is not saved yet. */
export const isChecking = ({ status }: Session, { state }: NewestTry): boolean =>
  status === 'pending' && state === 'in-flight';

/** Explains why the newest card was not saved. The reason is read from its payment, so that the page can be reloaded. */
function refusalBy({ newest, triesLeft }: HostedSession, language: Language): Refusal | undefined {
  const { state, payment } = newest;
  if (state !== 'failed' || !payment) return undefined;
  const texts = textsOf[language];
  const transaction = authorizationOf(payment);
  // The bank approved the card, but its customer was deleted meanwhile: another card could not be saved either.
  if (transaction?.status === 'approved') return { title: texts.notSaved, sentences: [texts.askShop] };
  const code = (transaction?.errorCode ?? 'funds-verification-failed') as ErrorCode;
  const notTaken = transaction !== undefined && isNeverTaken(transaction);
  return refusalOf(
    { code, declineCode: transaction?.declineCode, notTaken },
    texts,
    paidWith(payment, language) ?? texts.theCard,
    texts.notSaved,
    triesLeft,
  );
}

/** Ends the session of a card that was saved while its payer waited, without waiting for the sweep. */
async function settled(deps: HandlerDeps, asked: HostedRequest): Promise<HostedRequest> {
  const { session, newest } = asked.hosted;
  if (session.status !== 'pending' || newest.state !== 'succeeded') return asked;
  return { ...asked, hosted: await viewSession(deps, await settleOrLog(deps, session, asked.caller.log)) };
}

/**
 * Finds the card with which the session ended. Outside of a frame a cookie proves that it is the same browser; the address of a framed
 * page may have been passed on to anyone.
 */
async function cardOf(
  { instruments }: HandlerDeps,
  { session, newest }: HostedSession,
  framing: Framing | undefined,
): Promise<Instrument> {
  if (framing) return undefined;
  if (newest.instrument || session.instrument === undefined) return newest.instrument;
  return instruments.find(session.clientId, session.instrument);
}

/** Returns the page of an end: in a frame, for the page around it; else a redirect when the session says so, or the way back to the shop. */
function endAnswer(
  { hosted: { session, merchant }, language, token }: HostedRequest,
  over: { readonly ending: Ending; readonly status: string },
  framing: Framing | undefined,
  status: number,
): PageAnswer {
  if (framing) {
    const frame = { origin: framing.origin, sessionId: session._id, token };
    return { page: framedEndPage(language, frame, over.ending, over.status), status, pagePolicy: framing };
  }
  const onward = immediateRedirectUrl(session, over);
  if (onward !== undefined) return { redirectTo: onward };
  const { defaultUrl, cancelUrl } = session.settings.redirects ?? {};
  const to = over.status === 'completed' ? defaultUrl : (cancelUrl ?? defaultUrl);
  const end = { ...over.ending, language, payee: merchant, reference: session.referenceId, label: '' };
  return { page: endPage({ ...end, returnUrl: returnUrl(to, session, over.status) }) };
}

/** Returns the page for the current state of the session. */
export async function showTokenization(
  deps: HandlerDeps,
  request: HostedRequest,
  framing: Framing | undefined,
  shown: Shown = {},
): Promise<PageAnswer> {
  const asked = await settled(deps, request);
  const { hosted, language, token, form } = asked;
  const { session, merchant } = hosted;
  const { instrument, status = 200, ...complaint } = shown;
  const frame = framing && { origin: framing.origin, sessionId: session._id, token };
  const formToken = formTokenOf(token);
  if (isChecking(session, hosted.newest)) {
    const { waitRefreshSeconds: refreshSeconds } = limits;
    const page = checkingPage({ language, payee: merchant, formToken, frame, refreshSeconds });
    return { page, ...(framing && { pagePolicy: framing }) };
  }
  const cards = await listSavedCards(deps, session);
  const saved = instrument ?? (await cardOf(deps, hosted, framing));
  const over = endingOf(asked, saved) ?? nothingLeft(asked, cards.length);
  if (over) return endAnswer(asked, over, framing, status);
  const { verifyFunds } = session.settings.tokenization;
  const checked = verifyFunds && { totalMinor: verifyFunds.amountMinor, currency: verifyFunds.currency };
  const page = tokenizationPage({
    language,
    payee: merchant,
    attempt: hosted.nextAttempt,
    formToken,
    fields: fieldModesOf(session),
    checkedWith: checked && formatMoney(checked, language),
    cards: cards.slice(0, limits.cardsShownMax).map(shownCard),
    canCreate: hasFeature(session, 'create') && hosted.takesCards,
    canSelect: hasFeature(session, 'select'),
    canDelete: hasFeature(session, 'delete'),
    canCancel: framing === undefined,
    errors: {},
    refusal: refusalBy(hosted, language),
    ...complaint,
    values: { exp: form['exp'], name: form['name'] ?? prefilledName(session), source: form['source'] },
    frame,
  });
  return { page, status, pagePolicy: { ...framing, formTo: formTargets(session) } };
}

/** Removes a saved card. A card that was already removed in another tab is not an error. */
async function removeCard(deps: HandlerDeps, asked: HostedRequest, card: string): Promise<void> {
  const remove = () => deleteSavedCard(deps, asked.hosted.session, card);
  await auditedAsPayer(deps, asked, 'deletePaymentInstrument', remove, () => ({ card })).catch((error: unknown) => {
    if (!(error instanceof GatewayError && error.status === 404)) throw error;
  });
}

type Submitted = Pick<TokenizationOutcome, 'session' | 'instrument'>;

/** Carries out what the payer chose: cancel, use a saved card, or save the typed card. */
async function carryOut(deps: HandlerDeps, asked: HostedRequest): Promise<Submitted> {
  const { hosted, form, caller, browserDetails } = asked;
  if (form['action'] === 'cancel') {
    return { session: await auditedAsPayer(deps, asked, 'cancelSession', () => cancelSession(deps, hosted)) };
  }
  const { source = NEW_CARD } = form;
  if (source !== NEW_CARD) {
    const choose = () => chooseSavedCard(deps, hosted, source);
    return auditedAsPayer(deps, asked, 'choosePaymentInstrument', choose, (made) => ({ card: made.instrument?._id }));
  }
  const input = { attempt: readAttempt(form), card: readCard(form), browserDetails };
  const save = () => tokenizeSession(deps, hosted, input, caller);
  return auditedAsPayer(deps, asked, 'createTokenization', save, (made) => ({
    card: made.instrument?._id,
    payment: made.verification,
  }));
}

/** @returns what is wrong with the form, in the payer's language. */
function complaintOf(error: GatewayError, { form, language, hosted }: HostedRequest): Shown {
  const texts = textsOf[language];
  const named = fieldErrorsOf(error, texts);
  const cvcRequired = fieldModesOf(hosted.session).cvc === 'required';
  const errors = { ...named, ...missingFields(form, named, texts, cvcRequired) };
  const unclear = Object.keys(errors).length === 0;
  return {
    errors,
    refusal: unclear ? { title: texts.notSaved, sentences: [unclearSentence(error, texts)] } : undefined,
  };
}

/**
 * Carries out what the payer sent. Outside of a frame the result is shown by another request, so going back or reloading does not send
 * the form again. A frame shows it at once: only the form knows the origin around it.
 * @param here path of the page, with the chosen language
 */
export async function submitTokenization(
  deps: HandlerDeps,
  asked: HostedRequest,
  framing: Framing | undefined,
  here: string,
): Promise<PageAnswer> {
  const { hosted, form, token } = asked;
  const result = (now: HostedRequest, shown?: Shown) =>
    framing ? showTokenization(deps, now, framing, shown) : { redirectTo: here };
  if (form['action'] === CHECK_AGAIN) return result(asked);
  if (form['remove'] !== undefined) {
    await removeCard(deps, asked, form['remove']);
    return result({ ...asked, form: {} });
  }
  try {
    const { session, instrument } = await carryOut(deps, asked);
    return await result({ ...asked, hosted: session }, { instrument });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    const again = { ...asked, hosted: (await findHostedSession(deps, hosted.session._id, token)) ?? hosted };
    if (error.status === 409) return result(again);
    const shown = error.status === 422 ? { status: 422 } : { ...complaintOf(error, asked), status: 400 };
    return showTokenization(deps, again, framing, shown);
  }
}
