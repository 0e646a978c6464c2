import { Schema } from 'mongoose';
import type { ChainLink } from './audit-chain.js';

/** One recorded action (docs/security.md#audit). Ids and names of ours only: never a value that was sent. */
export interface StoredEntry {
  readonly at: Date;
  /** Whose object it is. */
  readonly clientId: string;
  /** Who did it: an API key (`key_…`), `payer` at a page, or `operator:<name>` at the command line. */
  readonly actor: string;
  /** Object and past tense (`payment-method.created`), or the operation of the API (`refundPayment`). */
  readonly action: string;
  /** Id of what was changed: `1001/visa`. */
  readonly object: string;
  /** `failed`: a fault of ours; what became of it is not known. */
  readonly outcome: 'done' | 'refused' | 'failed';
  /** Error code of what was not done. */
  readonly code?: string;
  readonly merchantId?: number;
  readonly paymentId?: string;
  /** Of the caller. */
  readonly address?: string;
  /** Of the request, to find its line in the log. */
  readonly traceId?: string;
}

/** What one process wrote at once. One document and one hash for all of it: MongoDB works per document and per index. */
export interface AuditBatch {
  /** `aud_…`; its entries are `aud_….0`, `aud_….1` and so on. */
  readonly _id: string;
  /** Of its latest entry. */
  readonly at: Date;
  /** In the order in which they were appended. */
  readonly entries: readonly StoredEntry[];
  /** Of all entries, each once: what a batch is found by. */
  readonly clientId: readonly string[];
  /** Of all entries that have one, each once; absent where none has. */
  readonly paymentId?: readonly string[];
  readonly link: ChainLink;
}

/** An entry by itself, as releases before this one wrote them; the oldest without a link. */
export interface LoneEntry extends StoredEntry {
  /** `aud_…` */
  readonly _id: string;
  readonly link?: ChainLink;
}

export type AuditRow = AuditBatch | LoneEntry;

export const AUDIT = 'audit';

const required = { type: String, required: true } as const;
/** Of a batch a list, of an entry by itself one. */
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
