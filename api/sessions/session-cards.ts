/** Saved cards of a session: the cards it offers, and those it may charge. */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { cardNameOf } from '../../shared/contract/present-instrument-token.js';
import { instrumentStatus, type PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { isGranted } from '../../shared/domain/principal.js';
import { hasFeature, sessionStatusAt, takesCardType } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import { findUsableCard, unusableToken } from '../customers/find-usable-card.js';
import { removeCard } from '../customers/remove-card.js';
import type { ApiDeps } from '../deps.js';
import { chargeableBrands } from '../merchants/check-chargeable.js';
import { refuseOtherCustomer } from '../payments/check-payment-request.js';

/** A saved card as a payer sees it. */
export interface SavedCard {
  readonly token: string;
  /** For people: `Visa **** 4242`. */
  readonly name: string;
  /** Code of the payment method: `visa`. */
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** PAN-only credential of a wallet: without 3D Secure it is charged only with its security code. */
  readonly panOnly?: true;
}

/**
 * Finds a saved card that the session may charge: its own `token`, or a card of its customer.
 * @throws {GatewayError} `invalid-card-payment-method-token`: one answer for all reasons but the type of the card; `request-validation-errors` naming
 * `customerId` when the session is for a saved card and for another customer.
 */
export async function findCardOfSession(
  deps: Pick<ApiDeps, 'instruments' | 'clock'>,
  session: Session,
  token: string,
): Promise<PaymentInstrument> {
  const field = token === session.token ? 'token' : undefined;
  const unusable = (internal: string, problem?: string) => unusableToken(field, internal, problem);
  const card = await findUsableCard(deps, session, token, field);
  if (token === session.token) refuseOtherCustomer(card, session.customerId);
  // A card goes with its own customer only. For the card that the integrator named, the card or the session may have no customer.
  const ofSession = token === session.token && (card.customerId === undefined || session.customerId === undefined);
  if (!ofSession && card.customerId !== session.customerId) throw unusable('the token is another customer’s');
  if (!ofSession && card.customerId === undefined) throw unusable('the token belongs to no customer');
  if (!takesCardType(session, card.cardType)) {
    throw unusable(
      'the session does not take cards of this type',
      'is the token of a card whose type is not in settings.tokenization.allowedCardTypes',
    );
  }
  return card;
}

const toSavedCard = (card: PaymentInstrument): SavedCard => ({
  token: card._id,
  name: cardNameOf(card),
  brand: card.paymentMethodId,
  last4: card.last4,
  expMonth: card.expMonth,
  expYear: card.expYear,
  ...(card.panOnly && { panOnly: true }),
});

/** Returns the card that the session is for; an empty list when the card can no longer be used. */
async function ownCard(deps: ApiDeps, session: Session, token: string): Promise<readonly SavedCard[]> {
  try {
    return [toSavedCard(await findCardOfSession(deps, session, token))];
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'invalid-card-payment-method-token') return [];
    throw error;
  }
}

/** In a checkout, keeps only the cards that the merchant can charge now. A payer who saves a card may choose or delete any card. */
async function withoutUnchargeable(
  deps: ApiDeps,
  session: Session,
  cards: readonly PaymentInstrument[],
): Promise<readonly PaymentInstrument[]> {
  if (cards.length === 0 || session.type !== 'checkout') return cards;
  const brands = await chargeableBrands(deps, session);
  return cards.filter((card) => brands.has(card.paymentMethodId));
}

/**
 * Lists the saved cards that the session offers, newest first; none without a customer, or when the session does not list them. A
 * session for one saved card offers only that card, of any customer.
 */
export async function listSavedCards(deps: ApiDeps, session: Session): Promise<readonly SavedCard[]> {
  if (session.token !== undefined) return ownCard(deps, session, session.token);
  if (session.customerId === undefined || !hasFeature(session, 'list')) return [];
  const now = deps.clock.now();
  const cards = (await deps.instruments.listByCustomer(session, session.customerId, now))
    .filter((card) => card.card && instrumentStatus(card, now) === 'active')
    .filter((card) => takesCardType(session, card.cardType));
  return (await withoutUnchargeable(deps, session, cards)).map(toSavedCard);
}

/** @throws {GatewayError} `payment-instrument-not-found`, also when the session has ended or does not allow deleting cards. */
export async function deleteSavedCard(deps: ApiDeps, session: Session, token: string): Promise<void> {
  const { clientId, customerId } = session;
  const open = sessionStatusAt(session, deps.clock.now()) === 'pending';
  const card = open && hasFeature(session, 'delete') ? await deps.instruments.find(clientId, token) : undefined;
  const own = card && customerId !== undefined && card.customerId === customerId && isGranted(session, card.merchantId);
  if (!own || !(await removeCard(deps, card, customerId))) {
    throw new GatewayError('payment-instrument-not-found');
  }
}
