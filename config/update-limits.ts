/** Bounds of inbound updates (`POST /v1/processors/{code}/updates`): part of `limits.ts`. */
export const updateLimits = {
  updateBodyBytesMax: 256 * 1024,
  /** Updates of one address within this many seconds; processors send from a few addresses, and send refused updates again. */
  updatesPerAddressMax: 6_000,
  updatesPerAddressSeconds: 60,
  /** Updates in one body. */
  updatesPerBodyMax: 500,
  /** Characters of an id of the processor, or of our key. */
  updateIdLengthMax: 255,
  /** How long one process works on an update before another may. */
  updateLeaseMs: 15_000,
  /**
   * Waits before retries of an update whose payment is not known yet, or is not yet in the right state. After the last retry it is flagged.
   */
  updateAgainAfterMs: [5_000, 30_000, 5 * 60_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000],
  /** How long an applied update is remembered: if the processor repeats it, it is not processed again. */
  updatesKeptMs: 90 * 24 * 3_600_000,
  /** An update that needs a person is kept longer. */
  updatesFlaggedKeptMs: 400 * 24 * 3_600_000,
} as const;
