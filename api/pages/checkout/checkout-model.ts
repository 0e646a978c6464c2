/** Builds what the page of a session shows. */
import { authorizationOf } from '../../../shared/domain/payment/attempts.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { isTransfer } from '../../../shared/domain/payment/plan-transfer.js';
import { offeredInstallments } from '../../../shared/domain/payment-link/payment-link.js';
import { agreedAmountOf, hasFeature, savesAs } from '../../../shared/domain/session/rules.js';
import type { Session } from '../../../shared/domain/session/session.js';
import { fieldModesOf } from '../../sessions/hosted-card.js';
import type { HostedSession } from '../../sessions/hosted-session.js';
import type { SavedCard } from '../../sessions/session-cards.js';
import { boundsInWords, refusedCurrency } from '../bounds-in-words.js';
import { brandName, formatAmountToType, type Money } from '../format.js';
import { type Language, textsOf } from '../language.js';
import type { Form } from '../read-card-form.js';
import { shownItems } from '../shown-items.js';
import type { ShownCard } from '../views/card-choice.view.js';
import type { FieldErrors, Refusal } from '../views/card-form.view.js';
import type { CheckoutModel } from '../views/checkout.view.js';
import type { ShownItems } from '../views/items.view.js';

/** Adds the name of its brand to a saved card. */
export const shownCard = (card: SavedCard): ShownCard => ({ ...card, brandName: brandName(card.brand) });

export interface CheckoutState {
  readonly errors: FieldErrors;
  readonly refusal?: Refusal | undefined;
  /** The form as it was sent; undefined at the first view. */
  readonly form?: Form | undefined;
  readonly wallet?: CheckoutModel['wallet'];
  /** Values of the previous attempt, which failed, so that the payer need not type them again. Without undefined members. */
  readonly kept?: CheckoutModel['values'] | undefined;
}

/** Returns the cardholder's name that the integrator filled in. */
export function prefilledName({ settings }: Session): string | undefined {
  const { firstName, lastName } = settings.tokenization.cardholder ?? {};
  return [firstName, lastName].filter(Boolean).join(' ') || undefined;
}

/** What every page of a checkout shows about it. */
export interface AboutCheckout {
  readonly language: Language;
  readonly payee: HostedSession['merchant'];
  /** The integrator's reference for a payment of the session; undefined at a link, where we number the payers ourselves. */
  readonly reference: string | undefined;
  /** The invoice number; at a link its name instead, because there the number is ours and the payer does not know it. */
  readonly description: string;
  /** The items of the link; a session of the API has none. */
  readonly items: ShownItems | undefined;
  /** The agreed amount. */
  readonly amount: Money | undefined;
  /** A transfer of an earlier try arrived too late, or with another amount: the shop has to return it. */
  readonly earlierTransfer?: boolean;
}

export function aboutCheckout({ session, link, merchant }: HostedSession, language: Language): AboutCheckout {
  const { paymentLink, paymentRequest, referenceId } = session;
  const amount = agreedAmountOf(session);
  return {
    language,
    payee: merchant,
    reference: paymentLink ? undefined : (paymentRequest?.referenceId ?? referenceId),
    description: paymentLink
      ? (paymentLink.displayName ?? '')
      : `${textsOf[language].invoice} ${paymentRequest?.invoiceNumber ?? ''}`,
    // When the payer chooses the amount, the items need not add up to the total.
    items: link && shownItems(link.items, link.fixed ? amount : undefined, link.itemCurrency, language),
    amount,
  };
}

/** Returns the text for what the payer paid with. */
export function paidWith({ paymentMethod: { card, type } }: Payment, language: Language): string | undefined {
  if (type === 'bank-transfer') return textsOf[language].transfer;
  return card && textsOf[language].cardEnding(brandName(card.brand), card.last4);
}

/** Returns when the payer paid. The payment itself says when it was changed last, for example by a refund. */
export const paidAt = (payment: Payment): Date =>
  authorizationOf(payment)?.processedAt ?? payment.processedAt ?? payment.createdAt;

/** Whether a transfer was cancelled after it was paid: its money is returned. */
export const isCancelledAfterPayment = (payment: Payment): boolean =>
  isTransfer(payment) && payment.status === 'cancelled' && payment.capturedMinor > 0;

/** Returns the amount that the session suggests for a flexible amount. */
function suggested({ paymentRequest }: Session, language: Language): { total?: string; currency?: string } {
  const { totalMinor, currency } = paymentRequest?.amount ?? {};
  if (currency === undefined) return {};
  if (totalMinor === undefined) return { currency };
  return { currency, total: formatAmountToType({ totalMinor, currency }, language) };
}

/** Returns the values of the fields: those that were sent, else those that the session suggests and the previous attempt left. */
function valuesOf(session: Session, language: Language, { form, kept }: CheckoutState): CheckoutModel['values'] {
  if (!form) return { ...suggested(session, language), name: prefilledName(session), ...kept };
  const { exp, name, total, currency, source, save, installments } = form;
  return { exp, name, total, currency, source, save, installments };
}

export function checkoutModel(
  about: AboutCheckout,
  { session, transfer, nextAttempt }: HostedSession,
  cards: readonly SavedCard[],
  formToken: string,
  state: CheckoutState,
): CheckoutModel {
  const { language, amount } = about;
  const flexible = session.settings.checkout?.flexibleAmount;
  const shown = cards.map(shownCard);
  return {
    ...about,
    flexible:
      amount || !flexible
        ? undefined
        : {
            currencies: flexible.allowedCurrencies,
            hint: boundsInWords(
              flexible,
              flexible.allowedCurrencies,
              language,
              refusedCurrency(state.errors, state.form),
            ),
            bounds: flexible,
          },
    cards: session.token === undefined ? shown : [],
    only: session.token === undefined ? undefined : shown[0],
    canSelect: hasFeature(session, 'select'),
    canDelete: hasFeature(session, 'delete'),
    nameMode: fieldModesOf(session).cardholder,
    savesAs: session.customerId !== undefined && hasFeature(session, 'create') ? savesAs(session) : undefined,
    installments: offeredInstallments(session.paymentLink ?? {}),
    agreedInstallments: session.paymentRequest?.installments,
    transfer: transfer !== undefined,
    wallet: state.wallet,
    attempt: nextAttempt,
    formToken,
    errors: state.errors,
    refusal: state.refusal,
    values: valuesOf(session, language, state),
  };
}
