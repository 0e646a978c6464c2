/** `recurring.type` `subsequent`: a charge without the payer needs a first payment that the payer agreed to. */

import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import type { Payment, Recurring } from '../../shared/domain/payment/payment.js';
import { isGranted, type Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { type CardIdentity, firstPaymentProblem, tokenOf } from './first-payment.js';
import type { SealedSource } from './payment-source.js';
import { readPayment } from './read-payment.js';

const FIELD = 'recurring.initialPaymentId';
const refused = (reason: string) => invalidField(FIELD, reason);

/** A typed number gets no fingerprint here: a match with the fingerprint of a saved card would confirm a guessed number. */
const identityOf = ({ instrument, saved, view }: SealedSource): CardIdentity => ({
  token: instrument,
  fingerprint: saved?.cardFingerprint,
  view,
});

/** Returns the fingerprint of the payment's card, as long as the card is saved. */
async function fingerprintOf({ instruments }: ApiDeps, first: Payment): Promise<string | undefined> {
  const token = tokenOf(first);
  return token === undefined ? undefined : (await instruments.find(first.clientId, token))?.cardFingerprint;
}

/** Finds the payment that the caller named. Unknown ids, other clients' payments and payments not granted to the key fail alike. */
async function readNamedPayment(deps: ApiDeps, id: string, principal: Principal, card: CardIdentity): Promise<Payment> {
  const first = await readPayment(deps, id, principal).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === 'payment-not-found') throw refused('is not a known payment');
    throw error;
  });
  const problem = firstPaymentProblem(first, card, await fingerprintOf(deps, first));
  if (problem !== undefined) throw refused(problem);
  return first;
}

/** Finds the payment that saved the card, otherwise the oldest charge of the card that the payer agreed to. */
async function searchFirstPayment(
  deps: ApiDeps,
  { instrument: token, saved }: SealedSource,
  principal: Principal,
): Promise<Payment | undefined> {
  if (token === undefined) return undefined;
  const { clientId } = principal;
  const isFirst = (payment: Payment) =>
    isGranted(principal, payment.merchantId) && firstPaymentProblem(payment, { token }, undefined) === undefined;
  const savedBy =
    saved?.paymentId === undefined ? undefined : await deps.payments.findForClient(saved.paymentId, clientId);
  if (savedBy && isFirst(savedBy)) return savedBy;
  return (await deps.payments.findChargesOf(clientId, token)).find(isFirst);
}

/**
 * Finds the first payment behind a later charge of a stored card; `undefined` when the payment is no such charge. Only a payment
 * that has a first payment is merchant-initiated.
 * @throws {GatewayError} `request-validation-errors` naming `recurring.initialPaymentId`.
 */
export async function findFirstPayment(
  deps: ApiDeps,
  recurring: Recurring | undefined,
  source: SealedSource,
  principal: Principal,
): Promise<Payment | undefined> {
  if (recurring?.type !== 'subsequent') return undefined;
  const { initialPaymentId } = recurring;
  if (initialPaymentId !== undefined) {
    return readNamedPayment(deps, initialPaymentId, principal, identityOf(source));
  }
  const found = await searchFirstPayment(deps, source, principal);
  if (found !== undefined) return found;
  throw refused(
    'is required: a first payment of this card that was approved, and was `initial` or made by its payer with a cvc or 3D Secure',
  );
}
