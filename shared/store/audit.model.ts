import { Schema } from 'mongoose';
import type { ChainLink } from './audit-chain.js';

/** One recorded action (docs/security.md#audit). Ids and names of ours only: never a value that was sent. */
export interface AuditRow {
  /** `aud_…` */
  readonly _id: string;
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
  readonly link?: ChainLink;
}

export const AUDIT = 'audit';

export const auditSchema = new Schema<AuditRow>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    clientId: { type: String, required: true },
    actor: { type: String, required: true },
    action: { type: String, required: true },
    object: { type: String, required: true },
    outcome: { type: String, required: true, enum: ['done', 'refused', 'failed'] },
    code: String,
    merchantId: Number,
    paymentId: String,
    address: String,
    traceId: String,
    link: new Schema({ chain: String, seq: Number, previous: String, hash: String }, { _id: false, strict: 'throw' }),
  },
  { strict: 'throw', versionKey: false, id: false, collection: AUDIT },
);
auditSchema.index({ clientId: 1, at: -1 });
auditSchema.index({ at: -1 });
auditSchema.index({ paymentId: 1, at: -1 }, { partialFilterExpression: { paymentId: { $exists: true } } });
// One entry per place of a chain.
auditSchema.index(
  { 'link.chain': 1, 'link.seq': 1 },
  { unique: true, partialFilterExpression: { 'link.chain': { $exists: true } } },
);
