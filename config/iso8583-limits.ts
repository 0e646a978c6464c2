/** Bounds of the `iso8583` processor. */
export const iso8583Limits = {
  /** A message without its length header; real messages have a few hundred bytes. */
  messageBytesMax: 8 * 1024,
  /** Size of the profile file. */
  profileBytesMax: 256 * 1024,
  /** Connections of one process to the acquirer. */
  connectionsMax: 16,
  /** Messages that wait for an answer on one connection. */
  inFlightMax: 1_024,
  /** Messages per connection without an answer in time whose late answer is still noted. */
  overdueMax: 4_096,
  /** Unsent bytes on a connection above which nothing more is written to it. */
  unsentBytesMax: 256 * 1024,
  /** Messages of one process that wait for a connection, and how long each waits (ms). */
  waitingMax: 1_024,
  waitMs: 3_000,
  connectMs: 3_000,
  /** Time limit for the answers to sign-on, echo and key exchange. */
  networkAnswerMs: 10_000,
  /** Minimum wait before the next echo when one could not be sent, or was not answered while other messages arrived. */
  echoAgainMs: 1_000,
  /** Wait before the second try to connect; doubled before each further try. */
  reconnectMs: 250,
  reconnectMsMax: 30_000,
  /** A connection that lasts this long after sign-on, or brings an answer, counts as good: the next try to connect is immediate. */
  steadyMs: 10_000,
  /** Requests of the acquirer that one connection answers per second; more of them end the connection. */
  requestsPerSecondMax: 50,
  /** STANs that a process takes at once; the ones it does not use are lost. */
  stanBlock: 100,
  stanMax: 999_999,
  /** How long a terminal's STAN counter is kept after its day. */
  stansKeptMs: 3 * 24 * 3_600_000,
  /** A sent message may reach the acquirer this late: until then "not found" does not end a reversal. */
  settlesMs: 60_000,
  /** Minimum time from now to an announced `knowsOutcomeAt`: a time that is past when the work is planned would have no effect. */
  tellsAheadMsMin: 1_000,
  /** How long a key that was reversed before it was sent is remembered: nothing is sent for a payment of this age. */
  tombstonesKeptMs: 24 * 3_600_000,
  /** Unconfirmed reversals are counted up to this number for the metrics. */
  openReversalsCounted: 1_000,
  /** How long messages are remembered: as long as their payment may be refunded. */
  exchangesKeptMs: 400 * 24 * 3_600_000,
} as const;
