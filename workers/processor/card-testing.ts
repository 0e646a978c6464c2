/**
 * Protects against card testing: stolen numbers are tried, or the cvc of a saved card is guessed. A card that was declined too often is not
 * sent any more; the answer looks like any other decline, so that an attacker learns nothing from it (docs/security.md#card-testing). Attempts
 * of one card that are open at the same time count too: many at once would all be sent before the first of them is declined. Each process
 * knows its own open attempts only.
 */
import { limits } from '../../config/limits.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { after } from '../../shared/domain/time.js';
import type { CardToSave } from '../../shared/vault/build-instrument.js';
import type { Vault } from '../../shared/vault/vault.js';
import { type CardSources, openSealedCard, TokenGoneError } from '../open-card.js';
import type { PoolDeps } from '../pool.js';

/** `block`: the card was declined too often. `wait`: it may be after the attempts that are at the processor now. */
export type CardVerdict = 'send' | 'wait' | 'block';

export interface CardTesting {
  /**
   * Decides whether the authorization may be sent. After `send` the attempt counts until {@link end} is called. Throws when this is
   * unknown: then nothing is sent either (docs/security.md#fail-closed).
   */
  judge(payment: Payment): Promise<CardVerdict>;
  /** Ends the attempt that {@link judge} let through. Called after its decline was noted; without an attempt it does nothing. */
  end(payment: Payment): void;
  /** Counts a decline and raises an alarm for a burst on one BIN. Never throws. */
  noteDecline(payment: Payment, tx: Transaction): Promise<void>;
}

interface Deps extends CardSources, Pick<PoolDeps, 'declines' | 'clock' | 'log' | 'metrics'> {
  readonly vault: Pick<Vault, 'open' | 'fingerprintsOf'>;
}

/** Throttles that are switched off: the test cards must keep working. */
export const noCardTesting: CardTesting = {
  judge: async () => 'send',
  end: () => undefined,
  noteDecline: async () => undefined,
};

/** An attempt that this process has sent, or is about to send, and whose outcome is not known yet. */
interface Attempt {
  readonly fingerprint: string;
  readonly payment: Payment;
}

/** Returns the verdict of one limit: each open attempt may end as one more decline. */
function verdictOf(declined: number, open: number, max: number): CardVerdict {
  if (declined >= max) return 'block';
  return declined + open >= max ? 'wait' : 'send';
}

const isSameSale = (one: Payment, other: Payment): boolean =>
  one.merchantId === other.merchantId &&
  one.amount.totalMinor === other.amount.totalMinor &&
  one.amount.currency === other.amount.currency;

/** Whether both guess the cvc of one saved card. */
const isSameGuess = (one: Payment, other: Payment): boolean =>
  one.instrument !== undefined &&
  one.instrument === other.instrument &&
  one.cvc !== undefined &&
  other.cvc !== undefined;

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
  const attempts = new Map<string, Attempt>();

  const alarm = async (bin: string) => {
    const count = await declines.count({ bin, at: since(binBurstMs) }, limits.cardTesting.binBurstMax + 1);
    if (count <= limits.cardTesting.binBurstMax) return;
    metrics.event('card-testing');
    log.error('card-testing.burst', {
      reason: `declines of cards with one BIN within a minute: more than ${limits.cardTesting.binBurstMax}`,
    });
  };

  /** Compares the declines of the card, and its other attempts that are open, with each limit. */
  const compare = async (payment: Payment, fingerprints: readonly string[], others: readonly Attempt[]) => {
    const { merchantId, amount, instrument } = payment;
    const fingerprint = { $in: [...fingerprints] };
    const { declinesPerDay, sameAmountPerMonth, cvcGuesses } = limits.cardTesting;
    const { totalMinor: amountMinor, currency } = amount;
    const sameAmount = { fingerprint, merchantId, amountMinor, currency, at: since(monthMs) };
    const [today, alike, guesses] = await Promise.all([
      declines.count({ fingerprint, at: since(dayMs) }, declinesPerDay),
      declines.count(sameAmount, sameAmountPerMonth),
      instrument === undefined ? 0 : declines.count({ instrument, wrongCvc: true, at: since(cvcGuessMs) }, cvcGuesses),
    ]);
    const open = (isAlike: (one: Payment, other: Payment) => boolean) =>
      others.filter((other) => isAlike(payment, other.payment)).length;
    const verdicts = [
      verdictOf(today, others.length, declinesPerDay),
      verdictOf(alike, open(isSameSale), sameAmountPerMonth),
      verdictOf(guesses, open(isSameGuess), cvcGuesses),
    ];
    return (['block', 'wait'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'send';
  };

  return {
    async judge(payment) {
      const fingerprints = await fingerprintsOf(deps, payment);
      if (!fingerprints) return 'send';
      const [fingerprint] = fingerprints;
      const isOther = (attempt: Attempt) =>
        fingerprints.includes(attempt.fingerprint) && attempt.payment._id !== payment._id;
      const others = [...attempts.values()].filter(isOther);
      // Before the declines are counted: an attempt that ends meanwhile is then in one of the two numbers at least.
      attempts.set(payment._id, { fingerprint, payment });
      let verdict: CardVerdict = 'wait';
      try {
        verdict = await compare(payment, fingerprints, others);
      } finally {
        if (verdict !== 'send') attempts.delete(payment._id);
      }
      if (verdict === 'block') metrics.event('card-testing');
      return verdict;
    },

    end: ({ _id }) => void attempts.delete(_id),

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
