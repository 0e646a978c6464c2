/** Rules that say what a session allows. Pure. */
import { Decimal } from 'decimal.js';
import type { CardType } from '../instrument/payment-instrument.js';
import { amountProblems, parseAmount, toDecimalText } from '../money/amount.js';
import { authorizationOf } from '../payment/attempts.js';
import type { Payment } from '../payment/payment.js';
import type { FlexibleAmount, Session, SessionFeature } from './session.js';
import type { SessionStatus } from './statuses.js';

/** State of a try. `absent`: nothing is stored for the try, so it may be made again under the same number. */
export type TryState = 'absent' | 'in-flight' | 'succeeded' | 'failed';

/** Returns the state of a try. It succeeded when its purchase or authorization did: what happened to the money later does not count. */
export function tryState(payment: Payment | undefined): TryState {
  if (!payment) return 'absent';
  if (authorizationOf(payment)?.status === 'approved') return 'succeeded';
  return payment.status === 'created' || payment.status === 'pending' ? 'in-flight' : 'failed';
}

/** Returns the status to show at `now`, also when no sweep has stored it yet. A try in flight at the end may still complete the session. */
export function sessionStatusAt(session: Session, now: Date, newest: TryState = 'absent'): SessionStatus {
  const { status, expiresAt } = session;
  if (status === 'completed' || status === 'cancelled') return status;
  if (session.type === 'checkout' && newest === 'succeeded') return 'completed';
  return status === 'pending' && expiresAt <= now && newest !== 'in-flight' ? 'expired' : status;
}

/** Returns the number of the next try. A try for which nothing is stored is made again under its own number. */
export function nextAttempt(session: Session, newest: TryState): number {
  if (session.tries === 0) return 1;
  return newest === 'failed' ? session.tries + 1 : session.tries;
}

/** Smallest amount that a payer may pay: no bank transfer is possible where a QR code cannot carry it. */
export interface LeastAmount {
  readonly field: string;
  /** Decimal text. */
  readonly total: string;
}

interface AgreedAmount {
  readonly totalMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
}

/** Returns the currencies that the payment of a session may have (ISO 4217); none for a tokenization. */
export function currenciesOf({ paymentRequest, settings }: Session): readonly string[] {
  const flexible = settings.checkout?.amountMode === 'flexible' ? settings.checkout.flexibleAmount : undefined;
  if (flexible) return flexible.allowedCurrencies;
  const { currency } = paymentRequest?.amount ?? {};
  return currency === undefined ? [] : [currency];
}

/** Returns the agreed amount of a checkout; undefined when the payer chooses it, and for a tokenization. */
export function agreedAmountOf({ paymentRequest, settings }: Session): AgreedAmount | undefined {
  const { totalMinor, currency } = paymentRequest?.amount ?? {};
  if (settings.checkout?.amountMode === 'flexible' || totalMinor === undefined || currency === undefined)
    return undefined;
  return { totalMinor, currency };
}

/** Returns the smallest amount that may be paid (decimal text), with its field of the request; undefined where none is set. */
export function leastAmountOf(session: Session): LeastAmount | undefined {
  const { checkout } = session.settings;
  if (checkout?.amountMode === 'flexible') {
    const total = checkout.flexibleAmount?.minAmount;
    return total === undefined ? undefined : { field: 'settings.checkout.flexibleAmount.minAmount', total };
  }
  const agreed = agreedAmountOf(session);
  return agreed && { field: 'paymentRequest.amount.total', total: toDecimalText(agreed.totalMinor, agreed.currency) };
}

/** Returns how the session saves a card. Earlier releases left the field out when the integrator did not send it, and stored the card. */
export const savesAs = ({ settings }: Session): 'store' | 'temporal' => settings.tokenization.type ?? 'store';

export const hasFeature = (session: Session, feature: SessionFeature): boolean =>
  session.settings.tokenization.features.includes(feature);

/** Whether a card of this type may be used. A card that the BIN table does not know may. */
export function takesCardType(session: Session, cardType: CardType | undefined): boolean {
  const { allowedCardTypes } = session.settings.tokenization;
  if (!allowedCardTypes || cardType === undefined) return true;
  return cardType !== 'prepaid' && allowedCardTypes.includes(cardType);
}

export type ChosenAmount =
  | { readonly kind: 'amount'; readonly totalMinor: number; readonly currency: string }
  | { readonly kind: 'problem'; readonly field: 'total' | 'currency'; readonly reason: string };

/** Checks the amount that a payer chose against the bounds of the session (docs/security.md#amounts-of-sessions). */
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

/** Builds the reference key of a try. The session itself has the key `payment:<reference>`. */
export const tryRefKey = (kind: 'payment' | 'session', attempt: number, referenceId: string) =>
  `${kind}#${attempt}:${referenceId}`;
