import { Schema } from 'mongoose';

/** A wallet token that was used: it is never taken again. */
export interface WalletUseRow {
  /** `<walletType>:<hash of the token's own id>`: unique, so that of many tries at once one wins. */
  readonly _id: string;
  /** What it was used for; the same thing tried again is no replay. */
  readonly owner: string;
  /** By then the token itself has run out long ago. */
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
