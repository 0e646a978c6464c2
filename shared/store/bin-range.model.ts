import { Schema } from 'mongoose';
import type { BinRange } from '../domain/instrument/bin-range.js';

export const BIN_RANGES = 'bin_ranges';

export type BinRangeRow = { readonly _id: string } & BinRange;

const plain = { _id: false, versionKey: false, strict: 'throw' } as const;

export const binRangeSchema = new Schema<BinRangeRow>(
  {
    _id: { type: String, required: true },
    from: { type: Number, required: true },
    to: { type: Number, required: true },
    brand: String,
    cardType: { type: String, enum: ['credit', 'debit', 'prepaid'] },
    issuer: new Schema({ id: String, name: String, shortName: String, country: String, countryCode: String }, plain),
  },
  { versionKey: false, strict: 'throw', collection: BIN_RANGES, autoIndex: false, autoCreate: false },
);

binRangeSchema.index({ from: -1 });
