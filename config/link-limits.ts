/** Bounds of payment links: part of `limits.ts`. */
export const linkLimits = {
  splitDestinationsMax: 50,
  linkCurrenciesMax: 20,
  linkNameLengthMax: 120,
  businessNameLengthMax: 50,
  /** Tries to take a one-time link over from payers whose payment failed. */
  linkClaimTriesMax: 10,
  /** Longer than any request lives: a claim without a payment by then was left by a process that ended. */
  linkClaimCheckMs: 30_000,
  /** A one-time link that is being paid is looked at again after this. */
  linkCheckMs: 2_000,
  /** Pictures of links that are asked for by one address. */
  linkPicturesMax: 600,
  linkPicturesSeconds: 60,
  linkPictureCacheSeconds: 3_600,
  /** How long a request for a picture waits for the `qr` pool; then the API draws it. */
  linkPictureWaitMs: 3_000,
  linkPicturePollMs: 100,
  /** Payers of one address that go on to the checkout of one link (docs/security.md#card-testing). */
  linkEntriesMax: 20,
  /** The same at a counter, where many payers share the shop's network. */
  counterEntriesMax: 200,
  linkEntriesSeconds: 3_600,
  /** How long a visit without a payment attempt is kept after its session ended. */
  unusedEntryKeptMs: 24 * 3_600_000,
} as const;
