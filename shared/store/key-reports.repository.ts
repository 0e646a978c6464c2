/**
 * Which master keys running processes hold, and which processors workers are configured for: one row per process, ids and codes only,
 * gone soon after the process (docs/security.md#keys-in-use).
 */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import type { KeyHolder } from '../domain/master-keys.js';
import type { Database } from './database.js';

interface KeyReportRow extends KeyHolder {
  /** Random per start: containers share pids and host names. */
  readonly _id: string;
  readonly expireAt: Date;
}

export const keyReportSchema = new Schema<KeyReportRow>(
  {
    _id: { type: String, required: true },
    role: { type: String, required: true },
    host: { type: String, required: true },
    pid: { type: Number, required: true },
    masterKeyIds: { type: [String], required: true },
    processors: { type: [String], default: undefined },
    expireAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: 'key_reports', autoIndex: false, autoCreate: false },
);
keyReportSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export interface KeyReportRepository {
  /** Says that the process runs and what it holds, for `limits.keyReportMs` from now on. */
  renew(id: string, holder: KeyHolder): Promise<void>;
  remove(id: string): Promise<void>;
  /** The processes that run, those of one role together. */
  findLive(): Promise<readonly KeyHolder[]>;
}

/** By MongoDB's clock alone: those of the processes may differ. */
export function createKeyReportRepository(database: Database): KeyReportRepository {
  const rows = database.collection<KeyReportRow>('key_reports');
  const bounded = { maxTimeMS: limits.mongoQueryMs };
  return {
    async renew(_id, holder) {
      const expireAt = { $add: ['$$NOW', limits.keyReportMs] };
      await rows.updateOne({ _id }, [{ $set: { ...literals(holder), expireAt } }], { upsert: true, ...bounded });
    },
    async remove(_id) {
      await rows.deleteOne({ _id }, bounded);
    },
    findLive: () =>
      rows
        .find({ $expr: { $gt: ['$expireAt', '$$NOW'] } }, { ...bounded, projection: { _id: 0, expireAt: 0 } })
        .sort({ role: 1, host: 1, pid: 1 })
        .toArray(),
  };
}

/** A host name is a value, whatever it begins with. */
const literals = (holder: KeyHolder) =>
  Object.fromEntries(Object.entries(holder).map(([name, value]) => [name, { $literal: value }]));
