/**
 * Stored credentials: a later charge without the payer must refer to a first payment that the payer agreed to (docs/decisions.md,
 * "recurring.type = subsequent"). The first payment is named or found; it is approved, of the same card, and with the payer's
 * consent. Pure.
 */
import { isAttempt } from '../../shared/domain/payment/attempts.js';
import type { CardView, Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentStatus } from '../../shared/domain/payment/statuses.js';
import { isAuthenticated } from '../../shared/domain/threeds/authentication.js';

/** Identifies the card of a payment, as far as two cards can be compared after their numbers are destroyed. */
export interface CardIdentity {
  /** Token of the saved card. */
  readonly token?: string | undefined;
  /** Fingerprint of the number; only saved cards have one. */
  readonly fingerprint?: string | undefined;
  readonly view?: Omit<CardView, 'brand'> | undefined;
}

const neverApproved: ReadonlySet<PaymentStatus> = new Set(['created', 'pending', 'denied', 'failed']);

const wasApproved = ({ status, transactions }: Payment): boolean =>
  !neverApproved.has(status) && transactions.some((tx) => isAttempt(tx) && tx.status === 'approved');

/** Whether the payer agreed: the merchant says so, a secret of the payer came with the payment, or the issuer authenticated the payer. */
function hasConsent({ recurring, payerSecret, threeDs }: Payment): boolean {
  if (recurring?.type === 'subsequent') return false;
  // An authentication without liability shift, such as an exemption, did not ask the payer.
  const authenticated = isAuthenticated(threeDs) && threeDs.liabilityShift === true;
  return recurring?.type === 'initial' || payerSecret === true || authenticated;
}

/** Whether two cards are the same, as far as their masked numbers and expiry tell. */
export const isSameView = (a: CardIdentity['view'], b: CardIdentity['view']): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.last4 === b.last4 &&
  a.bin === b.bin &&
  a.expirationMonth === b.expirationMonth &&
  a.expirationYear === b.expirationYear;

/**
 * Compares by the strongest identifier that both have: the token, then the fingerprint. For numbers that were never saved and are
 * destroyed, only the masked card is left.
 */
function isSameCard(first: CardIdentity, later: CardIdentity): boolean {
  if (first.token !== undefined && first.token === later.token) return true;
  if (first.fingerprint !== undefined && later.fingerprint !== undefined)
    return first.fingerprint === later.fingerprint;
  return isSameView(first.view, later.view);
}

/** Returns the token of the saved card that the payment charged, or that it saved. */
export const tokenOf = ({ instrument, tokenization }: Payment): string | undefined => instrument ?? tokenization?.token;

/**
 * Why the payment cannot be the first payment of the card, worded to follow a field's name; `undefined` when it can.
 * @param fingerprint fingerprint of the first payment's card, while that card is saved.
 */
export function firstPaymentProblem(
  first: Payment,
  later: CardIdentity,
  fingerprint: string | undefined,
): string | undefined {
  if (!wasApproved(first)) return 'is a payment that was not approved';
  const card = { token: tokenOf(first), fingerprint, view: first.paymentMethod.card };
  if (!isSameCard(card, later)) return 'is a payment of another card';
  if (hasConsent(first)) return undefined;
  return 'is a payment without the payer’s consent: it was neither `initial` nor made with a cvc or 3D Secure';
}
