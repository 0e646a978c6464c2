/** Bounds of what a process looks at before it starts. */
export const startLimits = {
  /** A secret in a file of its own: keys, passwords and addresses are short. */
  secretFileBytesMax: 64 * 1024,
  /** Oldest major release of MongoDB that production runs on. */
  mongodbMajorMin: 7,

  // `./gateway doctor`
  /** How long one answer from outside is waited for. */
  doctorConnectMs: 5_000,
  /** One check as a whole: what takes longer is said to be without an answer. */
  doctorCheckMs: 20_000,
  /** Merchants that are said to be unable to be charged; further ones are not looked at. */
  doctorMerchantsMax: 100,
  /** The certificate of the public address is said to end soon from here on. */
  doctorCertificateDays: 21,
  /** Between two heartbeats of a replica set; beyond it the doctor gives a notice (docs/production.md). ms */
  doctorHeartbeatMs: 500,
} as const;
