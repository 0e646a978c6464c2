/** Bounds of MongoDB: statements, writes, and what is kept of them. Part of `limits.ts`. */
export const storeLimits = {
  mongoPoolMax: 64,
  /**
   * How long a command of the operator, a probe and a start wait for a primary. A process that serves waits as long as its callers may,
   * so that an election (10 s by MongoDB's default, and 1 to 3 s) costs them time and no answer: one operation, its retry included, is
   * given up after the wait of its caller or the default here, and the wait for a primary ends so much before.
   */
  mongoServerSelectionMs: 3_000,
  mongoOperationMs: 15_000,
  mongoOperationMsMin: 4_000,
  mongoSelectionMarginMs: 1_000,
  /** A connection without an answer to a read for so long is given up, and the read retried on another: longer than `mongoQueryMs`. */
  mongoReadSilentMs: 8_000,
  /** What became of a write is looked up for so long after it failed; the caller waits meanwhile. */
  mongoReadBackMs: 2_000,
  /** Each member of the set is asked so often how it is; one that is silent for both together is taken for gone, and its commands end. */
  mongoHeartbeatMs: 2_000,
  mongoConnectMs: 4_000,
  /** Operations that begin within this share one deadline. */
  mongoDeadlineStepMs: 250,
  mongoQueryMs: 5_000,
  /** A query of payments: the time of one statement at MongoDB, and of all of them, their waits included. */
  paymentQueryStatementMs: 1_000,
  paymentQueryMs: 4_000,
  /** Payments that one statement looks at where no index answers, and when such a page ends early. */
  paymentQueryWindow: 1_000,
  paymentQueryPageMs: 100,
  /** Merchants of a key in one statement: MongoDB sorts more than 200 instead of merging them. */
  paymentQueryMerchants: 100,
  /**
   * A write waits so long for a majority. After an election this can take as long as the election: a member that read from the lost
   * primary notices late. A write that gave up earlier would be there a moment later, and its claims held by no process.
   */
  mongoWriteConcernMs: 14_000,
  /** So far may the clock of a machine be from MongoDB's, and so often they are compared: in general, and while it is off. */
  clockOffsetMaxMs: 30_000,
  clockLookMs: 60_000,
  clockLookAgainMs: 1_000,
  /** Entries of the audit in one document, and documents that a list of entries takes from MongoDB at once. */
  auditBatchMax: 256,
  auditRowsRead: 50,
  /** Group commit: items per operation and operations in flight, per kind of write. */
  batchItemsMax: 64,
  batchesInFlightMax: 2,
  /** An operation that takes longer holds no other one up: so many more may be in flight beside it. */
  batchSlowMs: 500,
  batchesSlowMax: 30,
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
