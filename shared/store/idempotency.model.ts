import { Schema } from 'mongoose';

/** A request with an `Idempotency-Key`: under way, or with the answer that is given again. */
export interface IdempotencyRow {
  /** SHA-256 of client, path and key: the key itself is stored nowhere. */
  readonly _id: string;
  /** HMAC of the body without cvc. */
  readonly bodyDigest: string;
  /** Seed of the id of the object to create (`pay_<seed>`): chosen before anything is done. */
  readonly seed: string;
  /** Token of the call that works on the request. */
  readonly token: string;
  /** Compared with the database's clock. In the past when no process works on the request. */
  readonly leaseUntil: Date;
  readonly answer?: {
    readonly status: number;
    /** JSON text; absent when the answer was too large to be kept. */
    readonly body?: string;
  };
  readonly expireAt: Date;
}

export const IDEMPOTENCY_ROWS = 'idempotency_rows';

export const idempotencyRowSchema = new Schema<IdempotencyRow>(
  {
    _id: { type: String, required: true },
    bodyDigest: { type: String, required: true },
    seed: { type: String, required: true },
    token: { type: String, required: true },
    leaseUntil: { type: Date, required: true },
    answer: new Schema({ status: Number, body: String }, { _id: false, versionKey: false, strict: 'throw' }),
    expireAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: IDEMPOTENCY_ROWS, autoIndex: false, autoCreate: false },
);

// MongoDB itself removes expired rows.
idempotencyRowSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
