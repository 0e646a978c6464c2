/** Bounds of how often and how much at once a caller may ask: part of `limits.ts`. */
export const requestLimits = {
  // What is not read
  /** Of an unwanted body, so much is read to keep the connection; longer ones are left, and it closes. */
  unreadBytesMax: 64 * 1024,
  /** A connection with unread bytes stays half open for so long, so that its caller can read the answer. */
  unreadLingerMs: 2_000,

  // Lists
  /** Lists of one client that one process reads at once. */
  listsAtOnceMax: 2,
  /** Further ones that wait for their turn, and for how long. */
  listsWaitingMax: 64,
  listWaitMs: 5_000,

  // Counting requests
  /** After Redis failed, a process counts by itself for so long before it asks Redis again. */
  countApartMs: 1_000,
  signInWindowMs: 60_000,
  /** So many times the failed sign-ins of one client at an address are those of all clients there. */
  signInAddressFactor: 5,
  signInsRemembered: 10_000,
  /** Sign-ins of one address over its total that wait for their look-up, which is done one by one; more are 429 at once. */
  signInLineMax: 20,
  /** Keys whose misses one process counts while Redis is away. */
  merchantMissKeysMax: 10_000,

  /** Wrong passwords of one address at the operator port of one process. */
  operatorSignInFailuresMax: 20,
  operatorSignInFailuresSeconds: 60,
} as const;
