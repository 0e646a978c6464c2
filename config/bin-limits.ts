/** Bounds of a BIN table. */
export const binLimits = {
  /** Rows that travel to MongoDB at once. */
  binImportBatch: 1_000,
  /** Ranges of one table. */
  binRowsMax: 2_000_000,
  /** Characters of one line of a file, and of a name in it. */
  binLineLengthMax: 4_096,
  binNameLengthMax: 120,
  /** What an import that began longer ago left is dropped by the next one. */
  binLeftBehindMs: 24 * 3_600_000,
  /** A table that was imported longer ago is said to be old (`./gateway doctor`). */
  binOldMs: 180 * 24 * 3_600_000,
} as const;
