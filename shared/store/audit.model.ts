import { Schema } from 'mongoose';

/** One thing that somebody did (docs/security.md, S52). Ids and names of ours only: never a value that was sent. */
export interface AuditRow {
  /** `aud_…` */
  readonly _id: string;
  readonly at: Date;
  /** Whose object it is. */
  readonly clientId: string;
  /** Who did it: an API key (`key_…`), or `operator` at the command line. */
  readonly actor: string;
  /** Object and past tense: `payment-method.created`. */
  readonly action: string;
  /** Id of what was changed: `1001/visa`. */
  readonly object: string;
  readonly outcome: 'done' | 'refused';
  readonly merchantId?: number;
  /** Of the request, to find its line in the log. */
  readonly traceId?: string;
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
    outcome: { type: String, required: true, enum: ['done', 'refused'] },
    merchantId: Number,
    traceId: String,
  },
  { strict: 'throw', versionKey: false, id: false, collection: AUDIT },
);
auditSchema.index({ clientId: 1, at: -1 });
