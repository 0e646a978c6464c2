import { Schema } from 'mongoose';
import type { Merchant } from '../domain/merchant.js';

/** A merchant as it is stored: its number is the key. */
export type MerchantRow = { readonly _id: number } & Omit<Merchant, 'id'>;

/** The last number that was given out. */
export interface CounterRow {
  readonly _id: string;
  readonly last: number;
}

export const MERCHANTS = 'merchants';
export const COUNTERS = 'counters';

export const merchantSchema = new Schema<MerchantRow>(
  {
    _id: { type: Number, required: true },
    clientId: { type: String, required: true },
    name: { type: String, required: true },
    legalName: String,
    status: { type: String, required: true, enum: ['active', 'suspended'] },
    country: String,
    defaultCurrency: String,
    taxId: String,
    logoUrl: String,
    logoContentType: String,
    logoUploadedAt: Date,
    // Without the default, Mongoose would write an empty list into each merchant.
    embedOrigins: { type: [String], default: undefined },
    pageColor: String,
    pageContact: {
      type: new Schema({ address: String, email: String, phone: String, url: String }, { strict: 'throw', _id: false }),
      default: undefined,
    },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { strict: 'throw', versionKey: false, id: false, collection: MERCHANTS },
);
merchantSchema.index({ clientId: 1, _id: 1 });
merchantSchema.index({ clientId: 1, createdAt: -1, _id: -1 });

export const counterSchema = new Schema<CounterRow>(
  { _id: { type: String, required: true }, last: { type: Number, required: true } },
  { strict: 'throw', versionKey: false, id: false, collection: COUNTERS },
);
