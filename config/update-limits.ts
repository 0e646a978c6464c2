/** Bounds of inbound updates (`POST /v1/processors/{code}/updates`): part of `limits.ts`. */
export const updateLimits = {
  updateBodyBytesMax: 256 * 1024,
  /** Updates of one address in that many seconds; makers send from a few addresses, and send again what was refused. */
  updatesPerAddressMax: 6_000,
  updatesPerAddressSeconds: 60,
  /** Updates that one body may hold. */
  updatesPerBodyMax: 500,
  /** Characters of an id of the processor, or of our key. */
  updateIdLengthMax: 255,
  /** How long one process works on an update before another may. */
  updateLeaseMs: 15_000,
  /** Waits before an update is tried again that could not be applied yet: its payment is not known, or not so far. Then it is flagged. */
  updateAgainAfterMs: [5_000, 30_000, 5 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000],
  /** An update that was applied is remembered so long: doubled by its maker, it is not worked on again. */
  updatesKeptMs: 90 * 24 * 3_600_000,
  /** One that needs a person is kept longer. */
  updatesFlaggedKeptMs: 400 * 24 * 3_600_000,
} as const;
