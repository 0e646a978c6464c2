/** Bounds of Redis, of jobs and of the log: part of `limits.ts`. */
export const queueLimits = {
  /** A Redis command that is not answered within this has failed. */
  redisCommandMs: 500,
  redisReconnectMsMax: 2_000,
  /** Time to connect to a sentinel, or to a node behind Sentinel or of a cluster: then the next one is tried. */
  redisConnectMs: 3_000,
  /** A waiting connection is closed after this long without a byte. A worker's commands wait 10 s at most. */
  redisSilentMs: 15_000,
  redisProducerSilentMs: 2_000,
  /** A subscription may receive nothing for hours although all is well: interval at which its server is pinged. */
  redisPingMs: 5_000,
  /** How often every master is asked for its eviction policy. */
  redisPolicyLookMs: 60_000,
  /** How often the nodes of a cluster are asked which node has which slots: a node that hangs does not report it. */
  redisTopologyMs: 2_000,
  /** How often a command is sent again, 0.1 s apart, while the nodes of a cluster change their roles. */
  redisRedirectionsMax: 3,
  /** After a queue failed to take a nudge, it is not relied on for this long. */
  nudgeApartMs: 1_000,
  /** A nudge that cannot be added within this is left to the sweep. */
  nudgeAddMs: 500,
  /** Work whose nudge is younger than this is probably being done: the sweep leaves it alone while Redis is reachable. */
  nudgeFreshMs: 1_000,
  walletNudgeFreshMs: 500,
  /** Work that is overdue by this is done by the sweep itself, whatever happened to its nudges. */
  workOverdueMs: 10_000,
  /** Due work for which one sweep sends nudges. */
  sweepNudgesMax: 1_024,
  /** How often work that this release does not know is counted. */
  unknownWorkLookMs: 60_000,
  /** Work of an acquirer that has used its share is tried again after this. */
  parkMs: 500,
  /** An acquirer without work for this long does not count when slots are shared. */
  acquirerSeenMs: 60_000,
  /** Refunds of one payment about which one sweep inquires; the next sweep takes the others. */
  refundChecksAtOnceMax: 16,
  /** A card that is not saved this long after its payment was left by a process that ended or failed. */
  saveForgottenMs: 3_000,
  /** How often expired data keys are looked for. */
  dataKeySweepMs: 5 * 60_000,
  /** How often a producer reads the length of its queue. */
  queueLookMs: 1_000,
  jobIdLengthMax: 80,
  jobDeliveryIdLengthMax: 120,
  /** Name of a reply channel. */
  jobReplyToLengthMax: 120,
  jobTokenLengthMax: 40,
  /** A pool's worker that neither asks for a job nor begins one for this long, while Redis answers, is replaced: it asks every 5 s. */
  workerSilentMs: 60_000,
  /** The same problem is logged at most once in this time. */
  logAgainMs: 10_000,
  logStackLinesMax: 12,
  /** Log records are collected up to this many bytes, and this long: each write wakes a thread, which costs more than the record. */
  logGatherBytes: 8 * 1024,
  logGatherMs: 50,
  /** While standard output accepts nothing (a full pipe, a full disk): bytes of records that are kept, and the interval of retries. */
  logHeldBytesMax: 1024 * 1024,
  logRetryMs: 200,
  /** How long an ending process tries to write the records that it holds, and how often it checks whether a full pipe has room. */
  logExitMs: 500,
  logExitPollMs: 10,
} as const;
