/** Bounds of payment links: part of `limits.ts`. */
export const linkLimits = {
  splitDestinationsMax: 50,
  linkCurrenciesMax: 20,
  linkNameLengthMax: 120,
  businessNameLengthMax: 50,
  /** Tries to take over a one-time link from payers whose payment failed. */
  linkClaimTriesMax: 10,
  /** Longer than any request lasts: a claim that has no payment after this was left by a process that ended. */
  linkClaimCheckMs: 30_000,
  /** A one-time link that is being paid is checked again after this. */
  linkCheckMs: 2_000,
  /** Pictures of links that one address may request. */
  linkPicturesMax: 600,
  linkPicturesSeconds: 60,
  linkPictureCacheSeconds: 3_600,
  /** How long a request for a picture waits for the `qr` pool; then the API draws it. */
  linkPictureWaitMs: 3_000,
  linkPicturePollMs: 100,
  /** Payers at one address who go from one link to the checkout (docs/security.md#card-testing). */
  linkEntriesMax: 20,
  /** The same at a counter, where many payers share the network of the shop. */
  counterEntriesMax: 200,
  linkEntriesSeconds: 3_600,
  /** How long a visit without a payment attempt is kept after its session ended. */
  unusedEntryKeptMs: 24 * 3_600_000,
} as const;
