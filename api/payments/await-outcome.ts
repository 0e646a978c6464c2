/**
 * Waits for the outcome of one transaction: for the worker's reply on the channel of this process, and meanwhile with slow reads
 * of MongoDB in case the reply is lost. The payment is stored already, so nothing here may end in an error.
 */
import { setMaxListeners } from 'node:events';
import { limits } from '../../config/limits.js';
import { type Clock, within } from '../../shared/clock.js';
import { isAnswerable, isAnswerComplete } from '../../shared/domain/payment/answerable.js';
import { applyMoves, type Moment } from '../../shared/domain/payment/apply-moves.js';
import { answeredBy } from '../../shared/domain/payment/attempts.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { storedClaimOf } from '../../shared/domain/payment/work.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import { applyReply, type Reply, type ReplySubscriber } from '../../shared/queue/reply-channel.js';
import type { PaymentRepository } from '../../shared/store/payment.repository.js';

export interface OutcomeWaiter {
  /** Channel of this process; nudges carry it as `replyTo`. */
  readonly channel: string;
  /** Starts to listen. Call it before the nudge is added. */
  start(payment: Payment, txId: string): PendingOutcome;
}

export interface PendingOutcome {
  /** Returns the payment with its outcome, or its current state (`pending`) after `waitMs`. Never rejects. */
  wait(waitMs: number): Promise<Payment>;
  /** Stops listening, for a caller that does not wait after all. */
  cancel(): void;
}

interface Deps {
  readonly replies: ReplySubscriber;
  readonly payments: PaymentRepository;
  readonly clock: Clock;
  readonly renderCallback: Moment['renderCallback'];
  /** Aborted when the process may wait no longer. */
  readonly shutdown: AbortSignal;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'event'>;
}

/** A payment as it was read, and whether it answers the call. */
interface Seen {
  readonly payment: Payment;
  readonly answerable: boolean;
  /** Whether the answer lacks nothing: not the token of a card that is being saved. */
  readonly complete: boolean;
}

/**
 * Counts the writes between the stored state that the caller holds and the state that a reply shows: the claim unless it was stored
 * with the payment, the outcome, and the note that the card was saved. A further write by the pool would cost every answer a read
 * (test/workers/processor/replies.test.ts).
 */
const writesUntil = ({ cardSaved }: Reply, held: Payment) =>
  (storedClaimOf(held) === undefined ? 1 : 0) + 1 + (cardSaved ? 1 : 0);

/** Applies a reply to the payment that the caller holds; `undefined` when other writes came in between. */
function overlay(held: Payment, reply: Reply): Payment | undefined {
  if (reply.version !== held.version + writesUntil(reply, held)) return undefined;
  return applyReply(held, reply);
}

export function createOutcomeWaiter(deps: Deps): OutcomeWaiter {
  const { replies, payments, log } = deps;
  // Each waiting call listens to this signal. The limit is as high as their number can be, so that Node warns of no leak.
  setMaxListeners(limits.waitingMax, deps.shutdown);

  /** Reads the payment of a call. One that cannot be understood, as of another release, counts as not read: only its call goes on without. */
  const read = async (held: Payment, txId: string): Promise<Seen | undefined> => {
    try {
      const payment = await payments.findById(held._id);
      return payment && { payment, answerable: isAnswerable(payment, txId), complete: isAnswerComplete(payment, txId) };
    } catch (error) {
      log.warn('outcome.read-failed', { paymentId: held._id, error });
      return undefined;
    }
  };

  /** Creates a poll that reads the version first, and the whole payment only when the version changed since the last poll. */
  const createVersionPoll = (held: Payment, txId: string) => {
    let seenVersion = held.version;
    return async (): Promise<Seen | undefined> => {
      try {
        const version = await payments.findVersion(held._id);
        if (version === undefined || version === seenVersion) return undefined;
      } catch (error) {
        log.warn('outcome.read-failed', { paymentId: held._id, error });
        return undefined;
      }
      const seen = await read(held, txId);
      seenVersion = seen?.payment.version ?? seenVersion;
      return seen;
    };
  };

  /** Ends the wait: from now on every reader sees the payment as `pending`. The write decides the race with the outcome. */
  const markPending = async (held: Payment, txId: string): Promise<Payment> => {
    const seen = await read(held, txId);
    const current = seen?.payment ?? held;
    if (seen?.answerable || current.status !== 'created') return current;
    const moment: Moment = { now: deps.clock.now(), renderCallback: deps.renderCallback };
    const submit = (payment: Payment) =>
      payment.status === 'created' ? applyMoves(payment, ['submitted'], moment) : undefined;
    try {
      return (
        (await payments.update(current, submit)) ??
        (await read(held, txId))?.payment ?? { ...current, status: 'pending' }
      );
    } catch (error) {
      // The payment is stored and its work is due. Showing it as pending does not depend on this write.
      log.warn('outcome.pending-not-written', { paymentId: held._id, error });
      return { ...current, status: 'pending' };
    }
  };

  /** Ends the wait within `limits.answerPendingMs`: a silent MongoDB must not hold back the answer. The write may still happen. */
  const markPendingInTime = (held: Payment, txId: string): Promise<Payment> =>
    within(limits.answerPendingMs, markPending(held, txId), () => {
      log.warn('outcome.pending-not-written', { paymentId: held._id, reason: 'MongoDB does not answer' });
      return held.status === 'created' ? { ...held, status: 'pending' } : held;
    });

  return {
    channel: replies.channel,
    start(held, txId) {
      let settle: (payment: Payment) => void = () => undefined;
      const outcome = new Promise<Payment>((resolve) => {
        settle = resolve;
      });
      const stop = replies.listen(held._id, (reply) => {
        // When another route took over the payment, this reply is about the earlier attempt.
        if (answeredBy(reply.fields, txId)?.id !== reply.txId) return;
        const merged = overlay(held, reply);
        if (merged) settle(merged);
        else void read(held, txId).then((seen) => seen?.answerable && settle(seen.payment));
      });
      const readChanged = createVersionPoll(held, txId);
      return {
        cancel: stop,
        async wait(waitMs) {
          const payment = await raceOutcome({
            outcome,
            waitMs,
            shutdown: deps.shutdown,
            pollMs: () => (replies.connected() ? limits.pollMs : limits.pollWithoutSubscriberMs),
            poll: async () => {
              const changed = await readChanged();
              if (!changed?.complete) return;
              deps.metrics.event('reply-lost');
              settle(changed.payment);
            },
          });
          stop();
          return payment ?? markPendingInTime(held, txId);
        },
      };
    },
  };
}

interface Race {
  readonly outcome: Promise<Payment>;
  readonly waitMs: number;
  readonly shutdown: AbortSignal;
  pollMs(): number;
  poll(): Promise<void>;
}

/** Returns the outcome, or `undefined` when the time is up or the process ends. */
function raceOutcome({ outcome, waitMs, shutdown, pollMs, poll }: Race): Promise<Payment | undefined> {
  return new Promise((resolve) => {
    let ended = false;
    let pollTimer: NodeJS.Timeout | undefined;
    const schedule = () => {
      if (ended) return;
      pollTimer = setTimeout(() => void poll().finally(schedule), pollMs());
    };
    const end = (payment: Payment | undefined) => {
      clearTimeout(pollTimer);
      clearTimeout(deadline);
      shutdown.removeEventListener('abort', giveUp);
      ended = true;
      resolve(payment);
    };
    const giveUp = () => end(undefined);
    const deadline = setTimeout(giveUp, waitMs);
    shutdown.addEventListener('abort', giveUp, { once: true });
    schedule();
    void outcome.then((payment) => !ended && end(payment));
    if (shutdown.aborted) giveUp();
  });
}
