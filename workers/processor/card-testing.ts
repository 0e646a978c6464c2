/**
 * Card testing: somebody tries stolen numbers, or guesses the cvc of a saved card. A card that was declined too often is not
 * sent any more; the answer looks like any other decline, so that nothing is learned from it (docs/security.md, S41).
 */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { CardDeclineRepository } from '../../shared/store/card-decline.repository.js';

export interface CardTesting {
  /** Whether the authorization must not be sent. Throws when that cannot be told: then nothing is sent either (S47). */
  isBlocked(payment: Payment): Promise<boolean>;
  /** Counts a decline and raises an alarm for a burst on one BIN. Never throws. */
  noteDecline(payment: Payment, tx: Transaction): Promise<void>;
}

interface Deps {
  readonly declines: CardDeclineRepository;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

/** Throttles that are switched off: the test cards must keep working. */
export const noCardTesting: CardTesting = { isBlocked: async () => false, noteDecline: async () => undefined };

export function createCardTesting({ declines, clock, log, metrics }: Deps): CardTesting {
  const since = (ms: number) => ({ $gt: new Date(clock.now().getTime() - ms) });
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
    async isBlocked({ cardFingerprint: fingerprint, merchantId, amount, instrument }) {
      if (fingerprint === undefined) return false;
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
      const { cardFingerprint: fingerprint, paymentMethod, merchantId, amount, instrument } = payment;
      if (fingerprint === undefined) return;
      const at = clock.now();
      const bin = paymentMethod.card?.bin ?? '';
      try {
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
          expireAt: new Date(at.getTime() + monthMs),
        });
        await alarm(bin);
      } catch (error) {
        log.warn('card-testing.not-counted', { paymentId: payment._id, error });
      }
    },
  };
}
