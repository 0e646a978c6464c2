/** Style sheets, scripts and pictures of the hosted pages, of every release that ran on this database: some 65 kB of each. */
import { Schema } from 'mongoose';
import { limits } from '../../config/limits.js';
import { type Database, durable } from './database.js';

export interface PageAssetRow {
  /** Path under the origin, with a digest of the bytes. */
  readonly _id: string;
  readonly bytes: Buffer;
  /** Shows that a process of the gateway stored these bytes under this path. */
  readonly seal: string;
}

const PAGE_ASSETS = 'pageAssets';

export const pageAssetSchema = new Schema<PageAssetRow>(
  {
    _id: { type: String, required: true },
    bytes: { type: Buffer, required: true },
    seal: { type: String, required: true },
  },
  { strict: 'throw', versionKey: false, id: false, collection: PAGE_ASSETS },
);

export interface PageAssetRepository {
  /** Stores what is not stored yet. */
  keep(rows: readonly PageAssetRow[]): Promise<void>;
  find(path: string): Promise<PageAssetRow | undefined>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

export function createPageAssetRepository(database: Database): PageAssetRepository {
  const assets = database.collection<PageAssetRow>(PAGE_ASSETS);
  return {
    async keep(rows) {
      const known = await assets
        .find({ _id: { $in: rows.map(({ _id }) => _id) } }, { ...bounded, projection: { _id: 1, seal: 1 } })
        .toArray();
      const sealOf = new Map(known.map(({ _id, seal }) => [_id, seal]));
      const missing = rows.filter(({ _id, seal }) => sealOf.get(_id) !== seal);
      if (missing.length === 0) return;
      const statements = missing.map(({ _id, ...row }) => ({
        updateOne: { filter: { _id }, update: { $set: row }, upsert: true },
      }));
      await assets.bulkWrite(statements, { ordered: false, writeConcern: durable, ...bounded });
    },
    find: async (path) => (await assets.findOne({ _id: path }, bounded)) ?? undefined,
  };
}
