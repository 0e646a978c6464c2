/** Bounds of callbacks: their schedule, their time limits, and how many run at once. */
export const callbackLimits = {
  callbackAfterMs: [
    0,
    10_000,
    60_000,
    300_000,
    900_000,
    3_600_000,
    3 * 3_600_000,
    6 * 3_600_000,
    12 * 3_600_000,
    24 * 3_600_000,
  ],
  callbackJitter: 0.1,
  callbackConnectMs: 5_000,
  /** Addresses of one receiver that are tried in turn: directly they share the time to connect, through a proxy each has that time. */
  callbackAddressesMax: 3,
  callbackHeadersMs: 10_000,
  /** One attempt ends after this, whichever part of it is slow. */
  callbackTotalMs: 10_000,
  callbackResolveMs: 3_000,
  /** Queries that each name server gets within that time: one may be dead, and a packet may be lost. */
  callbackResolveTries: 2,
  /** After a name server answered for one version of IP, it has this much longer to answer for the other. */
  callbackOtherVersionMs: 1_000,
  callbackKeepAliveMs: 2_000,
  callbackReadBytesMax: 16 * 1024,
  /** Callbacks in flight at once at one host, per process: of one client, of all clients, and of clients that were slow or failed last. */
  callbackPerClientAtHostMax: 4,
  callbackPerHostMax: 16,
  callbackSlowPerHostMax: 8,
  /**
   * Deliveries that a process claims before they have a slot: of one client at one host, for one host, and as a share of its concurrency.
   */
  callbackSendQueuePerReceiverMax: 16,
  callbackSendQueuePerHostMax: 32,
  callbackSendQueueShare: 0.5,
  /** A delivery that finds no slot within this is given back to MongoDB (ms). */
  callbackSendQueueMs: 1_000,
  /**
   * How long (ms) tries are collected between two writes, and freed slots between two searches of the backlog; a lone one does not wait.
   */
  callbackGatherMs: 10,
  /** Full search of all that is due: its largest share of the time, and the shortest pause after it (ms). */
  callbackFullSearchShare: 0.05,
  callbackFullSearchGapMs: 5,
  /** A full search begins no further page after this; the next search finds the rest. */
  callbackFullSearchMs: 250,
  /** Deliveries of a paused receiver that one statement moves, and how long a search waits until all are moved (ms). */
  callbackMovedMax: 1_000,
  callbackMoveWaitMs: 250,
  /** Receivers for which one statement searches. */
  callbackSearchReceiversMax: 64,
  /** Per process: remembered receivers that were slow or failed recently, and remembered hosts that answered well. */
  callbackReceiversRememberedMax: 10_000,
  callbackQuickHostsMax: 1_000,
  /** An answer that takes longer than this counts as slow. */
  callbackSlowMs: 2_000,
  /** Share of a process's concurrency that one client may have in flight, and the same share in the send queue. */
  callbackClientShare: 0.25,
  /** Longer than `callbackTotalMs`, so that a running sender never loses its delivery. */
  callbackLeaseMs: 20_000,
  /** A delivery stores only its newest attempts. */
  callbackAttemptsKept: 20,
  breakerFailures: 10,
  breakerOpenMs: 30_000,
  breakerOpenMsMax: 600_000,
  deliveryRetentionMs: 90 * 24 * 3_600_000,
} as const;
