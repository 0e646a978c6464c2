/** Bounds of how often and how much at once a caller may ask: part of `limits.ts`. */
export const requestLimits = {
  // Lists
  /** Lists of one client that one process reads at once. */
  listsAtOnceMax: 2,
  /** Further ones that wait for their turn, and for how long. */
  listsWaitingMax: 64,
  listWaitMs: 5_000,

  // Counting requests
  /** After Redis failed, a process counts by itself for so long before it asks Redis again. */
  countApartMs: 1_000,
  /** A caller who was found not to be blocked is not looked up again for this. */
  signInClearMs: 1_000,
  signInsRemembered: 10_000,
  /** Keys whose misses one process counts while Redis is away. */
  merchantMissKeysMax: 10_000,

  /** Wrong passwords of one address at the operator port of one process. */
  operatorSignInFailuresMax: 20,
  operatorSignInFailuresSeconds: 60,
} as const;
