/**
 * Which processes run: one row per process, with ids and codes only, which expires soon after the process ends. Processes that open the
 * vault report which master keys they hold, and which processors they are configured for (docs/security.md#keys-in-use). The others have
 * a separate collection: earlier releases would take them for processes that lack every key.
 */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import type { KeyHolder, RunningProcess } from '../domain/master-keys.js';
import type { Database } from './database.js';

type Row<T> = T & {
  /** Random for each start, because containers share pids and host names. */
  readonly _id: string;
  readonly expireAt: Date;
};

const common = {
  _id: { type: String, required: true },
  role: { type: String, required: true },
  host: { type: String, required: true },
  pid: { type: Number, required: true },
  expireAt: { type: Date, required: true },
} as const;
const options = { versionKey: false, strict: 'throw', autoIndex: false, autoCreate: false } as const;

export const keyReportSchema = new Schema<Row<KeyHolder>>(
  { ...common, masterKeyIds: { type: [String], required: true }, processors: { type: [String], default: undefined } },
  { ...options, collection: 'key_reports' },
);
keyReportSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export const processReportSchema = new Schema<Row<RunningProcess>>(common, {
  ...options,
  collection: 'process_reports',
});
processReportSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

interface ReportRepository<T> {
  /** Reports that the process runs and what it holds, for `limits.keyReportMs` from now on. */
  renew(id: string, report: T): Promise<void>;
  remove(id: string): Promise<void>;
  /** Finds the running processes, grouped by role. */
  findLive(): Promise<readonly T[]>;
}

export type KeyReportRepository = ReportRepository<KeyHolder>;

/** Reports of the processes that hold master keys. */
export const createKeyReportRepository = (database: Database): KeyReportRepository =>
  openReports<KeyHolder>(database, 'key_reports');

/** Reports of the processes that hold none. */
export const createProcessReportRepository = (database: Database): ReportRepository<RunningProcess> =>
  openReports<RunningProcess>(database, 'process_reports');

/** Uses MongoDB's clock only: the clocks of the processes may differ. */
function openReports<T extends RunningProcess>(database: Database, name: string): ReportRepository<T> {
  const rows = database.collection<Row<RunningProcess>>(name);
  const bounded = { maxTimeMS: limits.mongoQueryMs };
  return {
    async renew(_id, report) {
      const expireAt = { $add: ['$$NOW', limits.keyReportMs] };
      await rows.updateOne({ _id }, [{ $set: { ...literals(report), expireAt } }], { upsert: true, ...bounded });
    },
    async remove(_id) {
      await rows.deleteOne({ _id }, bounded);
    },
    findLive: () =>
      rows
        .find<T>({ $expr: { $gt: ['$expireAt', '$$NOW'] } }, { ...bounded, projection: { _id: 0, expireAt: 0 } })
        .sort({ role: 1, host: 1, pid: 1 })
        .toArray(),
  };
}

/** Marks every value as a literal, so that a host name is never read as an expression. */
const literals = (report: RunningProcess) =>
  Object.fromEntries(Object.entries(report).map(([name, value]) => [name, { $literal: value }]));
