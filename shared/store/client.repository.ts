import { limits } from '../../config/limits.js';
import { API_KEYS, type ApiKeyRow, apiKeySchema, type ClientRow, clientSchema } from './client.model.js';
import { alsoFromSecondary, type Change, type Database } from './database.js';
import { modelOn } from './model-on.js';

export interface ClientRepository {
  /** @throws a duplicate-key error (`isDuplicateKey`) when the id is taken. */
  insertClient(row: ClientRow): Promise<void>;
  /** Oldest first. */
  findClients(): Promise<readonly ClientRow[]>;
  findClient(clientId: string): Promise<ClientRow | undefined>;
  insertKey(row: ApiKeyRow): Promise<void>;
  findKey(keyId: string): Promise<ApiKeyRow | undefined>;
  /** Finds all keys of a client that are not revoked, expired ones included: the expiry is checked when a key is used. */
  findKeys(clientId: string): Promise<readonly ApiKeyRow[]>;
  /** Finds all keys of a client, revoked ones too, oldest first. */
  findEveryKey(clientId: string): Promise<readonly ApiKeyRow[]>;
  /** Replaces the merchants of a secondary key; false when there is no such key. */
  setMerchants(keyId: string, merchantIds: readonly number[]): Promise<boolean>;
  /** Adds merchants to a secondary key; false when there is no such key. */
  addMerchants(keyId: string, merchantIds: readonly number[]): Promise<boolean>;
  /** Removes merchants from a secondary key; false when there is no such key. */
  removeMerchants(keyId: string, merchantIds: readonly number[]): Promise<boolean>;
  /** Lets a key expire at `at` at the latest; an earlier expiry stays. False when there is no such key. */
  expireKey(keyId: string, at: Date): Promise<boolean>;
  /** Revokes a key. The first revocation counts; false when there is no such key. */
  revokeKey(keyId: string, at: Date): Promise<boolean>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

export function createClientRepository(database: Database): ClientRepository {
  const Client = modelOn<ClientRow>(database.connection, 'Client', clientSchema);
  const ApiKey = modelOn<ApiKeyRow>(database.connection, 'ApiKey', apiKeySchema);
  const keys = database.collection<ApiKeyRow>(API_KEYS);
  const changeMerchants = async (keyId: string, change: Change<ApiKeyRow>) => {
    const { matchedCount } = await keys.updateOne({ _id: keyId, kind: 'secondary' }, change, bounded);
    return matchedCount === 1;
  };

  return {
    async insertClient(row) {
      await Client.create(row);
    },
    findClient: async (clientId) => (await Client.findById(clientId, null, bounded).lean<ClientRow>()) ?? undefined,
    findClients: () => Client.find({}, null, bounded).sort({ createdAt: 1, _id: 1 }).lean<ClientRow[]>(),
    async insertKey(row) {
      await ApiKey.create(row);
    },
    findKey: async (keyId) => (await keys.findOne({ _id: keyId }, bounded)) ?? undefined,
    findKeys: (clientId) =>
      keys.find({ clientId, revokedAt: { $exists: false } }, { ...bounded, ...alsoFromSecondary }).toArray(),
    findEveryKey: (clientId) => keys.find({ clientId }, bounded).sort({ createdAt: 1, _id: 1 }).toArray(),

    setMerchants: (keyId, merchantIds) => changeMerchants(keyId, { $set: { merchantIds: [...merchantIds] } }),
    addMerchants: (keyId, merchantIds) =>
      changeMerchants(keyId, { $addToSet: { merchantIds: { $each: [...merchantIds] } } }),
    removeMerchants: (keyId, merchantIds) =>
      changeMerchants(keyId, { $pull: { merchantIds: { $in: [...merchantIds] } } }),
    async expireKey(keyId, at) {
      const { matchedCount } = await keys.updateOne({ _id: keyId }, { $min: { expiresAt: at } }, bounded);
      return matchedCount === 1;
    },
    async revokeKey(keyId, at) {
      const { matchedCount } = await keys.updateOne({ _id: keyId }, { $min: { revokedAt: at } }, bounded);
      return matchedCount === 1;
    },
  };
}
