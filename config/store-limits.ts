/** Bounds of MongoDB: statements, writes, and what is stored. Part of `limits.ts`. */
export const storeLimits = {
  mongoPoolMax: 64,
  /**
   * How long operator commands, probes and starts wait for a primary. A process that serves callers waits as long as its callers may, so
   * that an election (10 s by MongoDB's default, or 1 to 3 s) costs them time but no answer: an operation, including its retry, is given up
   * after the wait of its caller or the default here, and the wait for a primary ends this margin earlier.
   */
  mongoServerSelectionMs: 3_000,
  mongoOperationMs: 15_000,
  mongoOperationMsMin: 4_000,
  mongoSelectionMarginMs: 1_000,
  /** A connection that does not answer a read for this long is given up, and the read is retried on another: longer than `mongoQueryMs`. */
  mongoReadSilentMs: 8_000,
  /** How long the result of a failed write is looked up; the caller waits meanwhile. */
  mongoReadBackMs: 2_000,
  /** Interval of heartbeats to each member of the set. A member that is silent for both together counts as gone, and its commands end. */
  mongoHeartbeatMs: 2_000,
  mongoConnectMs: 4_000,
  /** Operations that begin within this share one deadline. */
  mongoDeadlineStepMs: 250,
  mongoQueryMs: 5_000,
  /** A scrape of the metrics leaves out what was not read within this: Prometheus gives a scrape up after 10 s, with all metrics. */
  metricsReadMs: 3_000,
  /** A query of payments: the time of one statement at MongoDB, and of all statements including their waits. */
  paymentQueryStatementMs: 1_000,
  paymentQueryMs: 4_000,
  /** Payments that one statement reads when no index answers, and the time after which such a page ends early. */
  paymentQueryWindow: 1_000,
  paymentQueryPageMs: 100,
  /** Merchants of a key in one statement: MongoDB sorts more than 200 instead of merging them. */
  paymentQueryMerchants: 100,
  /**
   * How long a write waits for a majority. After an election this can take as long as the election: a member that read from the lost
   * primary notices late. A write that gave up earlier would take effect a moment later, and its claims would be held by no process.
   */
  mongoWriteConcernMs: 14_000,
  /** Maximum offset of a machine's clock from MongoDB's, and the interval of the comparison: normally, and while the clock is off. */
  clockOffsetMaxMs: 30_000,
  clockLookMs: 60_000,
  clockLookAgainMs: 1_000,
  /** Audit entries in one document, and documents that a list of entries reads from MongoDB at once. */
  auditBatchMax: 256,
  auditRowsRead: 50,
  /** Group commit: items per operation and operations in flight, per kind of write. */
  batchItemsMax: 64,
  batchesInFlightMax: 2,
  /** An operation that takes longer than this does not hold up others: this many more may be in flight beside it. */
  batchSlowMs: 500,
  batchesSlowMax: 30,
  /** How long answer marks are collected (ms): no caller waits for them, and an event is announced a second after its caller's wait. */
  markGatherMs: 20,
  /** How often a compare-and-set on one payment is tried before the caller gets a conflict. */
  saveTriesMax: 8,
  /** Write tokens that a payment keeps: between a write and its read-back no more writers than this can overtake one another. */
  writesKept: 8,
  /** Ranges of card numbers with which one number is compared. */
  binCandidates: 16,
  /** Merchant numbers that are tried before the creation of a new merchant fails. */
  merchantNumberTriesMax: 100,
} as const;
