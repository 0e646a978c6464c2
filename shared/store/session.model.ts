import { Schema } from 'mongoose';
import { sessionTypes } from '../domain/session/session.js';
import { sessionStatuses } from '../domain/session/statuses.js';
import { indexNewer } from './schema-version.js';

export const SESSIONS = 'sessions';

const event = new Schema(
  { seq: Number, at: Date, url: String, body: String },
  { _id: false, versionKey: false, strict: 'throw' },
);

export const sessionSchema = new Schema(
  {
    _id: { type: String, required: true },
    schemaVersion: Number,
    clientId: { type: String, required: true },
    keyId: { type: String, required: true },
    merchants: { type: Schema.Types.Mixed, required: true },
    merchantId: { type: Number, required: true },
    traceId: { type: String, required: true },
    type: { type: String, required: true, enum: sessionTypes },
    referenceId: { type: String, required: true },
    requestDigest: { type: String, required: true },
    status: { type: String, required: true, enum: sessionStatuses },
    version: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    customerId: String,
    token: String,
    paymentLink: Schema.Types.Mixed,
    paymentRequest: Schema.Types.Mixed,
    browserDetails: Schema.Types.Mixed,
    settings: { type: Schema.Types.Mixed, required: true },
    instrumentToken: String,
    tries: { type: Number, required: true },
    triedAt: Date,
    checkAt: Date,
    failedAt: Date,
    instrument: String,
    events: { type: [event], required: true },
    eventSeq: { type: Number, required: true },
    announceAt: Date,
    removeAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: SESSIONS, autoIndex: false, autoCreate: false },
);

indexNewer(sessionSchema);
// Of several sessions with one reference, one wins.
sessionSchema.index({ clientId: 1, referenceId: 1 }, { unique: true });
// The sweeps.
sessionSchema.index({ checkAt: 1 }, { partialFilterExpression: { checkAt: { $exists: true } } });
sessionSchema.index({ announceAt: 1 }, { partialFilterExpression: { announceAt: { $exists: true } } });
// Sessions of a key, newest first; then those of one merchant.
sessionSchema.index({ clientId: 1, keyId: 1, createdAt: -1, _id: -1 });
sessionSchema.index({ clientId: 1, keyId: 1, merchantId: 1, createdAt: -1, _id: -1 });
sessionSchema.index({ removeAt: 1 }, { name: 'retention', expireAfterSeconds: 0 });
