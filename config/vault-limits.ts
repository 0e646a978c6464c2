/** Bounds of the card vault and of data about cards. */
export const vaultLimits = {
  /** A scan for card numbers ends when it has found this many places. */
  scanFoundMax: 1_000,
  /** Numbers of one body that are looked up in the BIN table. */
  cardNumbersLookedUpMax: 20,
  dataKeyEpochMs: 3_600_000,
  /** How long before an hour begins its keys are made, by processes that seal at that time: longer than an election of MongoDB takes. */
  dataKeyAheadMs: 60_000,
  dataKeysCached: 1_000,
  cvcDataKeyDestroyMs: 24 * 3_600_000,
  /** Declined cards are counted by fingerprints under a key of the day, which lives a day longer than the declines count. */
  velocityKeyEpochMs: 24 * 3_600_000,
  velocityKeyDestroyMs: 31 * 24 * 3_600_000,
  /** How long a list of the keys of a kind is used before it is read again. */
  dataKeysListedMs: 60_000,
  /** How long a process's report of its master keys is valid after its last renewal; until then a killed process is waited for. */
  keyReportMs: 120_000,
  keyReportRenewMs: 20_000,
  /** Interval at which `vault keys rotate --wait` asks again. */
  keyReportPollMs: 1_000,
  /** Documents that `vault reencrypt` reads and writes at once. */
  reencryptBatch: 200,
  /** A data key that no record needs is destroyed by the first `vault reencrypt` after this. Longer than a dump of the database takes. */
  dataKeyUnusedMs: 24 * 3_600_000,
  /** One credential of a merchant at a processor (characters). */
  credentialLengthMax: 4_096,
} as const;
