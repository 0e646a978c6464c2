/** The meaning of `awaitedUntil`: whether a caller waits for the result of a payment, and so from when a change is announced. Pure. */
import { after, latest } from '../time.js';
import type { Payment } from './payment.js';

/**
 * Returns `awaitedUntil` when a caller waits for `waitMs` and gets a result in this time as its own answer.
 * @param pauseMs pause between the end of the wait and an announcement, for an answer that is still being sent
 */
export const callerWaits = (now: Date, waitMs: number, pauseMs: number): Date => after(now, waitMs + pauseMs);

/** Returns `awaitedUntil` when no caller waits: changes from now on are announced at once. */
export const noCallerWaits = (now: Date): Date => now;

/** Returns from when a change made `at` may be announced. */
export const announceableFrom = ({ awaitedUntil }: Pick<Payment, 'awaitedUntil'>, at: Date): Date =>
  latest(awaitedUntil, at);
