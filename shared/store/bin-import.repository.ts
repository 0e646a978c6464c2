/** What the BIN table was imported from, and when. */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import { BIN_RANGES } from './bin-range.model.js';
import type { Database } from './database.js';

export interface BinImport {
  readonly ranges: number;
  /** Name of the file, without its folder, and the SHA-256 of its content. */
  readonly file: string;
  readonly sha256: string;
  readonly importedAt: Date;
}

/** A row of the BIN table itself, so that it replaces the old one together with the table that it describes. No look-up finds it. */
export interface BinImportRow extends BinImport {
  readonly _id: 'import';
}

/** Row that 0.1.0 wrote into a separate collection, after the table. */
interface EarlierRow extends BinImport {
  readonly _id: 'current';
}

const EARLIER = 'bin_imports';

export const binImportSchema = new Schema<EarlierRow>(
  {
    _id: { type: String, required: true },
    ranges: { type: Number, required: true },
    file: { type: String, required: true },
    sha256: { type: String, required: true },
    importedAt: { type: Date, required: true },
  },
  { strict: 'throw', versionKey: false, id: false, collection: EARLIER },
);

export function createBinImports(database: Database) {
  const bounded = { maxTimeMS: limits.mongoQueryMs };
  return {
    /** Finds the record; undefined when the table was never imported, or by a release that kept no such record. */
    find: async (): Promise<BinImport | undefined> => {
      const row =
        (await database.collection<BinImportRow>(BIN_RANGES).findOne({ _id: 'import' }, bounded)) ??
        (await database.collection<EarlierRow>(EARLIER).findOne({ _id: 'current' }, bounded));
      return row && 'importedAt' in row ? row : undefined;
    },
  };
}
