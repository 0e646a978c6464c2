/** Bounds of the card vault and of what is known of cards. */
export const vaultLimits = {
  /** A scan for card numbers ends when it has found so many places. */
  scanFoundMax: 1_000,
  /** Numbers of one body that are looked up in the BIN table. */
  cardNumbersLookedUpMax: 20,
  dataKeyEpochMs: 3_600_000,
  /** So long before an hour begins its keys are made, by processes that seal then: longer than an election of MongoDB takes. */
  dataKeyAheadMs: 60_000,
  dataKeysCached: 1_000,
  cvcDataKeyDestroyMs: 24 * 3_600_000,
  /** Declined cards are counted by fingerprints under a key of the day, which lives a day longer than they count. */
  velocityKeyEpochMs: 24 * 3_600_000,
  velocityKeyDestroyMs: 31 * 24 * 3_600_000,
  /** The keys of a kind are listed again after this. */
  dataKeysListedMs: 60_000,
  /** What a process reports of its master keys holds so long after it was renewed last; one that was killed is waited for. */
  keyReportMs: 120_000,
  keyReportRenewMs: 20_000,
  /** `vault keys rotate --wait` asks again after this. */
  keyReportPollMs: 1_000,
  /** Documents that `vault reencrypt` reads and writes at once. */
  reencryptBatch: 200,
  /** A data key that no record needs is destroyed by the first `vault reencrypt` after this. Longer than a dump of the database takes. */
  dataKeyUnusedMs: 24 * 3_600_000,
  /** One of a merchant's credentials at a processor (characters). */
  credentialLengthMax: 4_096,
} as const;
