/** What a session allows at a moment. Pure. */
import { Decimal } from 'decimal.js';
import type { CardType } from '../instrument/payment-instrument.js';
import { amountProblems, parseAmount } from '../money/amount.js';
import { authorizationOf } from '../payment/attempts.js';
import type { Payment } from '../payment/payment.js';
import type { FlexibleAmount, Session, SessionFeature } from './session.js';
import type { SessionStatus } from './statuses.js';

/** What became of a try. `absent`: nothing is stored of it, so the same try may be made again. */
export type TryState = 'absent' | 'in-flight' | 'succeeded' | 'failed';

/** A payment of a session succeeded when its purchase or authorization did: what happened to the money later does not count. */
export function tryState(payment: Payment | undefined): TryState {
  if (!payment) return 'absent';
  if (authorizationOf(payment)?.status === 'approved') return 'succeeded';
  return payment.status === 'created' || payment.status === 'pending' ? 'in-flight' : 'failed';
}

/** Status as it is to be shown at `now`, before any sweep came by. */
export function sessionStatusAt(session: Session, now: Date, newest: TryState = 'absent'): SessionStatus {
  const { status, expiresAt } = session;
  if (status === 'completed' || status === 'cancelled') return status;
  if (session.type === 'checkout' && newest === 'succeeded') return 'completed';
  return status === 'pending' && expiresAt <= now ? 'expired' : status;
}

/** Number that the next try gets: a try of which nothing is stored is made again under its own number. */
export function nextAttempt(session: Session, newest: TryState): number {
  if (session.tries === 0) return 1;
  return newest === 'failed' ? session.tries + 1 : session.tries;
}

/** Currencies that the payment of a session may have (ISO 4217); none for a tokenization. */
export function currenciesOf({ paymentRequest, settings }: Session): readonly string[] {
  const flexible = settings.checkout?.amountMode === 'flexible' ? settings.checkout.flexibleAmount : undefined;
  if (flexible) return flexible.allowedCurrencies;
  const { currency } = paymentRequest?.amount ?? {};
  return currency === undefined ? [] : [currency];
}

/** How a card is saved at the session. Earlier releases left it out where the integrator said nothing, and stored the card. */
export const savesAs = ({ settings }: Session): 'store' | 'temporal' => settings.tokenization.type ?? 'store';

export const hasFeature = (session: Session, feature: SessionFeature): boolean =>
  session.settings.tokenization.features.includes(feature);

/** Whether a card of this type may be used. What the BIN table does not know passes. */
export function takesCardType(session: Session, cardType: CardType | undefined): boolean {
  const { allowedCardTypes } = session.settings.tokenization;
  if (!allowedCardTypes || cardType === undefined) return true;
  return cardType !== 'prepaid' && allowedCardTypes.includes(cardType);
}

export type ChosenAmount =
  | { readonly kind: 'amount'; readonly totalMinor: number; readonly currency: string }
  | { readonly kind: 'problem'; readonly field: 'total' | 'currency'; readonly reason: string };

/** The amount a payer chose, within the bounds of the session (docs/security.md#amounts-of-sessions). */
export function chooseAmount(bounds: FlexibleAmount, chosen: { total: string; currency: string }): ChosenAmount {
  const { total, currency } = chosen;
  if (!bounds.allowedCurrencies.includes(currency)) {
    return { kind: 'problem', field: 'currency', reason: 'is not one of the allowed currencies' };
  }
  const parsed = parseAmount(total, currency);
  if (parsed.kind === 'problem') return { kind: 'problem', field: 'total', reason: amountProblems[parsed.problem] };
  const value = new Decimal(total);
  if (bounds.minAmount !== undefined && value.lt(bounds.minAmount)) {
    return { kind: 'problem', field: 'total', reason: `must be at least ${bounds.minAmount}` };
  }
  if (bounds.maxAmount !== undefined && value.gt(bounds.maxAmount)) {
    return { kind: 'problem', field: 'total', reason: `must be at most ${bounds.maxAmount}` };
  }
  return { kind: 'amount', totalMinor: parsed.minor, currency };
}

/** References of the tries: beside `payment:<reference>`, which the session itself holds. */
export const tryRefKey = (kind: 'payment' | 'session', attempt: number, referenceId: string) =>
  `${kind}#${attempt}:${referenceId}`;
