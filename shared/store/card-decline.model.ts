import { Schema } from 'mongoose';

export const CARD_DECLINES = 'card_declines';

/** One decline of one card. Its fingerprint is made with the key of its day, which is destroyed after a month. */
export interface CardDecline {
  /** Transaction id, so that a decline is counted once. */
  readonly _id: string;
  readonly fingerprint: string;
  readonly bin: string;
  readonly merchantId: number;
  readonly amountMinor: number;
  readonly currency: string;
  /** Saved card that was charged. */
  readonly instrument?: string;
  readonly wrongCvc: boolean;
  readonly at: Date;
  readonly expireAt: Date;
}

export const cardDeclineSchema = new Schema<CardDecline>(
  {
    _id: { type: String, required: true },
    fingerprint: { type: String, required: true },
    bin: { type: String, required: true },
    merchantId: { type: Number, required: true },
    amountMinor: { type: Number, required: true },
    currency: { type: String, required: true },
    instrument: String,
    wrongCvc: { type: Boolean, required: true },
    at: { type: Date, required: true },
    expireAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: CARD_DECLINES, autoIndex: false, autoCreate: false },
);

cardDeclineSchema.index({ fingerprint: 1, at: -1 });
cardDeclineSchema.index({ instrument: 1, at: -1 }, { partialFilterExpression: { instrument: { $exists: true } } });
cardDeclineSchema.index({ bin: 1, at: -1 });
cardDeclineSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
