/** The BIN table. A look-up uses the first eleven digits only; a BIN that is not in the table is simply not known. */
import { randomUUID } from 'node:crypto';
import { limits } from '../../config/limits.js';
import { type BinRange, binNumber, chooseRange, wholeRangesOf } from '../domain/instrument/bin-range.js';
import type { BinImport, BinImportRow } from './bin-import.repository.js';
import { BIN_RANGES, type BinRangeRow } from './bin-range.model.js';
import { type Database, durable, isDuplicateKey } from './database.js';

export interface BinTable {
  find(cardNumber: string): Promise<BinRange | undefined>;
  /** Writes rows, replacing those with the same bounds; returns how many were written. */
  upsertMany(ranges: readonly BinRange[]): Promise<number>;
  count(): Promise<number>;
}

/** A table that is written next to the one that is in use. */
export interface NextBinTable {
  /** @throws {RangeTwiceError} */
  insertMany(ranges: readonly BinRange[]): Promise<void>;
  /** Replaces the table in use, for all processes at once. @param made what it was imported from */
  swap(made: BinImport): Promise<void>;
  /** Removes it completely. */
  drop(): Promise<void>;
}

/** A table has the same bounds twice: which row counts is not known. */
export class RangeTwiceError extends Error {
  override readonly name = 'RangeTwiceError';
}

const idOf = ({ from, to }: Pick<BinRange, 'from' | 'to'>) => `${from}-${to}`;

/** Tables of earlier releases have eight digits instead of eleven. */
const LARGEST_OF_EIGHT_DIGITS = 99_999_999;
const toEightDigits = (bin: number) => Math.floor(bin / 1_000);

export function createBinTable(database: Database): BinTable {
  const rows = database.collection<BinRangeRow>(BIN_RANGES);
  const bounded = { maxTimeMS: limits.mongoQueryMs };
  /**
   * Finds the range of a BIN. Ranges are nested: mostly the range that counts begins among the nearest few at or before the BIN. When
   * many narrower ranges lie between, the ranges that may hold the BIN are looked up by their bounds.
   */
  const nearest = async (bin: number, atLeast: number) => {
    const candidates = await rows
      .find({ from: { $lte: bin, $gt: atLeast } }, bounded)
      .sort({ from: -1 })
      .limit(limits.binCandidates)
      .toArray();
    const found = chooseRange(bin, candidates);
    if (found || candidates.length < limits.binCandidates) return found;
    return chooseRange(bin, await rows.find({ _id: { $in: wholeRangesOf(bin).map(idOf) } }, bounded).toArray());
  };
  return {
    async find(cardNumber) {
      const bin = binNumber(cardNumber);
      return (await nearest(bin, LARGEST_OF_EIGHT_DIGITS)) ?? nearest(toEightDigits(bin), 0);
    },
    async upsertMany(ranges) {
      if (ranges.length === 0) return 0;
      const writes = ranges.map((range) => ({
        replaceOne: { filter: { _id: idOf(range) }, replacement: { ...range }, upsert: true },
      }));
      await rows.bulkWrite(writes, { ordered: false, writeConcern: durable });
      return ranges.length;
    },
    async count() {
      const [all, own] = [await rows.estimatedDocumentCount(), await rows.findOne({ _id: 'import' }, bounded)];
      return own ? all - 1 : all;
    },
  };
}

/** `bin_ranges_<when it was begun, ms since 1970>_<id>`; names of earlier releases have no time. */
const NEXT_NAME = new RegExp(`^${BIN_RANGES}_(\\d{13})_`);

/** Drops the tables that killed imports left behind. The table of an import that is still running is younger. */
async function dropLeftBehind({ connection }: Database, now: Date): Promise<void> {
  for (const { name } of await connection.listCollections()) {
    const begunMs = Number(NEXT_NAME.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
    // No error when another import has just dropped it.
    if (now.getTime() - begunMs > limits.binLeftBehindMs) await connection.dropCollection(name);
  }
}

export async function openNextBinTable(database: Database, now: Date): Promise<NextBinTable> {
  await dropLeftBehind(database, now);
  const name = `${BIN_RANGES}_${now.getTime()}_${randomUUID()}`;
  const next = database.collection<BinRangeRow>(name);
  await next.createIndex({ from: -1 });
  return {
    async insertMany(ranges) {
      if (ranges.length === 0) return;
      const documents = ranges.map((range) => ({ _id: idOf(range), ...range }));
      await next.insertMany(documents, { writeConcern: durable }).catch((error: unknown) => {
        if (isDuplicateKey(error)) throw new RangeTwiceError('a range is there twice');
        throw error;
      });
    },
    swap: async (made) => {
      const described = database.collection<BinImportRow>(name);
      await described.insertOne({ _id: 'import', ...made }, { writeConcern: durable });
      await next.rename(BIN_RANGES, { dropTarget: true });
    },
    drop: async () => {
      await next.drop();
    },
  };
}
