/** Bounds of a BIN table. */
export const binLimits = {
  /** Rows that are sent to MongoDB at once. */
  binImportBatch: 1_000,
  /** Ranges in one table. */
  binRowsMax: 2_000_000,
  /** Characters of one line of a file, and of a name in a line. */
  binLineLengthMax: 4_096,
  binNameLengthMax: 120,
  /** Rows left by an import that began longer ago than this are dropped by the next import. */
  binLeftBehindMs: 24 * 3_600_000,
  /** A table that was imported longer ago than this is reported as old (`./gateway doctor`). */
  binOldMs: 180 * 24 * 3_600_000,
} as const;
