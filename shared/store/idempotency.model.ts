import { Schema } from 'mongoose';

/** A request that was sent with an `Idempotency-Key`: under way, or with the answer that is given again. */
export interface IdempotencyRow {
  /** SHA-256 of client, path and key: the key itself is stored nowhere. */
  readonly _id: string;
  /** HMAC of the body without cvc. */
  readonly bodyDigest: string;
  /** What the id of the thing to be made is built from (`pay_<seed>`): chosen before anything is done. */
  readonly seed: string;
  /** Proof of who works on it. */
  readonly token: string;
  /** Compared with the database's clock; in the past: no process works on it. */
  readonly leaseUntil: Date;
  readonly answer?: {
    readonly status: number;
    /** JSON text; absent where the answer was too large to be kept. */
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

// An expired row is not needed: the database itself removes it.
idempotencyRowSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
