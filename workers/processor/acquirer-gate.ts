/**
 * Keeps one slow acquirer from taking every slot of the process: while other acquirers are in use, each may hold its share only. Work that
 * does not fit is given back to MongoDB and found by a sweep (docs/reliability.md, "Settings").
 */
import { limits } from '../../config/limits.js';

export interface AcquirerGate {
  /** Takes a slot; call the result to give it back. `undefined`: the acquirer has its share, and others were seen recently. */
  enter(acquirer: string): (() => void) | undefined;
}

export function createAcquirerGate(slots: number, share: number, nowMs: () => number): AcquirerGate {
  const inFlight = new Map<string, number>();
  const seenAt = new Map<string, number>();
  const sharedWithOthers = (acquirer: string) => {
    for (const [other, at] of seenAt) {
      if (nowMs() - at > limits.acquirerSeenMs) seenAt.delete(other);
      else if (other !== acquirer) return true;
    }
    return false;
  };
  return {
    enter(acquirer) {
      seenAt.set(acquirer, nowMs());
      const busy = inFlight.get(acquirer) ?? 0;
      if (busy >= Math.max(1, Math.floor(slots * share)) && sharedWithOthers(acquirer)) return undefined;
      inFlight.set(acquirer, busy + 1);
      return () => {
        const left = (inFlight.get(acquirer) ?? 1) - 1;
        if (left > 0) inFlight.set(acquirer, left);
        else inFlight.delete(acquirer);
      };
    },
  };
}
