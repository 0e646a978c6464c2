/** What the BIN table was imported from, and when. */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import { type Database, durable } from './database.js';

export interface BinImport {
  readonly ranges: number;
  /** Name of the file, without its folder, and the SHA-256 of its content. */
  readonly file: string;
  readonly sha256: string;
  readonly importedAt: Date;
}

interface BinImportRow extends BinImport {
  readonly _id: 'current';
}

const BIN_IMPORTS = 'bin_imports';

export const binImportSchema = new Schema<BinImportRow>(
  {
    _id: { type: String, required: true },
    ranges: { type: Number, required: true },
    file: { type: String, required: true },
    sha256: { type: String, required: true },
    importedAt: { type: Date, required: true },
  },
  { strict: 'throw', versionKey: false, id: false, collection: BIN_IMPORTS },
);

export function createBinImports(database: Database) {
  const imports = database.collection<BinImportRow>(BIN_IMPORTS);
  return {
    /** Undefined: the table was never imported, or by a release that kept no such record. */
    find: async (): Promise<BinImport | undefined> => {
      const row = await imports.findOne({ _id: 'current' }, { maxTimeMS: limits.mongoQueryMs });
      return row && 'importedAt' in row ? row : undefined;
    },
    record: async (made: BinImport): Promise<void> => {
      await imports.replaceOne({ _id: 'current' }, made, { upsert: true, writeConcern: durable });
    },
  };
}
