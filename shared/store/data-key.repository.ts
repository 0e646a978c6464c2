import { limits } from '../../config/limits.js';
import { DATA_KEYS, type DataKeyRow } from './data-key.model.js';
import { type Collection, type Database, isDuplicateKey } from './database.js';

/** Database that holds the key: `ephemeral` is left out of backups, so that a destroyed key is gone everywhere. */
export type DataKeyStore = 'main' | 'ephemeral';

export interface DataKeyRepository {
  find(store: DataKeyStore, id: string): Promise<DataKeyRow | undefined>;
  /** Stores the key unless its id is taken; returns the key that is stored on a majority, this one or the one of another process. */
  insertOrRead(store: DataKeyStore, row: DataKeyRow): Promise<DataKeyRow>;
  /** All keys of a kind (`<kind>:<epoch>`). */
  list(store: DataKeyStore, kind: string): Promise<readonly DataKeyRow[]>;
  /** Destroys keys of a kind that were created at `before` or earlier; returns how many. */
  deleteCreatedUntil(store: DataKeyStore, kind: string, before: Date): Promise<number>;
  /** Records since when no record needs the key; undefined when it is needed. */
  markUnused(store: DataKeyStore, row: DataKeyRow, since: Date | undefined): Promise<void>;
  /** Destroys a key that is still marked as `row` says; a key that was marked again meanwhile stays. Returns whether it was destroyed. */
  deleteUnused(store: DataKeyStore, row: DataKeyRow): Promise<boolean>;
  /** Finds keys that are wrapped by another master key than `masterKeyId`. */
  findWrappedByOthers(store: DataKeyStore, masterKeyId: string): AsyncIterable<DataKeyRow>;
  /** Returns the ids of the master keys that wrap keys of either store. */
  wrappingKeyIds(): Promise<readonly string[]>;
  /** Replaces `previous` by `next`; false when another process changed it first. */
  replace(store: DataKeyStore, previous: DataKeyRow, next: DataKeyRow): Promise<boolean>;
}

/** Condition of ids that begin with the kind: `;` follows `:` in ASCII. */
const ofKind = (kind: string) => ({ $gt: `${kind}:`, $lt: `${kind};` });

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

/** Writes are majority-acknowledged (the connection's write concern): a key that could be rolled back must never seal. */
export function createDataKeyRepository(database: Database): DataKeyRepository {
  const stores: Record<DataKeyStore, Collection<DataKeyRow>> = {
    main: database.collection(DATA_KEYS),
    ephemeral: database.ephemeral(DATA_KEYS),
  };

  return {
    find: async (store, id) => (await stores[store].findOne({ _id: id }, bounded)) ?? undefined,

    async insertOrRead(store, row) {
      try {
        await stores[store].insertOne({ ...row });
        return row;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The winner's write may not have reached a majority yet: a linearizable read waits until it has.
        const winner = await stores[store].findOne(
          { _id: row._id },
          { ...bounded, readConcern: { level: 'linearizable' } },
        );
        if (!winner) throw error;
        return winner;
      }
    },

    list: (store, kind) => stores[store].find({ _id: ofKind(kind) }, bounded).toArray(),

    async deleteCreatedUntil(store, kind, before) {
      const filter = { _id: ofKind(kind), createdAt: { $lte: before } };
      const { deletedCount } = await stores[store].deleteMany(filter, bounded);
      return deletedCount;
    },

    async markUnused(store, { _id }, since) {
      const change = since ? { $set: { unusedSince: since } } : { $unset: { unusedSince: '' as const } };
      await stores[store].updateOne({ _id }, change, bounded);
    },

    async deleteUnused(store, { _id, unusedSince }) {
      if (!unusedSince) return false;
      const { deletedCount } = await stores[store].deleteOne({ _id, unusedSince }, bounded);
      return deletedCount === 1;
    },

    findWrappedByOthers: (store, masterKeyId) => stores[store].find({ masterKeyId: { $ne: masterKeyId } }, bounded),

    async wrappingKeyIds() {
      const found = await Promise.all(Object.values(stores).map((keys) => keys.distinct('masterKeyId', {}, bounded)));
      return [...new Set(found.flat())];
    },

    async replace(store, previous, next) {
      const { matchedCount } = await stores[store].updateOne(
        { _id: previous._id, wrapped: previous.wrapped },
        { $set: { masterKeyId: next.masterKeyId, wrapped: next.wrapped } },
        bounded,
      );
      return matchedCount === 1;
    },
  };
}
