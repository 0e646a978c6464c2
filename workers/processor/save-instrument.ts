/** Saves the card of a successful payment: seals it again, bound to its token, with what the BIN table knows about it. */
import { limits } from '../../config/limits.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { authorizationOf } from '../../shared/domain/payment/attempts.js';
import type { Payment, Tokenization, Transaction } from '../../shared/domain/payment/payment.js';
import { planInstrumentSaved } from '../../shared/domain/payment/saved-instrument.js';
import { after } from '../../shared/domain/time.js';
import { buildInstrument } from '../../shared/vault/build-instrument.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import { openSealedCard } from '../open-card.js';
import type { PoolDeps } from '../pool.js';

type SaveDeps = Pick<PoolDeps, 'payments' | 'instruments' | 'vault' | 'bins' | 'clock' | 'log' | 'renderCallback'>;

async function toInstrument(deps: SaveDeps, payment: Payment, tokenization: Tokenization): Promise<PaymentInstrument> {
  const { _id: paymentId, clientId, merchantId, customerId } = payment;
  const paymentMethodId = payment.paymentMethod.id;
  const createdAt = deps.clock.now();
  const firstPayment = authorizationOf(payment);
  const order = {
    ...tokenization,
    createdAt,
    clientId,
    merchantId,
    paymentMethodId,
    customerId,
    paymentId,
    ...(firstPayment && { firstPayment }),
  };
  return buildInstrument(deps, order, await openSealedCard(deps, payment));
}

/**
 * Stores the token and marks the payment as done. May run twice: the token was chosen when the payment was accepted, so the second insert
 * changes nothing. Returns the payment as it is then stored.
 */
export async function saveInstrument(deps: SaveDeps, payment: Payment): Promise<Payment> {
  const { tokenization, tokenizeAt } = payment;
  if (!tokenization || !tokenizeAt) return payment;
  const kept = await deps.instruments.insert(await toInstrument(deps, payment, tokenization));
  const plan = (current: Payment) => planInstrumentSaved(current, kept, deps.renderCallback);
  const saved = await deps.payments.update(payment, plan);
  if (saved) return saved;
  // Another process noted the token first. The card may have been deleted since, and stored again by this process.
  const current = await deps.payments.findById(payment._id);
  const { clientId, customerId } = payment;
  if (current?.tokenization?.deleted && customerId !== undefined) {
    await deps.instruments.remove(clientId, customerId, tokenization.token);
  }
  return current ?? payment;
}

/**
 * Stores what the charge of a saved card returned (network reference, new expiry). Losing it only costs a later charge its reference.
 * @param wasApproved whether the approval was known before: the card that this payment saves may then be stored without these details
 */
export async function noteOnCard(
  { instruments }: Pick<PoolDeps, 'instruments'>,
  payment: Payment,
  tx: Transaction,
  wasApproved = false,
): Promise<void> {
  const { instrument, tokenization, clientId } = payment;
  const token = instrument ?? (wasApproved ? tokenization?.token : undefined);
  const learns = tx.networkTransactionId !== undefined || tx.updatedExpiry !== undefined;
  if (token === undefined || tx.id !== authorizationOf(payment)?.id || tx.status !== 'approved' || !learns) return;
  await instruments.noteCharge(clientId, token, tx);
}

/** The envelope was destroyed or changed meanwhile, or its key is gone: no later try can open it. */
const neverOpens = (error: unknown) =>
  error instanceof VaultError && (error.code === 'envelope-invalid' || error.code === 'key-unknown');

/** Gives up saving the card, but checks first whether another process stored it and was killed before noting that. */
async function giveUp(deps: SaveDeps, payment: Payment): Promise<void> {
  const token = payment.tokenization?.token;
  const kept = token !== undefined && (await deps.instruments.find(payment.clientId, token)) !== undefined;
  await deps.payments.update(payment, (current) => planInstrumentSaved(current, kept, deps.renderCallback));
}

/** Saves the card of one payment, or gives it up, or lets it wait behind all others. Never throws. */
async function saveForgotten(deps: SaveDeps, payment: Payment, now: Date): Promise<void> {
  const failed = (error: unknown) => deps.log.error('instrument.not-saved', { paymentId: payment._id, error });
  try {
    await saveInstrument(deps, payment);
  } catch (error) {
    failed(error);
    const isGivenUp = neverOpens(error) && (await giveUp(deps, payment).then(() => true, failed));
    const waiting = (current: Payment) => current.tokenizeAt && { ...current, tokenizeAt: now };
    if (!isGivenUp) await deps.payments.update(payment, waiting).catch(failed);
  }
}

/**
 * Saves cards that a process was killed before saving, or could not save. A card that fails again waits behind all others. A card that can
 * never be opened is given up: its payment stays paid and saves no card.
 */
export async function saveForgottenCards(deps: SaveDeps, now: Date): Promise<void> {
  const waiting = await deps.payments.findToTokenize(after(now, -limits.saveForgottenMs), limits.sweepPageMax);
  for (const payment of waiting) await saveForgotten(deps, payment, now);
}
