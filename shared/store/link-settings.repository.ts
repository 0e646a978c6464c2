import { limits } from '../../config/limits.js';
import type { LinkMerchantSettings } from '../domain/payment-link/payment-link.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import { LINK_SETTINGS } from './payment-link.model.js';

export interface LinkSettingsRepository {
  find(merchantId: number): Promise<LinkMerchantSettings | undefined>;
  findByName(businessUrlName: string): Promise<LinkMerchantSettings | undefined>;
  /** Replaces the settings of the merchant. `taken`: another merchant has the name. */
  replace(settings: LinkMerchantSettings): Promise<'saved' | 'taken'>;
}

type Row = Omit<LinkMerchantSettings, 'merchantId'> & { readonly _id: number };

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;
const toSettings = ({ _id, ...rest }: Row): LinkMerchantSettings => ({ merchantId: _id, ...rest });

/** Leaves out fields without a value, so that the index of names holds no entry for them. */
const present = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

export function createLinkSettingsRepository(database: Database): LinkSettingsRepository {
  const rows = database.collection<Row>(LINK_SETTINGS);
  return {
    async find(merchantId) {
      const row = await rows.findOne({ _id: merchantId }, bounded);
      return row ? toSettings(row) : undefined;
    },
    async findByName(businessUrlName) {
      const row = await rows.findOne({ businessUrlName }, bounded);
      return row ? toSettings(row) : undefined;
    },
    async replace({ merchantId, ...rest }) {
      try {
        await rows.replaceOne({ _id: merchantId }, present(rest), { upsert: true, writeConcern: durable });
        return 'saved';
      } catch (error) {
        if (isDuplicateKey(error)) return 'taken';
        throw error;
      }
    },
  };
}
