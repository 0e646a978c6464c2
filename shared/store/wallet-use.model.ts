import { Schema } from 'mongoose';

/** A wallet token that was used: it is never accepted again. */
export interface WalletUseRow {
  /** `<walletType>:<hash of the token's own id>`: unique, so that of many uses at once one wins. */
  readonly _id: string;
  /** What the token was used for; the same use again is not a replay. */
  readonly owner: string;
  /** When the row may be removed: the token itself expired long before. */
  readonly forgetAt: Date;
}

export const WALLET_USES = 'wallet_uses';

export const walletUseSchema = new Schema<WalletUseRow>(
  {
    _id: { type: String, required: true },
    owner: { type: String, required: true },
    forgetAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: WALLET_USES, autoIndex: false, autoCreate: false },
);
walletUseSchema.index({ forgetAt: 1 });
