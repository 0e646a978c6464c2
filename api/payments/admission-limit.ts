/** Limits how many calls of this process wait for an outcome at once (docs/performance.md, "The hot path"); none in safe mode. */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Metrics } from '../../shared/metrics.js';

export interface Slot {
  /** How long this call may wait (ms). */
  readonly waitMs: number;
  leave(): void;
}

export interface AdmissionLimit {
  /**
   * Takes a slot before anything is stored.
   * @throws {GatewayError} `service-unavailable` when all slots are taken, or nothing may be sent to processors.
   */
  enter(): Slot;
  /** Takes a slot for a call that can also be answered without waiting; `undefined` when `enter` would refuse it. */
  enterIfRoom(): Slot | undefined;
}

/**
 * Returns a function that says how much of a wait that begins now is left (ms). Storing the payment counts too, and may take as
 * long as an election. The result is never below a minimum: an outcome that arrives at once is worth more than `pending`.
 */
export function waitLeft(waitMs: number): () => number {
  const beganMs = performance.now();
  const leastMs = Math.min(waitMs, limits.outcomeWaitMsMin);
  return () => Math.max(leastMs, waitMs - (performance.now() - beganMs));
}

/** @param isClosed returns whether nothing may be sent to processors (`restore-watch.ts`). */
export function createAdmissionLimit(
  responseWaitMs: number,
  metrics: Pick<Metrics, 'waiting' | 'event'>,
  isClosed: () => boolean,
): AdmissionLimit {
  let waiting = 0;
  const changed = (by: 1 | -1) => {
    waiting += by;
    metrics.waiting(waiting);
  };
  const take = (): Slot => {
    const waitMs = waiting >= limits.waitingBusy ? Math.min(limits.busyWaitMs, responseWaitMs) : responseWaitMs;
    changed(1);
    let admitted = true;
    return {
      waitMs,
      leave: () => {
        if (admitted) changed(-1);
        admitted = false;
      },
    };
  };
  return {
    enter() {
      // In safe mode the database may have lost what a processor already did; a new call could do the same again.
      if (isClosed()) {
        metrics.event('safe-mode-refused');
        throw new GatewayError('service-unavailable', { retryAfterSeconds: limits.safeModeRetrySeconds });
      }
      if (waiting >= limits.waitingMax) {
        metrics.event('waiting-refused');
        throw new GatewayError('service-unavailable', { retryAfterSeconds: limits.retryAfterPaymentSeconds });
      }
      return take();
    },
    enterIfRoom: () => (isClosed() || waiting >= limits.waitingMax ? undefined : take()),
  };
}
