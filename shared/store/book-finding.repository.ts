/** Stores the differences between the books of processors and the payments, and how far the books were compared. */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import type { Finding, FindingKind } from '../domain/reconcile/compare-books.js';
import { after } from '../domain/time.js';
import { type Database, durable, isDuplicateKey } from './database.js';

/** `imported`: the gateway took it over into its own records. `settled`: a person did what there was to do. */
export type FindingStatus = 'open' | 'imported' | 'settled';

export interface FindingRow
  extends Pick<Finding, 'kind' | 'key' | 'paymentId' | 'amountMinor' | 'currency' | 'heldMinor' | 'heldCurrency'> {
  /** Built from processor, kind and key: a difference that is found again is the same row. */
  readonly _id: string;
  readonly processor: string;
  readonly referenceId?: string;
  readonly merchantId?: number;
  /** When it happened at the processor. */
  readonly at?: Date;
  readonly foundAt: Date;
  readonly status: FindingStatus;
  /** What was done about it, or why it could not be. */
  readonly note?: string;
}

interface PositionRow {
  /** Code of the processor. */
  readonly _id: string;
  /** The processor's books are compared up to this time. */
  readonly at: Date;
  readonly dueAt: Date;
}

const text = { type: String, required: true };
const time = { type: Date, required: true };
const number = { type: Number, required: true };
const options = { versionKey: false, strict: 'throw', autoIndex: false, autoCreate: false } as const;

export const findingSchema = new Schema<FindingRow>(
  {
    _id: text,
    processor: text,
    kind: text,
    key: text,
    paymentId: String,
    referenceId: String,
    merchantId: Number,
    amountMinor: number,
    currency: text,
    heldMinor: Number,
    heldCurrency: String,
    at: Date,
    foundAt: time,
    status: { ...text, enum: ['open', 'imported', 'settled'] },
    note: String,
  },
  { ...options, collection: 'book_findings' },
);
findingSchema.index({ status: 1, foundAt: 1 });

export const positionSchema = new Schema<PositionRow>(
  { _id: text, at: time, dueAt: time },
  {
    ...options,
    collection: 'book_positions',
  },
);

export interface FindingRepository {
  /** Stores the new findings as `open`; returns all of them as they are stored. */
  note(
    processor: string,
    findings: readonly Finding[],
    now: Date,
  ): Promise<readonly (FindingRow & { isNew: boolean })[]>;
  /**
   * Changes the status of a finding. A settled finding stays settled, and an imported one is not opened again. False when there is no
   * such finding, or it stays as it is.
   */
  mark(id: string, status: FindingStatus, note: string): Promise<boolean>;
  find(id: string): Promise<FindingRow | undefined>;
  /** Oldest first. @param after id of a finding: only those behind it; the result is undefined when there is no such finding. */
  list(status: FindingStatus, limit: number, after?: string): Promise<readonly FindingRow[] | undefined>;
  /** Counts open findings by kind. */
  countOpen(): Promise<Readonly<Partial<Record<FindingKind, number>>>>;
  /**
   * Claims the comparison of a processor's books for this process when it is due. Returns from when to compare; undefined when it is not
   * due, or when the books are compared for the first time, from now on.
   */
  claim(processor: string, now: Date): Promise<Date | undefined>;
  /** Records that the books were compared up to `at`. */
  advance(processor: string, at: Date, dueAt: Date): Promise<void>;
}

const rowOf = (processor: string, { entry, ...finding }: Finding, foundAt: Date): FindingRow => ({
  _id: `${processor}:${finding.kind}:${finding.key}`,
  processor,
  ...finding,
  ...defined({
    at: entry && new Date(entry.at),
    referenceId: entry?.referenceId,
    merchantId: entry?.merchantId,
  }),
  foundAt,
  status: 'open',
});

export function createFindingRepository(database: Database): FindingRepository {
  const findings = database.collection<FindingRow>('book_findings');
  const positions = database.collection<PositionRow>('book_positions');
  const bounded = { maxTimeMS: limits.mongoQueryMs };

  const noteOne = async (row: FindingRow) => {
    const result = await findings.updateOne({ _id: row._id }, { $setOnInsert: row }, { upsert: true });
    if (result.upsertedCount > 0) return { ...row, isNew: true };
    return { ...((await findings.findOne({ _id: row._id }, bounded)) ?? row), isNew: false };
  };

  return {
    async note(processor, found, now) {
      const noted: (FindingRow & { isNew: boolean })[] = [];
      for (const finding of found) noted.push(await noteOne(rowOf(processor, finding, now)));
      return noted;
    },
    async mark(id, status, note) {
      const from: FindingStatus[] = status === 'open' ? ['open'] : ['open', 'imported'];
      const change = { $set: { status, note } };
      const found = await findings.updateOne({ _id: id, status: { $in: from } }, change, { writeConcern: durable });
      return found.matchedCount > 0;
    },
    async find(id) {
      return (await findings.findOne({ _id: id }, bounded)) ?? undefined;
    },
    async list(status, limit, afterId) {
      const last = afterId === undefined ? undefined : await findings.findOne({ _id: afterId }, bounded);
      if (last === null) return undefined;
      const { foundAt, _id } = last ?? {};
      const behind = last && { $or: [{ foundAt: { $gt: foundAt } }, { foundAt, _id: { $gt: _id } }] };
      return findings
        .find({ status, ...behind } as object, bounded)
        .sort({ foundAt: 1, _id: 1 })
        .limit(limit)
        .toArray();
    },
    async countOpen() {
      const groups = await findings
        .aggregate([{ $match: { status: 'open' } }, { $group: { _id: '$kind', count: { $sum: 1 } } }], bounded)
        .toArray();
      return Object.fromEntries(groups.map(({ _id, count }) => [_id, count]));
    },
    async claim(processor, now) {
      const dueAt = after(now, limits.booksLeaseMs);
      const taken = await positions.findOneAndUpdate(
        { _id: processor, dueAt: { $lte: now } },
        { $set: { dueAt } },
        bounded,
      );
      if (taken) return taken.at;
      // The first time: books are compared from now on. `./gateway reconcile` compares what was before.
      await positions.insertOne({ _id: processor, at: now, dueAt: now }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
      return undefined;
    },
    async advance(processor, at, dueAt) {
      await positions.updateOne({ _id: processor }, { $max: { at }, $set: { dueAt } });
    },
  };
}
