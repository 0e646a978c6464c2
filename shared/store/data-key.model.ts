import { Schema } from 'mongoose';

/** A data key of the vault, wrapped by a master key. Keys of cvc envelopes live in the database that backups leave out. */
export interface DataKeyRow {
  /** `<kind>:<epoch>`, for example `card:484012`. */
  readonly _id: string;
  readonly masterKeyId: string;
  /** Compact JWE. */
  readonly wrapped: string;
  readonly createdAt: Date;
  /** Since when no record needs the key; it is destroyed some time later. */
  readonly unusedSince?: Date;
}

export const DATA_KEYS = 'vault_keys';

export const dataKeySchema = new Schema<DataKeyRow>(
  {
    _id: { type: String, required: true },
    masterKeyId: { type: String, required: true },
    wrapped: { type: String, required: true },
    createdAt: { type: Date, required: true },
    unusedSince: Date,
  },
  { strict: 'throw', versionKey: false, id: false, collection: DATA_KEYS },
);
