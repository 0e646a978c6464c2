/** Bounds of the checks before a process starts. */
export const startLimits = {
  /** Size of a secret's file: keys, passwords and addresses are short. */
  secretFileBytesMax: 64 * 1024,
  /** Oldest major release of MongoDB that production runs on. */
  mongodbMajorMin: 7,

  // `./gateway doctor`
  /** How long to wait for one answer from outside. */
  doctorConnectMs: 5_000,
  /** Time of one whole check: a check that takes longer is reported as without an answer. */
  doctorCheckMs: 20_000,
  /** Merchants that are reported because they cannot be charged; further ones are not checked. */
  doctorMerchantsMax: 100,
  /** The certificate of the public address is reported as ending soon when it has this many days left. */
  doctorCertificateDays: 21,
  /** Time between two heartbeats of a replica set above which the doctor gives a notice (docs/production.md). ms */
  doctorHeartbeatMs: 500,
} as const;
