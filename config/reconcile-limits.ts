/** Bounds of reconciliation with processors, and of the watch for a restored database: part of `limits.ts`. */
export const reconcileLimits = {
  /** How often each process checks whether the database was restored, and moves its mark: effects of that time may go unnoticed. */
  restoreLookMs: 2_000,
  /** How often a database that looks restored is compared again at most, while safe mode ends meanwhile. */
  restoreConfirmTriesMax: 5,
  /** `Retry-After` of requests that are refused in safe mode. */
  safeModeRetrySeconds: 60,
  /** Younger entries may still be in progress: after this, inquiries and reversals have had their first tries. */
  booksGraceMs: 20 * 60_000,
  /** Period for which books are listed, and payments read, at once. */
  booksWindowMs: 3_600_000,
  /** Clocks of processors may be off: this much time before and after the compared period is listed too. */
  booksMarginMs: 5 * 60_000,
  /** How often a processor's books are compared, and how long one process has for it. */
  booksEveryMs: 5 * 60_000,
  booksLeaseMs: 10 * 60_000,
  /** Payments that are read and compared at once. */
  booksPage: 1_000,
  /** Payments that are looked up at once by their keys. */
  booksKeysAtOnce: 500,
  /** The same when no index finds them: each search reads all payments, and takes as long for many keys as for few. */
  booksKeysScannedFor: 5_000,
  /** Payments that one statement of such a search reads, and how long it may take. */
  booksScanPage: 20_000,
  booksScanMs: 60_000,
  /** An authorization reaches a processor at most this long after its payment was made: the payer may have been authenticated first. */
  booksMadeBeforeMs: 3_600_000,
  /** How far `./gateway reconcile` looks back when no time is given: from now, or in safe mode from the end of the backup. */
  booksDefaultSinceMs: 24 * 3_600_000,
  /** Payments that one step checks for orphans, which no process will continue, and how often a step runs. */
  orphansPage: 1_000,
  orphansEveryMs: 10_000,
} as const;
