/** Bounds of routing: part of `limits.ts`. A merchant's routes, how many of them a payment may try, and when a route is avoided. */
export const routingLimits = {
  /** Routes of one payment method of a merchant. */
  routesMax: 10,
  percentMax: 100,
  /** Currencies in one condition. */
  routeCurrenciesMax: 50,
  /** Routes to which one payment is sent, including the first. */
  routeAttemptsMax: 3,
  /** A route is avoided after this many failed calls within this time (ms), with no call in between that reached it. */
  routeFailuresMax: 5,
  routeFailuresMs: 30_000,
  /** How long (ms) payments that have another route take that route; each failed probe doubles this, up to the second number. */
  routeOpenMs: 5_000,
  routeOpenMsMax: 60_000,
  /** Routes whose state one process remembers. */
  routesWatched: 1_000,
} as const;
