import { Schema } from 'mongoose';
import { type Delivery, type DeliveryAttempt, deliveryErrors, deliveryStates } from '../domain/callback/delivery.js';
import { indexNewer } from './schema-version.js';

/** Name of the collection. */
export const DELIVERIES = 'deliveries';

const attemptSchema = new Schema<DeliveryAttempt>(
  {
    at: { type: Date, required: true },
    ms: { type: Number, required: true },
    status: Number,
    error: { type: String, enum: deliveryErrors },
  },
  { _id: false, versionKey: false, strict: 'throw' },
);

export const deliverySchema = new Schema<Delivery>(
  {
    _id: { type: String, required: true },
    schemaVersion: Number,
    paymentId: { type: String, required: true },
    clientId: { type: String, required: true },
    seq: { type: Number, required: true },
    eventId: { type: String, required: true },
    url: { type: String, required: true },
    host: { type: String, required: true },
    body: { type: String, required: true },
    resourceVersion: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    state: { type: String, enum: deliveryStates, required: true },
    dueAt: { type: Date, required: true },
    tries: { type: Number, required: true },
    leaseToken: String,
    leaseUntil: { type: Date, required: true },
    attempts: { type: [attemptSchema], required: true },
    expireAt: Date,
  },
  { versionKey: false, strict: 'throw', collection: DELIVERIES, autoIndex: false, autoCreate: false },
);

indexNewer(deliverySchema);
const waiting = { partialFilterExpression: { state: 'waiting' } };
// The sweep: due deliveries first, without busy hosts and clients. Then: all waiting deliveries of a client for one host.
deliverySchema.index({ dueAt: 1, host: 1, clientId: 1 }, { name: 'due_of_clients', ...waiting });
deliverySchema.index({ host: 1, clientId: 1, dueAt: 1 }, { name: 'of_receiver', ...waiting });
deliverySchema.index({ paymentId: 1, seq: 1 }, { name: 'of_payment' });
// Unlike payments, ended deliveries may be removed by the database: nothing else is embedded in them.
deliverySchema.index({ expireAt: 1 }, { name: 'retention', expireAfterSeconds: 0 });
