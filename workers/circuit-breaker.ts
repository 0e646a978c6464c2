/**
 * A circuit breaker for one client's deliveries to a host, or for a route to an acquirer. After `failuresMax` failures in a row it opens,
 * then lets one probe through; each probe that fails doubles the wait. The functions are pure: the caller keeps the breaker. Times are
 * milliseconds since the epoch.
 */
export interface Breaker {
  /** Failures in a row while closed. */
  readonly failures: number;
  /** How often it opened since the receiver last answered; 0 = closed. */
  readonly openings: number;
  /** Nothing is sent before this; meaningful while `openings` > 0. */
  readonly openUntilMs: number;
}

export interface BreakerSettings {
  readonly failuresMax: number;
  readonly openMs: number;
  readonly openMsMax: number;
}

export const closedBreaker: Breaker = { failures: 0, openings: 0, openUntilMs: 0 };

/** `half-open`: one probe may be sent. */
export function breakerState(breaker: Breaker, nowMs: number): 'closed' | 'open' | 'half-open' {
  if (breaker.openings === 0) return 'closed';
  return nowMs < breaker.openUntilMs ? 'open' : 'half-open';
}

function open(breaker: Breaker, nowMs: number, settings: BreakerSettings): Breaker {
  const waitMs = Math.min(settings.openMs * 2 ** breaker.openings, settings.openMsMax);
  return { failures: breaker.failures, openings: breaker.openings + 1, openUntilMs: nowMs + waitMs };
}

/**
 * Returns the breaker after a failure. While the breaker is not closed only the probe's failure counts: calls that were in progress when it
 * opened say nothing new.
 */
export function afterFailure(breaker: Breaker, probe: boolean, nowMs: number, settings: BreakerSettings): Breaker {
  if (breaker.openings > 0) return probe ? open(breaker, nowMs, settings) : breaker;
  const counted = { ...breaker, failures: breaker.failures + 1 };
  return counted.failures >= settings.failuresMax ? open(counted, nowMs, settings) : counted;
}
