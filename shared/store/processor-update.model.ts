import { Schema } from 'mongoose';
import type { ProcessorUpdate } from '../processors/updates.js';
import { indexNewer } from './schema-version.js';

export const PROCESSOR_UPDATES = 'processor_updates';

/** An update that a processor sent: stored before it is acknowledged, applied afterwards. Parsed fields only, never the body. */
export interface ProcessorUpdateRow {
  /** Built from processor, merchant and the processor's own id: the same update is one row. */
  readonly _id: string;
  readonly schemaVersion?: number;
  readonly processor: string;
  /** Merchant whose secret signed the update: it counts for payments of this merchant only. */
  readonly merchantId?: number;
  readonly update: ProcessorUpdate;
  readonly traceId: string;
  /** `flagged`: a person has to look at it, `reason` says why. */
  readonly status: 'waiting' | 'applied' | 'flagged';
  readonly reason?: string;
  readonly paymentId?: string;
  readonly tries: number;
  readonly receivedAt: Date;
  readonly dueAt: Date;
  readonly leaseUntil: Date;
  readonly expireAt: Date;
}

const text = { type: String, required: true };
const time = { type: Date, required: true };

export const processorUpdateSchema = new Schema<ProcessorUpdateRow>(
  {
    _id: text,
    schemaVersion: Number,
    processor: text,
    merchantId: Number,
    update: Schema.Types.Mixed,
    traceId: text,
    status: { ...text, enum: ['waiting', 'applied', 'flagged'] },
    reason: String,
    paymentId: String,
    tries: { type: Number, required: true },
    receivedAt: time,
    dueAt: time,
    leaseUntil: time,
    expireAt: time,
  },
  { versionKey: false, strict: 'throw', collection: PROCESSOR_UPDATES, autoIndex: false, autoCreate: false },
);
indexNewer(processorUpdateSchema);
// The sweep, and the operator's list.
processorUpdateSchema.index({ status: 1, dueAt: 1 });
processorUpdateSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
