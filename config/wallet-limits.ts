/** Bounds of the wallets and of their certificates and tokens. */
export const walletLimits = {
  walletNameLengthMax: 120,
  walletOriginsMax: 50,
  pemLengthMax: 16 * 1024,
  /** The newest certificate and earlier ones, for which tokens may still arrive. */
  walletCertificatesKept: 3,
  /** The operator is warned this long before a certificate ends, also one of connections; of a wallet again after each `walletWarnAgainMs`. */
  certificateWarnMs: 30 * 24 * 3_600_000,
  walletWarnAgainMs: 24 * 3_600_000,
  walletCertificateSweepMs: 5 * 60_000,
  walletAuthJwtSeconds: 3_600,
  walletTokenLengthMax: 16 * 1024,
  /** How often the files of roots and keys are read again. */
  walletTrustRefreshMs: 30_000,
  /** How long a thread may take to start; tokens wait for it. */
  walletThreadStartMs: 30_000,
  /** How long one token may keep the thread busy. */
  walletOpenMs: 4_000,
  /** How long a call waits for its token to be opened, and the interval of its looks, at first and in the end. */
  walletWaitMs: 8_000,
  walletPollMs: 20,
  walletPollMsMax: 400,
  /** The sealed token and its content are deleted after this in any case. */
  walletOpeningKeptMs: 60_000,
  /** Longer than the lifetime of any token. */
  walletUseKeptMs: 90 * 24 * 3_600_000,
  /** Factor by which each wait between two looks for an opened token grows. */
  walletPollGrowth: 1.3,
  /** Per token: intermediate signatures (wallet-a), certificates and levels of ASN.1 (wallet-b). */
  walletSignaturesMax: 8,
  walletTokenCertificatesMax: 8,
  asn1DepthMax: 32,
} as const;
