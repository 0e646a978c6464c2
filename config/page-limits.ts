/** Bounds of the pages for payers and of the sandbox's start page: part of `limits.ts`. */
export const pageLimits = {
  /** Characters of the digest in an asset's address. */
  assetDigestLength: 16,
  assetCacheSeconds: 365 * 24 * 3_600,
  /** Assets of other releases that a process keeps in memory. A release has about 25. */
  keptAssetsCached: 64,
  /** Requests of one address to the pages for payers: a waiting page asks once every few seconds. */
  pageVisitsMax: 600,
  pageVisitsSeconds: 60,
  /** Callbacks that the sandbox's inbox keeps. */
  sandboxInboxMax: 20,
  sandboxInboxBytesMax: 2 * 1024 * 1024,
  /** Time limit for requests of the sandbox's start page to the API or to the inbox. */
  sandboxCallMs: 10_000,
  /** Sessions for which one browser keeps tokens. */
  sessionCookiesMax: 20,
  /** Characters of the operator's name in the footer of the pages, and of the addresses beside it. */
  operatorNameLengthMax: 60,
  pageAddressLengthMax: 2_048,
  /** Saved cards that a page offers. */
  cardsShownMax: 20,
  /** How often a page without JavaScript reloads: for an outcome, for a transfer, for a link that is being paid. */
  waitRefreshSeconds: 3,
  transferRefreshSeconds: 5,
  linkRefreshSeconds: 5,
} as const;
