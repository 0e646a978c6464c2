import { Schema } from 'mongoose';

export const ISO8583_EXCHANGES = 'iso8583_exchanges';

/** Identifies a message at the acquirer. */
export interface IsoTrace {
  /** System trace audit number, six digits. */
  readonly stan: string;
  readonly at: Date;
}

export type IsoExchangeKind = 'purchase' | 'authorization' | 'verification' | 'capture' | 'cancel' | 'refund';

/** An outcome as it is stored: the port's own object, without any card data. */
export type StoredOutcome = Readonly<Record<string, unknown>> & { readonly kind: string };

/** An answer that did not become the outcome. */
export interface IsoHeard {
  /** Response code; empty when the answer had none. */
  readonly code: string;
  /** The answer approves: the acquirer booked something. */
  readonly approves?: true;
  /** Amount of a partial approval, which is not wanted (minor units). */
  readonly amountMinor?: number;
}

/** What was sent under one of our keys, and its outcome. It holds no card data. */
export interface IsoExchange {
  /** Our key: transaction id. */
  readonly _id: string;
  /** `tombstone`: reversed before it was ever sent. */
  readonly kind: IsoExchangeKind | 'tombstone';
  /**
   * `sent`: no answer that counts yet. `answered`: `outcome` is final. `reversing`: the reversal is under way, and no answer to the
   * message counts any more. `reversed`: nothing of it is booked any more.
   */
  readonly state: 'sent' | 'answered' | 'reversing' | 'reversed';
  /** Key of the authorization or purchase that the message refers to. */
  readonly original?: string;
  readonly terminal: string;
  readonly merchant: string;
  /** Merchant category code, when the merchant has its own. */
  readonly category?: string | undefined;
  readonly mti: string;
  readonly processingCode: string;
  readonly trace: IsoTrace;
  /** Field 37 as it was sent, or as the acquirer answered it. */
  readonly retrievalReference: string;
  /** Field 38 of the answer. */
  readonly authorization?: string;
  readonly amountMinor: number;
  /** ISO 4217 alphabetic code. */
  readonly currency: string;
  /** An answer counts until this time. */
  readonly deadlineAt: Date;
  readonly outcome?: StoredOutcome;
  readonly heard?: IsoHeard;
  /** The reversal. Its trace stays the same however often it is repeated. */
  readonly reversal?: IsoTrace & { readonly amountMinor: number; readonly heard?: IsoHeard };
  readonly expireAt: Date;
}

const trace = { stan: { type: String, required: true }, at: { type: Date, required: true } };
const text = { type: String, required: true };
const heard = { code: String, approves: Boolean, amountMinor: Number };

export const isoExchangeSchema = new Schema<IsoExchange>(
  {
    _id: text,
    kind: text,
    state: text,
    original: String,
    terminal: text,
    merchant: { type: String },
    category: String,
    mti: text,
    processingCode: text,
    trace,
    retrievalReference: text,
    authorization: String,
    amountMinor: { type: Number, required: true },
    currency: text,
    deadlineAt: { type: Date, required: true },
    outcome: Schema.Types.Mixed,
    heard,
    reversal: { ...trace, amountMinor: Number, heard },
    expireAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: ISO8583_EXCHANGES, autoIndex: false, autoCreate: false },
);

isoExchangeSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
isoExchangeSchema.index({ state: 1 }, { partialFilterExpression: { state: 'reversing' } });
