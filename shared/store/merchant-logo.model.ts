import { Schema } from 'mongoose';

/** A logo as it is served. */
export interface MerchantLogoRow {
  /** `<merchantId>:<hash>` */
  readonly _id: string;
  readonly merchantId: number;
  /** Hash of the bytes in hex: another picture has another hash. */
  readonly hash: string;
  readonly contentType: string;
  /** At most `limits.logoBytesMax`. */
  readonly bytes: Buffer;
  readonly uploadedAt: Date;
}

export const MERCHANT_LOGOS = 'merchantLogos';

export const merchantLogoSchema = new Schema<MerchantLogoRow>(
  {
    _id: { type: String, required: true },
    merchantId: { type: Number, required: true },
    hash: { type: String, required: true },
    contentType: { type: String, required: true, enum: ['image/png', 'image/jpeg', 'image/webp'] },
    bytes: { type: Buffer, required: true },
    uploadedAt: { type: Date, required: true },
  },
  { strict: 'throw', versionKey: false, id: false, collection: MERCHANT_LOGOS },
);
merchantLogoSchema.index({ merchantId: 1, uploadedAt: -1 });
