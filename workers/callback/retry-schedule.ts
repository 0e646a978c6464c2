/** When a callback is tried again, and what an answer means (docs/decisions.md, "Callbacks"). */
import { after } from '../../shared/domain/time.js';

export interface RetrySchedule {
  /** `afterMs[n]` is waited after `n` tries; there are as many tries as entries. */
  readonly afterMs: readonly number[];
  /** Part of the wait by which it is shortened or lengthened at random, 0.1 for ±10 %. */
  readonly jitter: number;
  /** Divides every wait (testing only). */
  readonly timeScale: number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** When the try after `triesDone` tries is due. */
export function nextTryAt(triesDone: number, now: Date, schedule: RetrySchedule): Date | 'exhausted' {
  const afterMs = schedule.afterMs[triesDone];
  if (afterMs === undefined) return 'exhausted';
  const factor = 1 + schedule.jitter * (2 * schedule.random() - 1);
  return after(now, Math.round((afterMs * factor) / schedule.timeScale));
}

/** `again`: on the schedule. Redirects are not followed, so a 3xx is a failure like any other. */
export type AnswerMeaning = 'delivered' | 'ended' | 'again';

export function meaningOf(status: number): AnswerMeaning {
  if (status >= 200 && status <= 299) return 'delivered';
  return status === 410 ? 'ended' : 'again';
}

/**
 * Whether an answer says that the receiver itself is failing. Anything else below 500 is about one URL: it must not close what
 * several merchants of a client share.
 */
export function blamesReceiver(status: number): boolean {
  return status >= 500 || status === 429;
}
