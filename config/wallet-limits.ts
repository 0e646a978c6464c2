/** Bounds of the wallets, of their certificates and tokens. */
export const walletLimits = {
  walletNameLengthMax: 120,
  walletOriginsMax: 50,
  pemLengthMax: 16 * 1024,
  /** The newest certificate and the ones before it, whose tokens may still come. */
  walletCertificatesKept: 3,
  /** The operator is warned so long before a certificate ends, and again after each `walletWarnAgainMs`. */
  walletCertificateWarnMs: 30 * 24 * 3_600_000,
  walletWarnAgainMs: 24 * 3_600_000,
  walletCertificateSweepMs: 5 * 60_000,
  walletAuthJwtSeconds: 3_600,
  walletTokenLengthMax: 16 * 1024,
  /** So often the files of roots and keys are looked at again. */
  walletTrustRefreshMs: 30_000,
  /** A thread may take so long to start; tokens wait for it. */
  walletThreadStartMs: 30_000,
  /** One token may keep the thread busy for so long. */
  walletOpenMs: 4_000,
  /** A call waits so long for its token to be opened, and looks so often, at first and in the end. */
  walletWaitMs: 8_000,
  walletPollMs: 20,
  walletPollMsMax: 400,
  /** The sealed token and what it held are gone after this, whatever happened. */
  walletOpeningKeptMs: 60_000,
  /** Longer than any token lives. */
  walletUseKeptMs: 90 * 24 * 3_600_000,
  /** Each look for an opened token waits so much longer than the one before. */
  walletPollGrowth: 1.3,
  /** Of one token: intermediate signatures (wallet-a), certificates and levels of ASN.1 (wallet-b). */
  walletSignaturesMax: 8,
  walletTokenCertificatesMax: 8,
  asn1DepthMax: 32,
} as const;
