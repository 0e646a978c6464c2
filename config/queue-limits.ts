/** Bounds of Redis, of jobs and of the log: part of `limits.ts`. */
export const queueLimits = {
  /** A command of Redis that is not answered by then has failed. */
  redisCommandMs: 500,
  redisReconnectMsMax: 2_000,
  /** A hint that cannot be added by then is left to the sweep. */
  hintAddMs: 500,
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
} as const;
