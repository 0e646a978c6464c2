/** From a session to what its page shows. */
import { last4Of } from '../../../shared/domain/card/card-checks.js';
import { offeredInstallments } from '../../../shared/domain/payment-link/payment-link.js';
import { hasFeature } from '../../../shared/domain/session/rules.js';
import type { Session } from '../../../shared/domain/session/session.js';
import { fieldModesOf } from '../../sessions/hosted-card.js';
import type { HostedSession } from '../../sessions/hosted-session.js';
import type { SavedCard } from '../../sessions/session-cards.js';
import { boundsInWords } from '../bounds-in-words.js';
import { brandName, formatAmountToType, type Money } from '../format.js';
import { type Language, textsOf } from '../language.js';
import type { Form } from '../read-card-form.js';
import { shownItems } from '../shown-items.js';
import type { ShownCard } from '../views/card-choice.view.js';
import type { FieldErrors, Refusal } from '../views/card-form.view.js';
import type { CheckoutModel } from '../views/checkout.view.js';
import type { ShownItems } from '../views/items.view.js';

/** The amount when it is agreed; undefined when the payer says it. */
export function fixedAmount({ paymentRequest, settings }: Session): Money | undefined {
  const { totalMinor, currency } = paymentRequest?.amount ?? {};
  if (settings.checkout?.amountMode === 'flexible' || totalMinor === undefined || currency === undefined)
    return undefined;
  return { totalMinor, currency };
}

/** A saved card with the name of its brand. */
export const shownCard = (card: SavedCard): ShownCard => ({ ...card, brandName: brandName(card.brand) });

/** `Visa ending 4242` for the card a form was sent with; the word alone when nothing is known of it. */
export function cardInWords(language: Language, form: Form, cards: readonly SavedCard[]): string {
  const texts = textsOf[language];
  const saved = cards.find(({ token }) => token === form['source']);
  if (saved) return texts.cardEnding(brandName(saved.brand), saved.last4);
  const digits = (form['number'] ?? '').replace(/\D/g, '');
  return digits.length < 4 ? texts.card : texts.cardEnding(texts.card, last4Of(digits));
}

export interface CheckoutState {
  readonly errors: FieldErrors;
  readonly refusal?: Refusal | undefined;
  /** What was sent; undefined at the first view. */
  readonly form?: Form | undefined;
  readonly wallet?: CheckoutModel['wallet'];
  /** Of the previous attempt, which failed: it need not be typed again. */
  readonly kept?: { readonly exp?: string; readonly name?: string } | undefined;
}

/** The cardholder's name that the integrator filled in. */
export function prefilledName({ settings }: Session): string | undefined {
  const { firstName, lastName } = settings.tokenization.cardholder ?? {};
  return [firstName, lastName].filter(Boolean).join(' ') || undefined;
}

/** What is paid: at a link the payer knows its name, and the number was made by us. */
export function describeSession({ paymentLink, paymentRequest }: Session, language: Language): string {
  if (paymentLink) return paymentLink.displayName ?? '';
  return `${textsOf[language].invoice} ${paymentRequest?.invoiceNumber ?? ''}`;
}

/** What the integrator knows a payment of the session by; undefined at a link, where we number the payers ourselves. */
export const referenceOf = ({ paymentLink, paymentRequest, referenceId }: Session): string | undefined =>
  paymentLink ? undefined : (paymentRequest?.referenceId ?? referenceId);

/** What the link says is bought; a session of the API says nothing of it. */
export function itemsOf({ session, link }: HostedSession, language: Language): ShownItems | undefined {
  const amount = fixedAmount(session);
  const [first = ''] = session.settings.checkout?.flexibleAmount?.allowedCurrencies ?? [];
  // Where the payer says how much, the items need not come to the total.
  return shownItems(link?.items, link?.fixed ? amount : undefined, amount?.currency ?? first, language);
}

/** What the session proposes as the amount of a flexible one. */
function suggested({ paymentRequest }: Session, language: Language): { total?: string; currency?: string } {
  const { totalMinor, currency } = paymentRequest?.amount ?? {};
  if (currency === undefined) return {};
  if (totalMinor === undefined) return { currency };
  return { currency, total: formatAmountToType({ totalMinor, currency }, language) };
}

export function checkoutModel(
  hosted: HostedSession,
  language: Language,
  cards: readonly SavedCard[],
  formToken: string,
  state: CheckoutState,
): CheckoutModel {
  const { session, merchant, nextAttempt } = hosted;
  const request = session.paymentRequest;
  const flexible = session.settings.checkout?.flexibleAmount;
  const amount = fixedAmount(session);
  const { form } = state;
  const only = session.token === undefined ? undefined : cards.map(shownCard)[0];
  return {
    language,
    payee: merchant,
    reference: referenceOf(session),
    description: describeSession(session, language),
    items: itemsOf(hosted, language),
    amount,
    flexible:
      amount || !flexible
        ? undefined
        : { currencies: flexible.allowedCurrencies, hint: boundsInWords(flexible, language) },
    cards: session.token === undefined ? cards.map(shownCard) : [],
    canSelect: hasFeature(session, 'select'),
    canDelete: hasFeature(session, 'delete'),
    nameMode: fieldModesOf(session).cardholder,
    canSave: session.customerId !== undefined && hasFeature(session, 'create'),
    only,
    installments: offeredInstallments(session.paymentLink ?? {}),
    agreedInstallments: request?.installments,
    transfer: hosted.transfer !== undefined,
    wallet: state.wallet,
    attempt: nextAttempt,
    formToken,
    errors: state.errors,
    refusal: state.refusal,
    values: form
      ? {
          exp: form['exp'],
          name: form['name'],
          total: form['total'],
          currency: form['currency'],
          source: form['source'],
          save: form['save'],
          installments: form['installments'],
        }
      : { ...suggested(session, language), name: prefilledName(session), ...state.kept },
  };
}
