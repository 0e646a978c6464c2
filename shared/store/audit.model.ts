import { Schema } from 'mongoose';
import type { ChainLink } from './audit-chain.js';

/** One recorded action (docs/security.md#audit). Ids and names of ours only: never a value that was sent. */
export interface StoredEntry {
  readonly at: Date;
  /** Client that owns the object. */
  readonly clientId: string;
  /** Who did it: an API key (`key_…`), `payer` at a page, or `operator:<name>` at the command line. */
  readonly actor: string;
  /** Object and past tense (`payment-method.created`), or the operation of the API (`refundPayment`). */
  readonly action: string;
  /** Id of what was changed: `1001/visa`. */
  readonly object: string;
  /** `failed`: an error of the gateway; it is not known whether the action was done. */
  readonly outcome: 'done' | 'refused' | 'failed';
  /** Error code, when the action was not done. */
  readonly code?: string;
  readonly merchantId?: number;
  readonly paymentId?: string;
  /** Address of the caller. */
  readonly address?: string;
  /** Trace id of the request, to find its line in the log. */
  readonly traceId?: string;
}

/** Entries that one process wrote at once. They are one document with one hash, because MongoDB's cost is per document and per index. */
export interface AuditBatch {
  /** `aud_…`; its entries are `aud_….0`, `aud_….1` and so on. */
  readonly _id: string;
  /** Time of its latest entry. */
  readonly at: Date;
  /** In the order in which they were appended. */
  readonly entries: readonly StoredEntry[];
  /** Clients of all entries, each once: queries find the batch by them. */
  readonly clientId: readonly string[];
  /** Payments of all entries that have one, each once; absent when no entry has one. */
  readonly paymentId?: readonly string[];
  readonly link: ChainLink;
}

/** A single entry, as earlier releases wrote them; the oldest have no link. */
export interface LoneEntry extends StoredEntry {
  /** `aud_…` */
  readonly _id: string;
  readonly link?: ChainLink;
}

export type AuditRow = AuditBatch | LoneEntry;

export const AUDIT = 'audit';

const required = { type: String, required: true } as const;
/** A list in a batch, one value in a single entry. */
const oneOrMany = { type: Schema.Types.Mixed };

const entryFields = {
  at: { type: Date, required: true },
  clientId: required,
  actor: required,
  action: required,
  object: required,
  outcome: { ...required, enum: ['done', 'refused', 'failed'] },
  code: String,
  merchantId: Number,
  paymentId: String,
  address: String,
  traceId: String,
};

export const auditSchema = new Schema<AuditRow>(
  {
    _id: required,
    at: { type: Date, required: true },
    clientId: oneOrMany,
    paymentId: oneOrMany,
    entries: [new Schema(entryFields, { _id: false, strict: 'throw' })],
    link: new Schema({ chain: String, seq: Number, previous: String, hash: String }, { _id: false, strict: 'throw' }),
  },
  { strict: 'throw', versionKey: false, id: false, collection: AUDIT },
);
auditSchema.index({ clientId: 1, at: -1 });
auditSchema.index({ at: -1 });
auditSchema.index({ paymentId: 1, at: -1 }, { partialFilterExpression: { paymentId: { $exists: true } } });
// One row per place of a chain.
auditSchema.index(
  { 'link.chain': 1, 'link.seq': 1 },
  { unique: true, partialFilterExpression: { 'link.chain': { $exists: true } } },
);
