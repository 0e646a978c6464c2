/** Bounds on how often, and how much at once, a caller may request: part of `limits.ts`. */
export const requestLimits = {
  // Unread bodies
  /** Bytes of an unwanted body that are read to keep the connection; with a longer body the connection is closed. */
  unreadBytesMax: 64 * 1024,
  /** How long a connection with unread bytes stays half open, so that its caller can read the answer. */
  unreadLingerMs: 2_000,

  // Lists
  /** Lists of one client that one process reads at once. */
  listsAtOnceMax: 2,
  /** Further lists that wait for their turn, and for how long. */
  listsWaitingMax: 64,
  listWaitMs: 5_000,

  // Counting requests
  /** After Redis failed, a process counts alone for this long before it asks Redis again. */
  countApartMs: 1_000,
  signInWindowMs: 60_000,
  /** All clients of an address together may fail to sign in this many times as often as one client there. */
  signInAddressFactor: 5,
  signInsRemembered: 10_000,
  /** Sign-ins of an address over its total that wait for their look-up, which is done one by one; further ones get 429 at once. */
  signInLineMax: 20,
  /** Keys whose misses one process counts while Redis is unreachable. */
  merchantMissKeysMax: 10_000,

  /** Wrong passwords of one address at the operator port of one process. */
  operatorSignInFailuresMax: 20,
  operatorSignInFailuresSeconds: 60,
} as const;
