/** Bounds of reconciliation with processors, and of the watch for a restored database: part of `limits.ts`. */
export const reconcileLimits = {
  /** How often each process looks whether the database was restored, and moves its mark: effects of that time may go unnoticed. */
  restoreLookMs: 2_000,
  /** What looks restored is compared again so often at most, while safe mode ends again and again meanwhile. */
  restoreConfirmTriesMax: 5,
  /** `Retry-After` of what is refused in safe mode. */
  safeModeRetrySeconds: 60,
  /** What is younger may still be in progress: inquiries and reversals have had their first tries. */
  booksGraceMs: 20 * 60_000,
  /** Books are listed, and payments read, for so much time at once. */
  booksWindowMs: 3_600_000,
  /** Clocks of processors are off: so much before and after the time that is judged is listed too. */
  booksMarginMs: 5 * 60_000,
  /** How often the books of a processor are looked at, and how long one process has for it. */
  booksEveryMs: 5 * 60_000,
  booksLeaseMs: 10 * 60_000,
  /** Payments that are read and compared at once. */
  booksPage: 1_000,
  /** Payments that are looked up by their keys at once. */
  booksKeysAtOnce: 500,
  /** The same where no index finds them: each look reads all payments, and takes as long for many keys as for few. */
  booksKeysScannedFor: 5_000,
  /** Payments that one statement of such a look reads, and how long that may take. */
  booksScanPage: 20_000,
  booksScanMs: 60_000,
  /** An authorization reaches a processor at most so long after its payment was made: payers may have been asked before. */
  booksMadeBeforeMs: 3_600_000,
  /** How far `./gateway reconcile` looks back where no time is said: from now, in safe mode from the end of the backup. */
  booksDefaultSinceMs: 24 * 3_600_000,
  /** Payments that are looked at in one step for what nothing will ever do, and how often. */
  orphansPage: 1_000,
  orphansEveryMs: 10_000,
} as const;
