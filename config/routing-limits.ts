/** Bounds of routing, part of `limits.ts`: a merchant's routes, how many of them a payment may try, when one is left alone for a while. */
export const routingLimits = {
  /** Routes of one payment method of a merchant. */
  routesMax: 10,
  percentMax: 100,
  /** Currencies of one condition. */
  routeCurrenciesMax: 50,
  /** Routes that one payment is sent to, the first included. */
  routeAttemptsMax: 3,
  /** A route is left alone when it was not reached so often within so long (ms), and no call reached it meanwhile. */
  routeFailuresMax: 5,
  routeFailuresMs: 30_000,
  /** So long (ms) no payment that has another route is sent there; each probe that fails doubles it, up to the second figure. */
  routeOpenMs: 5_000,
  routeOpenMsMax: 60_000,
  /** Routes whose state one process remembers. */
  routesWatched: 1_000,
} as const;
