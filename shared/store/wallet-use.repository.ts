import { createHash } from 'node:crypto';
import { limits } from '../../config/limits.js';
import { after } from '../domain/time.js';
import type { WalletType } from '../domain/wallet/integration.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import { WALLET_USES, type WalletUseRow } from './wallet-use.model.js';

export interface WalletUse {
  readonly walletType: WalletType;
  /** The token's own id: a message id, or a transaction id. */
  readonly uniqueId: string;
  readonly owner: string;
}

export interface WalletUseRepository {
  /** Claims the token. False when it was used for something else. The same owner may claim it again, when a request is repeated. */
  claim(use: WalletUse, now: Date): Promise<boolean>;
  /** Returns what the token was used for, if it was used. */
  findOwner(use: Omit<WalletUse, 'owner'>): Promise<string | undefined>;
  removeDue(now: Date): Promise<number>;
}

const keyOf = ({ walletType, uniqueId }: Omit<WalletUse, 'owner'>) =>
  `${walletType}:${createHash('sha256').update(uniqueId).digest('hex')}`;

export function createWalletUseRepository(database: Database): WalletUseRepository {
  const rows = database.collection<WalletUseRow>(WALLET_USES);
  const findOwner = async (use: Omit<WalletUse, 'owner'>) => (await rows.findOne({ _id: keyOf(use) }))?.owner;
  return {
    async claim(use, now) {
      const forgetAt = after(now, limits.walletUseKeptMs);
      try {
        await rows.insertOne({ _id: keyOf(use), owner: use.owner, forgetAt }, { writeConcern: durable });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await findOwner(use)) === use.owner;
      }
    },
    findOwner,
    removeDue: async (now) => (await rows.deleteMany({ forgetAt: { $lte: now } })).deletedCount,
  };
}
