/** Bounds of routing: part of `limits.ts`. A merchant's routes, how many of them a payment may try, and when one is avoided for a while. */
export const routingLimits = {
  /** Routes of one payment method of a merchant. */
  routesMax: 10,
  percentMax: 100,
  /** Currencies of one condition. */
  routeCurrenciesMax: 50,
  /** Routes that one payment is sent to, the first included. */
  routeAttemptsMax: 3,
  /** After so many failed calls within this time (ms), and none that reached it in between, a route is avoided. */
  routeFailuresMax: 5,
  routeFailuresMs: 30_000,
  /** For this time (ms) payments that have another route take that one; each failed probe doubles it, up to the second figure. */
  routeOpenMs: 5_000,
  routeOpenMsMax: 60_000,
  /** Routes whose state one process remembers. */
  routesWatched: 1_000,
} as const;
