/**
 * Stored credentials: what makes a later charge, without the payer, a charge that the payer agreed to (docs/decisions.md,
 * "recurring.type = subsequent"). It names or finds a first payment: approved, of this card, with the payer's consent. Pure.
 */
import { isAttempt } from '../../shared/domain/payment/attempts.js';
import type { CardView, Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentStatus } from '../../shared/domain/payment/statuses.js';
import { isAuthenticated } from '../../shared/domain/threeds/authentication.js';

/** What a payment is made with, as far as two of them can be compared when the card's number is destroyed. */
export interface CardIdentity {
  /** Token of the saved card. */
  readonly token?: string | undefined;
  /** Fingerprint of the number, of saved cards alone. */
  readonly fingerprint?: string | undefined;
  readonly view?: Omit<CardView, 'brand'> | undefined;
}

const neverApproved: ReadonlySet<PaymentStatus> = new Set(['created', 'pending', 'denied', 'failed']);

const wasApproved = ({ status, transactions }: Payment): boolean =>
  !neverApproved.has(status) && transactions.some((tx) => isAttempt(tx) && tx.status === 'approved');

/** The payer was asked: the merchant says so, a secret of the payer's went with it, or the issuer authenticated the payer. */
function hasConsent({ recurring, payerSecret, threeDs }: Payment): boolean {
  if (recurring?.type === 'subsequent') return false;
  // Where it shifts nothing, as with an exemption, the payer was not asked.
  const authenticated = isAuthenticated(threeDs) && threeDs.liabilityShift === true;
  return recurring?.type === 'initial' || payerSecret === true || authenticated;
}

const sameView = (a: CardIdentity['view'], b: CardIdentity['view']): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.last4 === b.last4 &&
  a.bin === b.bin &&
  a.expirationMonth === b.expirationMonth &&
  a.expirationYear === b.expirationYear;

/** The surest that both have: the token, then the fingerprint; of bare numbers that are destroyed only what is shown is left. */
function isSameCard(first: CardIdentity, later: CardIdentity): boolean {
  if (first.token !== undefined && first.token === later.token) return true;
  if (first.fingerprint !== undefined && later.fingerprint !== undefined)
    return first.fingerprint === later.fingerprint;
  return sameView(first.view, later.view);
}

/** Token of the saved card that the payment charged, or was the first of. */
export const tokenOf = ({ instrument, tokenization }: Payment): string | undefined => instrument ?? tokenization?.token;

/**
 * Why the payment is no first payment of the card, as it reads on after a field's name; `undefined` when it is one.
 * @param fingerprint of the first payment's card, where a saved card still has it.
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
