/** Bounds of callbacks: their schedule, their time, and how many of them at once. */
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
  /** Addresses of one receiver that are tried, one after the other: directly within the time to connect, through a proxy each for as long. */
  callbackAddressesMax: 3,
  callbackHeadersMs: 10_000,
  /** One attempt ends after this, whatever part of it is slow. */
  callbackTotalMs: 10_000,
  callbackResolveMs: 3_000,
  callbackKeepAliveMs: 2_000,
  callbackReadBytesMax: 16 * 1024,
  /** At one host, what a process has in flight at once: of one client, of all, and of those that were slow or failed last. */
  callbackPerClientAtHostMax: 4,
  callbackPerHostMax: 16,
  callbackSlowPerHostMax: 8,
  /** What a process claims before there is a slot for it: of one client at one host, for one host, and of its concurrency. */
  callbackSendQueuePerReceiverMax: 16,
  callbackSendQueuePerHostMax: 32,
  callbackSendQueueShare: 0.5,
  /** What found no slot for so long is given back to MongoDB (ms). */
  callbackSendQueueMs: 1_000,
  /** What ended is recorded, and the backlog is searched for free slots, this long after the last time (ms), if not alone. */
  callbackGatherMs: 10,
  /** A search through all that is due: the most of the time that it may take, and the pause after it (ms) at least. */
  callbackFullSearchShare: 0.05,
  callbackFullSearchGapMs: 5,
  /** One search through all that is due begins no further page after this: what is left is for the next. */
  callbackFullSearchMs: 250,
  /** Deliveries of a paused receiver that one statement moves, and how long a search waits for all of them (ms). */
  callbackMovedMax: 1_000,
  callbackMoveWaitMs: 250,
  /** Receivers that one statement searches for. */
  callbackSearchReceiversMax: 64,
  /** Receivers that were slow or failed lately and are remembered, by process; and hosts that answered well. */
  callbackReceiversRememberedMax: 10_000,
  callbackQuickHostsMax: 1_000,
  /** An answer that takes longer is slow. */
  callbackSlowMs: 2_000,
  /** The part of a process's concurrency that one client may have in flight, and as much again in the send queue. */
  callbackClientShare: 0.25,
  /** Longer than `callbackTotalMs`, so that a living sender never loses its delivery. */
  callbackLeaseMs: 20_000,
  /** A delivery keeps its newest attempts only. */
  callbackAttemptsKept: 20,
  breakerFailures: 10,
  breakerOpenMs: 30_000,
  breakerOpenMsMax: 600_000,
  deliveryRetentionMs: 90 * 24 * 3_600_000,
} as const;
