/** Bounds of MongoDB: statements, writes, and what is kept of them. Part of `limits.ts`. */
export const storeLimits = {
  mongoPoolMax: 64,
  mongoServerSelectionMs: 3_000,
  mongoQueryMs: 5_000,
  /** A query of payments: the time of one statement at MongoDB, and of all of them, their waits included. */
  paymentQueryStatementMs: 1_000,
  paymentQueryMs: 4_000,
  /** Payments that one statement looks at where no index answers, and when such a page ends early. */
  paymentQueryWindow: 1_000,
  paymentQueryPageMs: 100,
  /** Merchants of a key in one statement: MongoDB sorts more than 200 instead of merging them. */
  paymentQueryMerchants: 100,
  mongoWriteConcernMs: 5_000,
  /** So far may the clock of a machine be from MongoDB's, and so often they are compared: in general, and while it is off. */
  clockOffsetMaxMs: 30_000,
  clockLookMs: 60_000,
  clockLookAgainMs: 1_000,
  /** Group commit: items per operation and operations in flight, per kind of write. */
  batchItemsMax: 64,
  batchesInFlightMax: 2,
  /** Marks of answers gather so long (ms): no caller waits for them, and an event is announced a second after its caller's wait. */
  markGatherMs: 20,
  /** Compare-and-set on one payment is tried again this often before the caller gets a conflict. */
  saveTriesMax: 8,
  /** Write tokens that a payment keeps: more writers than this cannot overtake one another between write and read-back. */
  writesKept: 8,
  /** Ranges of card numbers that are compared with one number. */
  binCandidates: 16,
  /** Numbers of merchants that are tried before a new merchant is given up. */
  merchantNumberTriesMax: 100,
} as const;
