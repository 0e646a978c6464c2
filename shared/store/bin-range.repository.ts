/** The BIN table. A look-up sees the first eight digits only; a BIN that is not there is simply not known. */
import { limits } from '../../config/limits.js';
import { type BinRange, binNumber, chooseRange } from '../domain/instrument/bin-range.js';
import { BIN_RANGES, type BinRangeRow } from './bin-range.model.js';
import { type Database, durable } from './database.js';

export interface BinTable {
  find(cardNumber: string): Promise<BinRange | undefined>;
  /** Writes rows, replacing those with the same bounds; answers how many were written. */
  upsertMany(ranges: readonly BinRange[]): Promise<number>;
  count(): Promise<number>;
}

/** Nested ranges: the one that counts begins among the nearest few at or before the BIN. */

const idOf = ({ from, to }: BinRange) => `${from}-${to}`;

export function createBinTable(database: Database): BinTable {
  const rows = database.collection<BinRangeRow>(BIN_RANGES);
  return {
    async find(cardNumber) {
      const bin = binNumber(cardNumber);
      const candidates = await rows
        .find({ from: { $lte: bin } }, { maxTimeMS: limits.mongoQueryMs })
        .sort({ from: -1 })
        .limit(limits.binCandidates)
        .toArray();
      return chooseRange(bin, candidates);
    },
    async upsertMany(ranges) {
      if (ranges.length === 0) return 0;
      const writes = ranges.map((range) => ({
        replaceOne: { filter: { _id: idOf(range) }, replacement: { ...range }, upsert: true },
      }));
      await rows.bulkWrite(writes, { ordered: false, writeConcern: durable });
      return ranges.length;
    },
    count: () => rows.estimatedDocumentCount(),
  };
}
