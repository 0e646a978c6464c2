/** Time arithmetic. Pure: the caller gives the current time. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Returns the time `ms` after `at`, or before `at` when `ms` is negative. */
export const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/** Returns the milliseconds between two moments; negative when `to` is earlier. */
export const msBetween = (from: Date, to: Date): number => to.getTime() - from.getTime();

/** Returns the seconds between two moments, rounded up; 0 when `to` is earlier. */
export const secondsUntil = (from: Date, to: Date): number => Math.max(0, Math.ceil(msBetween(from, to) / 1000));

const msOf = (at: Date) => at.getTime();

/** Returns the earliest of at least one moment. */
export const earliest = (...moments: readonly Date[]): Date => new Date(Math.min(...moments.map(msOf)));

/** Returns the latest of at least one moment. */
export const latest = (...moments: readonly Date[]): Date => new Date(Math.max(...moments.map(msOf)));

/** Returns seconds since 1970, rounded down, as tokens and other systems write a time. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** A time before every other: the last time of something that was never done. */
export const longAgo = new Date(0);

/** A time after every other: the due date of what waits for a person. */
export const never = new Date('9999-12-31T00:00:00.000Z');

/** The end of a lease that nothing holds: a date, because `$lt` never matches null. */
export const noLease = new Date(0);
