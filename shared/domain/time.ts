/** Time arithmetic. Pure: what the time is, the caller says. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `ms` after `at`; before it where `ms` is negative. */
export const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/** Milliseconds from one moment to a later one; negative where `to` is earlier. */
export const msBetween = (from: Date, to: Date): number => to.getTime() - from.getTime();

/** Whole seconds from one moment to a later one, the last of them begun; 0 where `to` is past. */
export const secondsUntil = (from: Date, to: Date): number => Math.max(0, Math.ceil(msBetween(from, to) / 1000));

const msOf = (at: Date) => at.getTime();

/** Of at least one. */
export const earliest = (...moments: readonly Date[]): Date => new Date(Math.min(...moments.map(msOf)));

/** Of at least one. */
export const latest = (...moments: readonly Date[]): Date => new Date(Math.max(...moments.map(msOf)));

/** Seconds since 1970, as tokens and other systems write a time: the second that `at` is in. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** Before every other time: what is done for the first time was last done then. */
export const longAgo = new Date(0);

/** After every other time: what waits for a person is due then. */
export const never = new Date('9999-12-31T00:00:00.000Z');

/** The end of a lease that is free: a date, since `$lt` never matches null. */
export const noLease = new Date(0);
