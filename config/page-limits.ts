/** Bounds of the pages for payers and of the sandbox's start page: part of `limits.ts`. */
export const pageLimits = {
  /** Characters of the digest in the address of an asset. */
  assetDigestLength: 16,
  assetCacheSeconds: 365 * 24 * 3_600,
  /** Requests of one address to the pages for payers: a page that waits asks once in a few seconds. */
  pageVisitsMax: 600,
  pageVisitsSeconds: 60,
  /** Callbacks that the inbox of the sandbox keeps. */
  sandboxInboxMax: 20,
  sandboxInboxBytesMax: 2 * 1024 * 1024,
  /** What the start page of the sandbox asks of the API or of the inbox. */
  sandboxCallMs: 10_000,
  /** Sessions whose tokens one browser keeps. */
  sessionCookiesMax: 20,
  /** Characters of the operator's name at the foot of the pages, and of the addresses beside it. */
  operatorNameLengthMax: 60,
  pageAddressLengthMax: 2_048,
  /** Saved cards that a page offers. */
  cardsShownMax: 20,
  /** A page without JavaScript asks again so often: for an outcome, for a transfer, for a link that is being paid. */
  waitRefreshSeconds: 3,
  transferRefreshSeconds: 5,
  linkRefreshSeconds: 5,
} as const;
