/**
 * Protects against card testing: stolen numbers are tried, or the cvc of a saved card is guessed. A card that was declined too often is not
 * sent any more; the answer looks like any other decline, so that an attacker learns nothing from it (docs/security.md#card-testing).
 */
import { limits } from '../../config/limits.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { after } from '../../shared/domain/time.js';
import type { CardToSave } from '../../shared/vault/build-instrument.js';
import type { Vault } from '../../shared/vault/vault.js';
import { type CardSources, openSealedCard, TokenGoneError } from '../open-card.js';
import type { PoolDeps } from '../pool.js';

export interface CardTesting {
  /**
   * Whether the authorization must not be sent. Throws when this is unknown: then nothing is sent either (docs/security.md#fail-closed).
   */
  isBlocked(payment: Payment): Promise<boolean>;
  /** Counts a decline and raises an alarm for a burst on one BIN. Never throws. */
  noteDecline(payment: Payment, tx: Transaction): Promise<void>;
}

interface Deps extends CardSources, Pick<PoolDeps, 'declines' | 'clock' | 'log' | 'metrics'> {
  readonly vault: Pick<Vault, 'open' | 'fingerprintsOf'>;
}

/** Throttles that are switched off: the test cards must keep working. */
export const noCardTesting: CardTesting = { isBlocked: async () => false, noteDecline: async () => undefined };

/**
 * Returns the fingerprints of the card that a payment charges; none for click-to-pay, and for a saved card that is gone (nothing is sent).
 */
async function fingerprintsOf(deps: Deps, payment: Payment) {
  if (payment.card === undefined && payment.instrument === undefined) return undefined;
  try {
    const { number } = await openSealedCard<Partial<CardToSave>>(deps, payment);
    return number === undefined ? undefined : await deps.vault.fingerprintsOf(number);
  } catch (error) {
    if (error instanceof TokenGoneError) return undefined;
    throw error;
  }
}

export function createCardTesting(deps: Deps): CardTesting {
  const { declines, clock, log, metrics } = deps;
  const since = (ms: number) => ({ $gt: after(clock.now(), -ms) });
  const { dayMs, monthMs, cvcGuessMs, binBurstMs } = limits.cardTesting;

  const alarm = async (bin: string) => {
    const count = await declines.count({ bin, at: since(binBurstMs) }, limits.cardTesting.binBurstMax + 1);
    if (count <= limits.cardTesting.binBurstMax) return;
    metrics.event('card-testing');
    log.error('card-testing.burst', {
      reason: `declines of cards with one BIN within a minute: more than ${limits.cardTesting.binBurstMax}`,
    });
  };

  return {
    async isBlocked(payment) {
      const fingerprints = await fingerprintsOf(deps, payment);
      if (!fingerprints) return false;
      const { merchantId, amount, instrument } = payment;
      const fingerprint = { $in: fingerprints };
      const { declinesPerDay, sameAmountPerMonth, cvcGuesses } = limits.cardTesting;
      const { totalMinor: amountMinor, currency } = amount;
      const sameAmount = { fingerprint, merchantId, amountMinor, currency, at: since(monthMs) };
      const [today, alike, guesses] = await Promise.all([
        declines.count({ fingerprint, at: since(dayMs) }, declinesPerDay),
        declines.count(sameAmount, sameAmountPerMonth),
        instrument === undefined
          ? 0
          : declines.count({ instrument, wrongCvc: true, at: since(cvcGuessMs) }, cvcGuesses),
      ]);
      const blocked = today >= declinesPerDay || alike >= sameAmountPerMonth || guesses >= cvcGuesses;
      if (blocked) metrics.event('card-testing');
      return blocked;
    },

    async noteDecline(payment, tx) {
      const { paymentMethod, merchantId, amount, instrument } = payment;
      const at = clock.now();
      const bin = paymentMethod.card?.bin ?? '';
      try {
        const [fingerprint] = (await fingerprintsOf(deps, payment)) ?? [];
        if (fingerprint === undefined) return;
        await declines.insert({
          _id: tx.id,
          fingerprint,
          bin,
          merchantId,
          amountMinor: amount.totalMinor,
          currency: amount.currency,
          ...(instrument !== undefined && { instrument }),
          wrongCvc: tx.declineCode === 'incorrect_cvc',
          at,
          expireAt: after(at, monthMs),
        });
        await alarm(bin);
      } catch (error) {
        log.warn('card-testing.not-counted', { paymentId: payment._id, error });
      }
    },
  };
}
