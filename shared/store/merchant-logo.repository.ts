import { limits } from '../../config/limits.js';
import type { Database } from './database.js';
import { MERCHANT_LOGOS, type MerchantLogoRow, merchantLogoSchema } from './merchant-logo.model.js';
import { modelOn } from './model-on.js';

export type MerchantLogo = Omit<MerchantLogoRow, '_id'>;

export interface MerchantLogoRepository {
  findLogo(merchantId: number, hash: string): Promise<MerchantLogo | undefined>;
  /** Keeps this logo and removes all but the newest `limits.logosKept` of the merchant. */
  saveLogo(logo: MerchantLogo): Promise<void>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;
const keyOf = (merchantId: number, hash: string) => `${merchantId}:${hash}`;

export function createMerchantLogoRepository(database: Database): MerchantLogoRepository {
  const Model = modelOn<MerchantLogoRow>(database.connection, 'MerchantLogo', merchantLogoSchema);
  const logos = database.collection<MerchantLogoRow>(MERCHANT_LOGOS);

  return {
    async findLogo(merchantId, hash) {
      const row = await logos.findOne({ _id: keyOf(merchantId, hash) }, bounded);
      if (!row) return undefined;
      const { _id, ...logo } = row;
      return logo;
    },
    async saveLogo(logo) {
      const { merchantId, hash } = logo;
      await Model.updateOne(
        { _id: keyOf(merchantId, hash) },
        { $set: logo },
        { upsert: true, runValidators: true, ...bounded },
      );
      const old = await logos
        .find({ merchantId }, { ...bounded, projection: { _id: 1 } })
        .sort({ uploadedAt: -1, _id: -1 })
        .skip(limits.logosKept)
        .toArray();
      if (old.length > 0) await logos.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } }, bounded);
    },
  };
}
