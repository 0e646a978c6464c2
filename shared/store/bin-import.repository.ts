/** How far an import of a BIN file came, so that it can go on after it was interrupted. */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import { type Database, durable } from './database.js';

interface BinImportRow {
  readonly _id: string;
  readonly rows: number;
}

const BIN_IMPORTS = 'bin_imports';

export const binImportSchema = new Schema<BinImportRow>(
  { _id: { type: String, required: true }, rows: { type: Number, required: true } },
  { strict: 'throw', versionKey: false, id: false, collection: BIN_IMPORTS },
);

export function createBinImports(database: Database) {
  const imports = database.collection<BinImportRow>(BIN_IMPORTS);
  return {
    /** Rows of this file that are in the table already. */
    rowsDone: async (id: string): Promise<number> =>
      (await imports.findOne({ _id: id }, { maxTimeMS: limits.mongoQueryMs }))?.rows ?? 0,
    record: async (id: string, rows: number): Promise<void> => {
      await imports.updateOne({ _id: id }, { $set: { rows } }, { upsert: true, writeConcern: durable });
    },
    forget: async (id: string): Promise<void> => {
      await imports.deleteOne({ _id: id }, { writeConcern: durable });
    },
  };
}
