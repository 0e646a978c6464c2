/** Time arithmetic. Pure: what the time is, the caller says. */

/** `ms` after `at`; before it where `ms` is negative. */
export const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/** Milliseconds from one moment to a later one; negative where `to` is earlier. */
export const msBetween = (from: Date, to: Date): number => to.getTime() - from.getTime();
