/** Bounds of the `iso8583` processor. */
export const iso8583Limits = {
  /** A message without its length header; real ones have some hundred bytes. */
  messageBytesMax: 8 * 1024,
  /** Profile file. */
  profileBytesMax: 256 * 1024,
  /** Connections of one process to the acquirer. */
  connectionsMax: 16,
  /** Messages that wait for their answer on one connection. */
  inFlightMax: 1_024,
  /** Messages without an answer in time whose late answer is still noted, for one connection. */
  overdueMax: 4_096,
  /** Bytes that a connection may hold back before no more is written to it. */
  unsentBytesMax: 256 * 1024,
  /** Messages of one process that wait for a connection, and how long each does (ms). */
  waitingMax: 1_024,
  waitMs: 3_000,
  connectMs: 3_000,
  /** Sign-on, echo and key exchange are answered within this. */
  networkAnswerMs: 10_000,
  /** The wait before the second try to connect; doubled with each further one. */
  reconnectMs: 250,
  reconnectMsMax: 30_000,
  /** A connection that held so long after its sign-on counts as good, as one that brought an answer does: the next try is at once. */
  steadyMs: 10_000,
  /** Messages of the acquirer itself that one connection answers in a second: more of them end it. */
  requestsPerSecondMax: 50,
  /** STANs that a process takes at once; what it does not use of them is lost. */
  stanBlock: 100,
  stanMax: 999_999,
  /** So long after its day a terminal's count of STANs is kept. */
  stansKeptMs: 3 * 24 * 3_600_000,
  /** A message that was sent may reach the acquirer so late: until then "not found" is no end of a reversal. */
  settlesMs: 60_000,
  /** When the acquirer will be able to tell is said no less ahead than this: what has passed when it is planned for counts as unsaid. */
  tellsAheadMsMin: 1_000,
  /** A key that was taken back before it was sent is remembered so long: nothing is sent for a payment this old. */
  tombstonesKeptMs: 24 * 3_600_000,
  /** Unconfirmed reversals are counted up to here for the metrics. */
  openReversalsCounted: 1_000,
  /** Messages are remembered for as long as their payment may be refunded. */
  exchangesKeptMs: 400 * 24 * 3_600_000,
} as const;
