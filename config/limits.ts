import { binLimits } from './bin-limits.js';
import { callbackLimits } from './callback-limits.js';
import { fieldLimits } from './field-limits.js';
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

/** Every bound of the gateway, with its unit in the name. What an operator may change is in `schema.ts` instead. */
export const limits = {
  /** Operator ports that are tried from the configured one on: processes of one Procfile on one host share it. */
  operatorPortsTried: 20,
  // HTTP
  jsonBodyBytesMax: 64 * 1024,
  jsonDepthMax: 10,
  arrayItemsMax: 200,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  connectionsCheckingIntervalMs: 2_000,
  keepAliveTimeoutMs: 65_000,
  headersCountMax: 100,
  connectionsMax: 2_000,
  requestsPerSocketMax: 1_000,
  headersBytesMax: 16 * 1024,
  /** A connection on which nothing moves; longer where an answer may be waited for longer. */
  socketIdleTimeoutMs: 30_000,
  /** How long browsers remember that this host is asked by HTTPS only. */
  hstsSeconds: 365 * 24 * 3_600,
  /** `Retry-After` of what is over in a moment, and of what waits for a payment. */
  retryAfterSeconds: 1,
  retryAfterPaymentSeconds: 2,
  basicHeaderBytesMax: 512,
  /** SIGTERM: calls that still wait are answered `pending` after this. */
  drainAnswerMs: 8_000,
  /** SIGTERM: kept-alive connections without a request are closed after this. */
  drainIdleMs: 3_000,
  /** SIGTERM: the process is gone after this, whatever still runs. */
  shutdownMs: 12_000,
  pageSizeDefault: 20,
  pageSizeMax: 100,

  // Waiting for an outcome (API)
  /** Above it: 503 before anything is stored. */
  waitingMax: 1_024,
  /** Above it each call waits `busyWaitMs` only. */
  waitingBusy: 512,
  busyWaitMs: 2_000,
  pollMs: 1_000,
  pollWithoutSubscriberMs: 250,
  /** An operation waits this long for another one on the same payment before it answers 409. */
  operationInFlightWaitMs: 2_000,
  /** Between two looks at a payment whose other operation is still at the processor. */
  busyPollMs: 40,
  /** What is left of the wait for an outcome, at least, when storing the payment took most of it. */
  outcomeWaitMsMin: 1_000,
  /** The wait is over: MongoDB has so long to say what came of it and to store `pending`. Then `pending` is answered all the same. */
  answerPendingMs: 3_000,
  /** Calls in flight are looked at so often: one without an answer for too long gets `503`. */
  answerLookMs: 1_000,
  /** From that answer until a connection without one would be taken for dead. */
  answerMarginMs: 5_000,
  /** An event may be announced this long after the wait of its caller ended. */
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
  /** The content of a QR code that is still easy to read. */
  codeLengthMax: 512,
  /** Of a shop, as its pages tell payers. */
  contactAddressLengthMax: 200,
  logoBytesMax: 1024 * 1024,
  logoSidePixelsMax: 4_096,
  /** The newest logo and the one that pages in flight may still show. */
  logosKept: 2,
  /** A public address is never used again for another picture. */
  logoCacheSeconds: 365 * 24 * 3_600,
  /** Logos read by one address: a page shows one, and a browser keeps it. */
  logoReadsMax: 120,
  logoReadsSeconds: 60,

  /** Entries that are read at once. */
  auditListed: 500,
  /** Rows that a list of `./gateway` shows, where nothing else is asked for; and at most. */
  operatorListed: 500,
  operatorListedMax: 10_000,
  /** Characters of a line of a log that may hold the head of a chain. */
  auditLogLineLengthMax: 65_536,
  /** Of what an entry is about: ids, one after the other. */
  auditObjectLengthMax: 200,
  auditTriesMax: 3,
  /** Audit entries of a process gather for so long between two writes of them (ms); the first after a pause goes at once. */
  auditGatherMs: 100,
  /** The head of a chain goes to the log after so many entries, and so often. */
  auditHeadEvery: 100,
  auditHeadMs: 60_000,

  // Uploads
  /** What surrounds the file in a multipart body. */
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
  /** Lease of a stored claim: how long the first nudge may take before others look after the payment (ms). */
  storedClaimLeaseMs: 3_000,
  leaseRenewMs: 1_500,
  /**
   * A processor call must start within this of asking for its claim: less than the lease, and more than the claim itself takes while
   * the nodes of a replica set report to each other by heartbeats alone (2 s).
   */
  sendByMs: 3_500,
  /** The same with a stored claim: so much of its lease is left when it is taken. */
  storedClaimSendByMs: 2_000,
  sweepMs: 1_000,
  sweepPageMax: 64,
  /** Documents that one statement of a sweep changes where none of them needs a plan of its own. */
  dueChangedMax: 1_000,
  /** A sweep waits no longer for what it does itself: one silent acquirer keeps no other work waiting. */
  sweepWaitMs: 2_000,
  /** A scrape counts due work up to this. */
  queueDepthCountedMax: 10_000,
  /** Work due later than this gets no delayed nudge: the sweep finds it. */
  nudgeDelayMsMax: 60_000,
  /** Nudges that wait in one queue; more are not added while no worker takes them. */
  nudgesWaitingMax: 100_000,
  /** Nudges that travel as one job. More would leave a second worker process idle while the first has too much. */
  nudgesPerJobMax: 16,
  /** Jobs that a pool holds at most while all its slots are busy. */
  poolJobsHeldMax: 1,
  jobLockMs: 15_000,
  jobStalledCheckMs: 5_000,
  /** SIGTERM: a pool waits this long for the work that runs. */
  poolCloseMs: 10_000,

  /** Captures, cancellations and refunds of one payment, whatever became of them. */
  operationsMax: 100,
  /** Characters of metadata and descriptions that they bring in all. */
  operationTextMax: 64 * 1024,

  // Processor operations
  /** Nothing is sent for a payment that was accepted longer ago (ms). */
  authorizeWithinMs: 15 * 60_000,
  /** A processor that is not reached is tried for 7 s: a restart of it costs no sale. */
  notSentTriesMax: 8,
  notSentRetryMs: 1_000,
  sentByKeyMax: 3,
  /** After the processor timeout and this, "not found" is taken as the truth. */
  notFoundSettlesMs: 60_000,
  inquireAfterMs: [2_000, 60_000, 5 * 60_000, 15 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000],
  pendingTooLongMs: 7 * 24 * 3_600_000,
  resentTooLongMs: 3_600_000,
  reverseAgainMs: 3_600_000,
  refundCheckAfterMs: [10_000, 5 * 60_000, 3_600_000, 24 * 3_600_000],
  processorResponseBytesMax: 64 * 1024,
  processorConnectMs: 3_000,
  /** Merchants whose credentials at one processor are kept open in memory, and for how long (ms). */
  processorCredentialsCached: 1_000,
  processorCredentialsMs: 60_000,
  /** Connections of one worker process to one processor. */
  processorConnectionsMax: 256,
  /** An idle connection to a processor is closed after this: it has to be sooner than the processor's own time. */
  processorKeepAliveMs: 30_000,
  /** Lines of a processor's books asked for at once, and the most bytes that answer may have. */
  processorListPage: 4_000,
  processorListBytesMax: 4 * 1024 * 1024,
  perAcquirerShare: 0.5,
  ...routingLimits,

  // What time alone decides
  authorizationExpiryMs: 7 * 24 * 3_600_000,
  captureDelaySecondsMax: 7 * 24 * 3_600 - 3_600,
  cvcDestroyMs: 15 * 60_000,
  cardDestroyMs: 24 * 3_600_000,
  cardDestroyWithRefundsMs: 180 * 24 * 3_600_000,

  // Bank transfers by QR
  codeExpiryMs: 15 * 60_000,
  /** The bank's books may lag so far behind the payer. */
  transferSettlesMs: 2_000,
  transferGraceMs: 60_000,
  /** A payer who pays does so soon: the bank is asked often at first. The last row holds for whatever is older. */
  askTransfer: [
    { untilMs: 60_000, everyMs: 2_000 },
    { untilMs: 5 * 60_000, everyMs: 5_000 },
    { untilMs: 15 * 60_000, everyMs: 10_000 },
  ],
  transferAskMsMin: 250,
  transferCheckAfterMs: [15_000, 60_000, 10 * 60_000, 3_600_000, 24 * 3_600_000],

  // Saved instruments
  instrumentsListed: 500,
  /** Oldest charges of a saved card among which its first payment is looked for. */
  firstChargesRead: 20,
  ...binLimits,
  temporalTokenMs: 24 * 3_600_000,
  /** So long the callback of a payment waits for its card to be saved, when the process that was about to was killed. */
  instrumentHeldMs: 60_000,

  ...startLimits,
  ...walletLimits,

  /** Different bodies under one used reference; from then on none is said to be the same. */
  differingBodiesMax: 5,

  // Idempotency-Key
  idempotencyKeyLengthMax: 255,
  /** How long an answer is given again. */
  idempotencyKeptMs: 24 * 3_600_000,
  /** A call that did not finish by then is taken for dead, and the next one takes over; later where answers are waited for longer. */
  idempotencyLeaseMs: 30_000,
  /** What a call may need beyond its wait for an outcome. */
  idempotencyMarginMs: 10_000,
  /** A larger answer is not kept. */
  idempotencyAnswerBytesMax: 256 * 1024,

  // Identity
  principalCacheMs: 4_000,
  principalsCached: 10_000,
  /** A change to a merchant or to its payment methods reaches every process within this. */
  merchantCacheMs: 4_000,
  merchantsCached: 10_000,
  merchantPaymentMethodsCached: 20_000,
  embedOriginsMax: 20,

  /** A bearer token lives so long, unless its key ends before. */
  accessTokenSeconds: 3_600,
  accessTokenBytesMax: 2_048,
  formBodyBytesMax: 4 * 1024,
  /** A form that holds the longest wallet token, each character of which may be sent as three. */
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
  /** Submits of one session (docs/security.md#card-testing). */
  sessionTriesMax: 5,
  /** A try of which nothing was stored by then is taken for dead. */
  sessionTryDeadMs: 60_000,
  /** How soon the sweep looks after a try whose outcome is not known yet. */
  sessionCheckMs: 5_000,
  sessionRetentionMs: 90 * 24 * 3_600_000,
  sessionListItemsMax: 10,
  /** The card of a verified tokenization is saved a moment after its payment succeeded. */
  instrumentAwaitedMs: 2_000,
  instrumentPollMs: 50,

  ...callbackLimits,

  ...reconcileLimits,
} as const;
