/** Whether a caller waits for what comes of a payment, and so from when a change of it is announced: what `awaitedUntil` is. Pure. */
import { after, latest } from '../time.js';
import type { Payment } from './payment.js';

/**
 * A caller waits for so long, and gets what comes of it as its own answer.
 * @param pauseMs between the end of its wait and an announcement, in which the answer is on its way
 */
export const callerWaits = (now: Date, waitMs: number, pauseMs: number): Date => after(now, waitMs + pauseMs);

/** No caller waits: what happens from now on is announced at once. */
export const noCallerWaits = (now: Date): Date => now;

/** From when a change that is made `at` may be announced. */
export const announceableFrom = ({ awaitedUntil }: Pick<Payment, 'awaitedUntil'>, at: Date): Date =>
  latest(awaitedUntil, at);
