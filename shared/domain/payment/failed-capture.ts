/** What is shown about a delayed capture that the acquirer did not do: that it failed, why, and what happens next. Pure. */
import type { Payment, Transaction } from './payment.js';

export interface FailedCapture {
  /** The newest try. */
  readonly tx: Transaction;
  /** When the capture is retried; absent when it was given up, or is being retried now. */
  readonly nextAttemptAt?: Date | undefined;
  readonly givenUp: boolean;
}

/** Finds the newest failed try of a delayed capture, while the hold lasts and after it has expired; else `undefined`. */
export function failedCaptureOf({ status, transactions, deadline, activeOp }: Payment): FailedCapture | undefined {
  if (status !== 'authorized' && status !== 'expired') return undefined;
  const tx = transactions.findLast(
    ({ kind, reason, status: outcome }) =>
      kind === 'capture' && reason === 'delayed-capture' && (outcome === 'denied' || outcome === 'failed'),
  );
  if (!tx) return undefined;
  const nextAttemptAt = deadline?.kind === 'capture' ? deadline.at : undefined;
  return { tx, nextAttemptAt, givenUp: nextAttemptAt === undefined && activeOp?.kind !== 'capture' };
}
