import { limits } from '../../config/limits.js';
import type { Envelope } from '../domain/payment/payment.js';
import { after } from '../domain/time.js';
import type { WalletOpening } from '../domain/wallet/opening.js';
import { type Database, durable } from './database.js';
import { isKnownVersion, written } from './schema-version.js';
import { WALLET_OPENINGS } from './wallet-opening.model.js';

type Result =
  | { readonly status: 'opened'; readonly credential: Envelope }
  | { readonly status: 'refused'; readonly reason: string };

export interface WalletOpeningRepository {
  insert(opening: WalletOpening): Promise<void>;
  find(id: string): Promise<WalletOpening | undefined>;
  remove(id: string): Promise<void>;
  /** Claims the opening until `leaseUntil`; undefined when it is done, gone or claimed by another process. */
  claim(id: string, now: Date): Promise<WalletOpening | undefined>;
  /** Stores the result; the token itself is not needed any more. */
  settle(id: string, result: Result): Promise<void>;
  /** Finds waiting openings older than `before` that are not claimed, oldest first. */
  findWaiting(before: Date, now: Date, limit: number): Promise<readonly string[]>;
  removeDue(now: Date): Promise<number>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

export function createWalletOpeningRepository(database: Database): WalletOpeningRepository {
  const rows = database.collection<WalletOpening>(WALLET_OPENINGS);
  const free = (now: Date) => ({
    ...isKnownVersion('wallet_openings'),
    status: 'waiting' as const,
    leaseUntil: { $lte: now },
    destroyAt: { $gt: now },
  });
  return {
    insert: async (opening) =>
      void (await rows.insertOne({ ...written('wallet_openings'), ...opening }, { writeConcern: durable })),
    find: async (id) => (await rows.findOne({ _id: id }, bounded)) ?? undefined,
    remove: async (id) => void (await rows.deleteOne({ _id: id })),
    async claim(id, now) {
      const lease = { leaseUntil: after(now, limits.leaseMs) };
      return (await rows.findOneAndUpdate({ _id: id, ...free(now) }, { $set: lease })) ?? undefined;
    },
    settle: async (id, result) => void (await rows.updateOne({ _id: id, status: 'waiting' }, { $set: { ...result } })),
    async findWaiting(before, now, limit) {
      const due = { ...free(now), createdAt: { $lte: before } };
      const found = await rows
        .find(due, { ...bounded, projection: { _id: 1 } })
        .sort({ createdAt: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },
    removeDue: async (now) => (await rows.deleteMany({ destroyAt: { $lte: now } })).deletedCount,
  };
}
