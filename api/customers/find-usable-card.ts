/** Finds the saved card of a token, for everything that charges the card or asks about it. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { instrumentStatus, type PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { isGranted, type Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';

/**
 * Builds one error for all reasons, so that it does not reveal which tokens exist.
 * @param field field in which the caller sent the token; absent when a payer chose the card.
 * @param internal the reason, for the log.
 * @param problem the reason for the caller; only for a card that is certainly the caller's own
 */
export const unusableToken = (
  field: string | undefined,
  internal: string,
  problem = 'is the token of no card that can be charged',
): GatewayError =>
  new GatewayError('invalid-card-payment-method-token', {
    internal,
    ...(field !== undefined && { params: { [field]: [problem] } }),
  });

/**
 * Finds a saved card that can be charged.
 * @param owner client that the token must belong to, and the merchants that it may belong to.
 * @throws {GatewayError} as {@link unusableToken} when the token is unknown, expired, deleted, another client's, or of a merchant
 * that is not granted.
 */
export async function findUsableCard(
  { instruments, clock }: Pick<ApiDeps, 'instruments' | 'clock'>,
  owner: Pick<Principal, 'clientId' | 'merchants'>,
  token: string,
  field?: string,
): Promise<PaymentInstrument> {
  const card = await instruments.find(owner.clientId, token);
  if (!card?.card) throw unusableToken(field, 'there is no such token');
  if (instrumentStatus(card, clock.now()) === 'expired') throw unusableToken(field, 'the token has run out');
  if (!isGranted(owner, card.merchantId)) {
    throw unusableToken(field, 'the merchant of the token is not granted to the key');
  }
  return card;
}
