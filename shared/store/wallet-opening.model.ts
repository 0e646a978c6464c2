import { Schema } from 'mongoose';
import type { WalletOpening } from '../domain/wallet/opening.js';
import { indexNewer } from './schema-version.js';

export const WALLET_OPENINGS = 'wallet_openings';

const plain = { _id: false, versionKey: false, strict: 'throw' } as const;
const envelope = new Schema(
  { v: Number, alg: String, kid: String, iv: Schema.Types.Buffer, ct: Schema.Types.Buffer },
  plain,
);

export const walletOpeningSchema = new Schema<WalletOpening>(
  {
    _id: { type: String, required: true },
    schemaVersion: Number,
    clientId: { type: String, required: true },
    merchantId: { type: Number, required: true },
    walletType: { type: String, required: true },
    status: { type: String, required: true, enum: ['waiting', 'opened', 'refused'] },
    payload: { type: envelope, required: true },
    credential: envelope,
    reason: String,
    createdAt: { type: Date, required: true },
    leaseUntil: { type: Date, required: true },
    destroyAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: WALLET_OPENINGS, autoIndex: false, autoCreate: false },
);
indexNewer(walletOpeningSchema);
walletOpeningSchema.index({ status: 1, createdAt: 1 });
walletOpeningSchema.index({ destroyAt: 1 });
