/**
 * Counts bodies that were sent with a used reference and differ from the body that used it (docs/security.md#reference-oracle). There is
 * one row per such reference, kept as long as the reference itself, which is for good.
 */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import { type Database, durable, isDuplicateKey } from './database.js';

export interface ReferenceProbeRow {
  /** `<client>/<kind>:<reference>` */
  readonly _id: string;
  /** Digests of the first `limits.differingBodiesMax` differing bodies. */
  readonly digests: readonly string[];
}

const REFERENCE_PROBES = 'reference_probes';

export const referenceProbeSchema = new Schema<ReferenceProbeRow>(
  { _id: { type: String, required: true }, digests: { type: [String], required: true } },
  { versionKey: false, strict: 'throw', collection: REFERENCE_PROBES, autoIndex: false, autoCreate: false },
);

export interface ReferenceProbeRepository {
  /** Returns how many differing bodies were sent with the reference, up to `limits.differingBodiesMax`. */
  count(reference: string): Promise<number>;
  /** Adds a differing body; the same body counts once. Returns how many there were before and are now. */
  add(reference: string, digest: string): Promise<{ readonly before: number; readonly now: number }>;
}

export function createReferenceProbeRepository(database: Database): ReferenceProbeRepository {
  const rows = database.collection<ReferenceProbeRow>(REFERENCE_PROBES);
  const max = limits.differingBodiesMax;
  const addOne = (reference: string, digest: string) => {
    const known = { $ifNull: ['$digests', []] };
    const added = { $slice: [{ $concatArrays: [known, [{ $literal: digest }]] }, max] };
    const digests = { $cond: [{ $in: [{ $literal: digest }, known] }, known, added] };
    return rows.findOneAndUpdate({ _id: reference }, [{ $set: { digests } }], {
      upsert: true,
      returnDocument: 'before',
      writeConcern: durable,
      maxTimeMS: limits.mongoQueryMs,
    });
  };
  return {
    async count(reference) {
      const row = await rows.findOne({ _id: reference }, { maxTimeMS: limits.mongoQueryMs });
      return row?.digests.length ?? 0;
    },
    async add(reference, digest) {
      const row = await addOne(reference, digest).catch((error: unknown) => {
        // Two upserts of one id at once: MongoDB may answer the slower one with 11000.
        if (isDuplicateKey(error)) return addOne(reference, digest);
        throw error;
      });
      const known = row?.digests ?? [];
      const now = known.includes(digest) ? known.length : Math.min(max, known.length + 1);
      return { before: known.length, now };
    },
  };
}
