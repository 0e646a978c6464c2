/** One try of a claimed delivery: it is sent, its answer is judged, and the result is recorded (docs/decisions.md, "Callbacks"). */
import { limits } from '../../config/limits.js';
import type { Clock } from '../../shared/clock.js';
import type { ClaimedDelivery } from '../../shared/domain/callback/delivery.js';
import { after } from '../../shared/domain/time.js';
import type { Log } from '../../shared/log.js';
import type { DeliveryRepository } from '../../shared/store/delivery.repository.js';
import type { RecordedTry } from '../../shared/store/delivery-records.js';
import type { SlotUse } from './dispatch/host-limits.js';
import type { CallbackPoster, PostResult } from './post-callback.js';

export interface TryDeps {
  readonly deliveries: DeliveryRepository;
  readonly poster: CallbackPoster;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns 0 (inclusive) to 1 (exclusive), to spread the retries. */
  readonly random: () => number;
  /** Divides the waits of the schedule (testing only). */
  readonly timeScale: number;
}

/** The result of sending, before it is recorded. */
export interface SentTry {
  readonly claimed: ClaimedDelivery;
  readonly result: PostResult;
  /** What the try says about the receiver. */
  readonly use: SlotUse;
}

/** Sends a claimed delivery once. Its slot is free when this settles. */
export async function sendDelivery(claimed: ClaimedDelivery, { poster }: Pick<TryDeps, 'poster'>): Promise<SentTry> {
  const result = await poster.post({
    url: claimed.url,
    body: claimed.body,
    eventId: claimed.eventId,
    attempt: claimed.tries + 1,
    eventCreatedAt: claimed.createdAt,
    resourceVersion: claimed.resourceVersion,
  });
  return { claimed, result, use: useOf(result) };
}

/**
 * Records the result of a try. After a crash before this the delivery is sent again: at least once.
 * @returns what was recorded; `undefined`: the lease of the delivery had run out
 * @throws only when the database does not answer; the lease then runs out and the delivery is tried again.
 */
export async function recordTry({ claimed, result }: SentTry, deps: TryDeps): Promise<RecordedTry | undefined> {
  const { deliveries, clock, log } = deps;
  const now = clock.now();
  const tried = judge(claimed, result, now, deps);
  const recorded = await deliveries.record(claimed, tried, now);
  log.info('delivery.attempted', {
    deliveryId: claimed._id,
    eventId: claimed.eventId,
    host: claimed.host,
    ms: result.ms,
    tries: claimed.tries + 1,
    kind: recorded ? tried.state : 'lease-lost',
    ...(result.kind === 'answered' ? { status: result.status } : { reason: result.error }),
  });
  return recorded ? tried : undefined;
}

function useOf(result: PostResult): SlotUse {
  if (result.kind !== 'answered' || blamesReceiver(result.status)) return 'failed';
  return result.ms > limits.callbackSlowMs ? 'slow' : 'good';
}

function judge(claimed: ClaimedDelivery, result: PostResult, now: Date, deps: TryDeps): RecordedTry {
  const attempt = {
    at: now,
    ms: result.ms,
    ...(result.kind === 'answered' ? { status: result.status } : { error: result.error }),
  };
  const meaning = result.kind === 'answered' ? meaningOf(result.status) : 'again';
  if (meaning !== 'again') return { attempt, state: meaning };
  const { callbackAfterMs: afterMs, callbackJitter: jitter } = limits;
  const dueAt = nextTryAt(claimed.tries + 1, now, { afterMs, jitter, timeScale: deps.timeScale, random: deps.random });
  return dueAt === 'exhausted' ? { attempt, state: 'exhausted' } : { attempt, state: 'waiting', dueAt };
}

/** `again`: retried on the schedule. Redirects are not followed, so a 3xx is a failure like any other. */
export type AnswerMeaning = 'delivered' | 'ended' | 'again';

export function meaningOf(status: number): AnswerMeaning {
  if (status >= 200 && status <= 299) return 'delivered';
  return status === 410 ? 'ended' : 'again';
}

/**
 * Whether an answer says that the receiver itself is failing. Any other status below 500 is about one URL: it must not pause a receiver
 * that several merchants of a client share.
 */
export function blamesReceiver(status: number): boolean {
  return status >= 500 || status === 429;
}

export interface RetrySchedule {
  /** Waits before tries (ms): `afterMs[n]` follows `n` tries; there are as many tries as entries. */
  readonly afterMs: readonly number[];
  /** Part of the wait by which it is shortened or lengthened at random, 0.1 for ±10 %. */
  readonly jitter: number;
  /** Divides every wait (testing only). */
  readonly timeScale: number;
  /** Returns 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** Returns when the try after `triesDone` tries is due. */
export function nextTryAt(triesDone: number, now: Date, schedule: RetrySchedule): Date | 'exhausted' {
  const afterMs = schedule.afterMs[triesDone];
  if (afterMs === undefined) return 'exhausted';
  const factor = 1 + schedule.jitter * (2 * schedule.random() - 1);
  return after(now, Math.round((afterMs * factor) / schedule.timeScale));
}
