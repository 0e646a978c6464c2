import { binLimits } from './bin-limits.js';
import { callbackLimits } from './callback-limits.js';
import { fieldLimits } from './field-limits.js';
import { httpLimits } from './http-limits.js';
import { linkLimits } from './link-limits.js';
import { pageLimits } from './page-limits.js';
import { queueLimits } from './queue-limits.js';
import { reconcileLimits } from './reconcile-limits.js';
import { requestLimits } from './request-limits.js';
import { routingLimits } from './routing-limits.js';
import { startLimits } from './start-limits.js';
import { storeLimits } from './store-limits.js';
import { threeDsLimits } from './threeds-limits.js';
import { updateLimits } from './update-limits.js';
import { vaultLimits } from './vault-limits.js';
import { walletLimits } from './wallet-limits.js';

/** Every bound of the gateway, with its unit in the name. Bounds that an operator may change are in `schema.ts` instead. */
export const limits = {
  /** Operator ports that are tried, counting from the configured one: processes of one Procfile on one host share it. */
  operatorPortsTried: 20,
  ...httpLimits,

  // Waiting for an outcome (API)
  /** Above it: 503 before anything is stored. */
  waitingMax: 1_024,
  /** Above it each call waits only `busyWaitMs`. */
  waitingBusy: 512,
  busyWaitMs: 2_000,
  pollMs: 1_000,
  pollWithoutSubscriberMs: 250,
  /** An operation waits this long for another one on the same payment before it answers 409. */
  operationInFlightWaitMs: 2_000,
  /** Time between two looks at a payment whose other operation is still at the processor. */
  busyPollMs: 40,
  /** Minimum wait for an outcome when storing the payment took most of the time. */
  outcomeWaitMsMin: 1_000,
  /** When the wait is over, MongoDB has this long to read the outcome and store `pending`. After that `pending` is answered anyway. */
  answerPendingMs: 3_000,
  /** Interval of the check of calls in flight: a call without an answer for too long gets `503`. */
  answerLookMs: 1_000,
  /** Time from that answer until a connection without an answer counts as dead. */
  answerMarginMs: 5_000,
  /** An event may be announced this long after its caller's wait ended. */
  announceAfterWaitMs: 1_000,

  // Fields
  referenceLengthMax: 128,
  invoiceLengthMax: 64,
  textLengthMax: 500,
  urlLengthMax: 2_048,
  metadataKeysMax: 50,
  metadataKeyLengthMax: 40,
  metadataValueLengthMax: 500,
  itemsMax: 200,
  installmentsMax: 99,
  /** Characters of the code of an installment plan. */
  installmentPlanLengthMax: 20,
  installmentChoicesMax: 24,
  ...fieldLimits,

  // Merchants
  configurationCodeLengthMax: 64,
  /** Content of a QR code that is still easy to scan. */
  codeLengthMax: 512,
  /** Contact address of a shop that its pages show to payers. */
  contactAddressLengthMax: 200,
  logoBytesMax: 1024 * 1024,
  logoSidePixelsMax: 4_096,
  /** Chunks or segments of a picture. An encoder writes a few hundred into 1 MB. */
  logoPartsMax: 4_096,
  /** The newest logo, and the previous one, which open pages may still show. */
  logosKept: 2,
  /** A public address is never reused for another picture. */
  logoCacheSeconds: 365 * 24 * 3_600,
  /** Logo requests of one address: a page shows one logo, and browsers cache it. */
  logoReadsMax: 120,
  logoReadsSeconds: 60,

  /** Audit entries that are read at once. */
  auditListed: 500,
  /** Rows of a `./gateway` list when no number is given, and at most. */
  operatorListed: 500,
  operatorListedMax: 10_000,
  /** Characters of a log line that may hold the head of a chain. */
  auditLogLineLengthMax: 65_536,
  /** Characters of the ids that an audit entry is about, in all. */
  auditObjectLengthMax: 200,
  auditTriesMax: 3,
  /** Minimum time between two writes of a process's audit entries (ms); the first entry after a pause is written at once. */
  auditGatherMs: 100,
  /** The head of a chain is logged after this many entries, and at this interval. */
  auditHeadEvery: 100,
  auditHeadMs: 60_000,

  // Uploads
  /** Bytes of a multipart body around the file. */
  uploadFrameBytesMax: 8 * 1024,
  uploadHeadersMax: 16,
  uploadMs: 5_000,
  /** Uploads that one process holds in memory at once. */
  uploadsAtOnceMax: 32,
  multipartBoundaryLengthMax: 70,

  ...storeLimits,
  ...queueLimits,

  // Claims and sweeps
  leaseMs: 5_000,
  /** Lease of a stored claim: how long the first nudge may take before other processes handle the payment (ms). */
  storedClaimLeaseMs: 3_000,
  leaseRenewMs: 1_500,
  /**
   * A processor call must start within this time after its claim was requested: less than the lease, and more than the claim itself takes
   * while the nodes of a replica set report to each other only by heartbeats (2 s).
   */
  sendByMs: 3_500,
  /** The same for a stored claim, which is taken only if more than this is left of its lease. */
  storedClaimSendByMs: 2_000,
  sweepMs: 1_000,
  sweepPageMax: 64,
  /** Full pages of which nothing can be done, before a sweep leaves what is behind them to the next one. */
  sweepPagesFailedMax: 4,
  /** Documents that one statement of a sweep changes when none of them needs its own plan. */
  dueChangedMax: 1_000,
  /** Longest wait of a sweep for work that it does itself: one silent acquirer must not delay other work. */
  sweepWaitMs: 2_000,
  /** A scrape counts due work up to this number. */
  queueDepthCountedMax: 10_000,
  /** Work that is due later than this gets no delayed nudge: the sweep finds it. */
  nudgeDelayMsMax: 60_000,
  /** Nudges that wait in one queue; while no worker takes them, no more are added. */
  nudgesWaitingMax: 100_000,
  /** Nudges in one job. With more, a second worker process would be idle while the first has too much to do. */
  nudgesPerJobMax: 16,
  /** Jobs that a pool holds at most while all its slots are busy. */
  poolJobsHeldMax: 1,
  jobLockMs: 15_000,
  jobStalledCheckMs: 5_000,
  /** SIGTERM: how long a pool waits for work in progress. */
  poolCloseMs: 10_000,

  /** Captures, cancellations and refunds of one payment, whatever their outcome. */
  operationsMax: 100,
  /** Characters of metadata and descriptions of these operations, in all. */
  operationTextMax: 64 * 1024,

  // Processor operations
  /** Nothing is sent for a payment that was accepted longer ago than this (ms). */
  authorizeWithinMs: 15 * 60_000,
  /** A processor that cannot be reached is tried for 7 s, so that its restart costs no sale. */
  notSentTriesMax: 8,
  notSentRetryMs: 1_000,
  sentByKeyMax: 3,
  /** "Not found" is believed after the processor timeout plus this. */
  notFoundSettlesMs: 60_000,
  inquireAfterMs: [2_000, 60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000],
  pendingTooLongMs: 7 * 24 * 3_600_000,
  resentTooLongMs: 3_600_000,
  reverseAgainMs: 3_600_000,
  refundCheckAfterMs: [10_000, 5 * 60_000, 3_600_000, 24 * 3_600_000],
  processorResponseBytesMax: 64 * 1024,
  processorConnectMs: 3_000,
  /** Merchants whose decrypted credentials at one processor are kept in memory, and for how long (ms). */
  processorCredentialsCached: 1_000,
  processorCredentialsMs: 60_000,
  /** Connections of one worker process to one processor. */
  processorConnectionsMax: 256,
  /** An idle connection to a processor is closed after this, which has to be shorter than the processor's own limit. */
  processorKeepAliveMs: 30_000,
  /** Lines of a processor's books requested at once, and the maximum bytes of that answer. */
  processorListPage: 4_000,
  processorListBytesMax: 4 * 1024 * 1024,
  perAcquirerShare: 0.5,
  ...routingLimits,

  // Deadlines and destruction of sealed data
  authorizationExpiryMs: 7 * 24 * 3_600_000,
  captureDelaySecondsMax: 7 * 24 * 3_600 - 3_600,
  cvcDestroyMs: 15 * 60_000,
  cardDestroyMs: 24 * 3_600_000,
  cardDestroyWithRefundsMs: 180 * 24 * 3_600_000,
  /** A saved card that ran out is not charged again, but a refund of an earlier charge may need its number. */
  expiredCardDestroyMs: 180 * 24 * 3_600_000,

  // Bank transfers by QR
  codeExpiryMs: 15 * 60_000,
  /** The bank's books may be this far behind the payer. */
  transferSettlesMs: 2_000,
  transferGraceMs: 60_000,
  /** Most payers pay soon, so the bank is asked often at first. The last row also holds for older codes. */
  askTransfer: [
    { untilMs: 60_000, everyMs: 2_000 },
    { untilMs: 5 * 60_000, everyMs: 5_000 },
    { untilMs: 15 * 60_000, everyMs: 10_000 },
  ],
  transferAskMsMin: 250,
  transferCheckAfterMs: [15_000, 60_000, 10 * 60_000, 3_600_000, 24 * 3_600_000],

  // Saved instruments
  instrumentsListed: 500,
  /** Oldest charges of a saved card that are searched for its first payment. */
  firstChargesRead: 20,
  ...binLimits,
  temporalTokenMs: 24 * 3_600_000,
  /** How long a payment's callback waits for its card to be saved after the process that should have saved it was killed. */
  instrumentHeldMs: 60_000,

  ...startLimits,
  ...walletLimits,

  /** Different bodies with one used reference; from this number on no body is reported as the same. */
  differingBodiesMax: 5,

  // Idempotency-Key
  idempotencyKeyLengthMax: 255,
  /** How long an answer is repeated. */
  idempotencyKeptMs: 24 * 3_600_000,
  /** A call that has not finished after this counts as dead, and the next one takes over; longer when answers may take longer. */
  idempotencyLeaseMs: 30_000,
  /** Time that a call may need in addition to its wait for an outcome. */
  idempotencyMarginMs: 10_000,
  /** A larger answer is not stored. */
  idempotencyAnswerBytesMax: 256 * 1024,

  // Identity
  principalCacheMs: 4_000,
  principalsCached: 10_000,
  /** A change to a merchant or its payment methods reaches every process within this. */
  merchantCacheMs: 4_000,
  merchantsCached: 10_000,
  merchantPaymentMethodsCached: 20_000,
  embedOriginsMax: 20,

  /** Lifetime of a bearer token, unless its key ends sooner. */
  accessTokenSeconds: 3_600,
  accessTokenBytesMax: 2_048,
  formBodyBytesMax: 4 * 1024,
  /** A form with the longest wallet token, each character of which may be encoded as three. */
  walletFormBytesMax: 52 * 1024,

  ...pageLimits,
  ...requestLimits,
  ...linkLimits,

  ...threeDsLimits,
  ...updateLimits,

  ...vaultLimits,

  // Card testing (docs/security.md#card-testing)
  cardTesting: {
    dayMs: 24 * 3_600_000,
    declinesPerDay: 10,
    monthMs: 30 * 24 * 3_600_000,
    /** Declines of one card at one merchant with one amount. */
    sameAmountPerMonth: 15,
    cvcGuessMs: 3_600_000,
    cvcGuesses: 3,
    binBurstMs: 60_000,
    binBurstMax: 50,
  },

  // Sessions
  /** Submits in one session (docs/security.md#card-testing). */
  sessionTriesMax: 5,
  /** A try of which nothing is stored after this counts as dead. */
  sessionTryDeadMs: 60_000,
  /** How soon the sweep checks a try whose outcome is not known yet. */
  sessionCheckMs: 5_000,
  sessionRetentionMs: 90 * 24 * 3_600_000,
  sessionListItemsMax: 10,
  /** The card of a verified tokenization is saved shortly after its payment succeeded. */
  instrumentAwaitedMs: 2_000,
  instrumentPollMs: 50,

  ...callbackLimits,

  ...reconcileLimits,
} as const;
