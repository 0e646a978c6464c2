/** Bounds of Redis, of jobs and of the log: part of `limits.ts`. */
export const queueLimits = {
  /** A command of Redis that is not answered by then has failed. */
  redisCommandMs: 500,
  redisReconnectMsMax: 2_000,
  /** How long a sentinel, or a node behind Sentinel or of a cluster, may take until it is connected: the next one is asked then. */
  redisConnectMs: 3_000,
  /** A connection that waits for its server is broken off after so long without a byte. A worker asks for 10 s at most. */
  redisSilentMs: 15_000,
  redisProducerSilentMs: 2_000,
  /** A subscription hears nothing for hours while all is well: so often the server is asked for a sign of life. */
  redisPingMs: 5_000,
  /** How often the nodes of a cluster are asked who has which slots: a node that hangs says nothing by itself. */
  redisTopologyMs: 2_000,
  /** So often a command is sent again, a tenth of a second apart, while the nodes of a cluster change their roles. */
  redisRedirectionsMax: 3,
  /** After a queue took no nudge, it is not counted on for so long. */
  nudgeApartMs: 1_000,
  /** A nudge that cannot be added by then is left to the sweep. */
  nudgeAddMs: 500,
  /** Work whose nudge is younger than this is probably being done: the sweep leaves it alone while Redis is there. */
  nudgeFreshMs: 1_000,
  walletNudgeFreshMs: 500,
  /** Work that is overdue by this is done by the sweep itself, whatever happened to its nudges. */
  workOverdueMs: 10_000,
  /** How much due work one sweep sends nudges for. */
  sweepNudgesMax: 1_024,
  /** How often work that this release does not know is counted. */
  unknownWorkLookMs: 60_000,
  /** Work of an acquirer that has its share is tried again after this. */
  parkMs: 500,
  /** An acquirer that has sent nothing for so long wants no share. */
  acquirerSeenMs: 60_000,
  /** Refunds of one payment that one sweep inquires about; the others follow with the next. */
  refundChecksAtOnceMax: 16,
  /** A card that is not saved this long after its payment was forgotten by a process. */
  saveForgottenMs: 3_000,
  /** How often expired data keys are looked for. */
  dataKeySweepMs: 5 * 60_000,
  /** How often a producer looks at how long its queue is. */
  queueLookMs: 1_000,
  jobIdLengthMax: 80,
  jobDeliveryIdLengthMax: 120,
  /** Name of a reply channel. */
  jobReplyToLengthMax: 120,
  jobTokenLengthMax: 40,
  /** The same trouble is logged once in this time. */
  logAgainMs: 10_000,
  logStackLinesMax: 12,
  /** Records of the log gather up to so many bytes, and for so long: each write wakes a thread, which costs more than the record. */
  logGatherBytes: 8 * 1024,
  logGatherMs: 50,
  /** Where standard output takes nothing (a full pipe, a full disk), so many bytes of records are kept, and it is tried again so often. */
  logHeldBytesMax: 1024 * 1024,
  logRetryMs: 200,
  /** A process that ends tries for so long to write what it holds, and looks so often whether a full pipe has room. */
  logExitMs: 500,
  logExitPollMs: 10,
} as const;
