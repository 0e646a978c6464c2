/** The collection of payments: what its documents look like, and its indexes. Writes go through the driver. */
import { Schema } from 'mongoose';
import { type Described, list, record, type Stored, text } from '../domain/described.js';
import { storedPayment } from '../domain/payment/payment.js';
import { paymentStatuses } from '../domain/payment/statuses.js';
import { indexNewer } from './schema-version.js';

/**
 * A reference of payments that a session reserves for its attempts. It is in this collection, because the unique index here decides
 * races.
 */
const reservation = record({ _id: text, clientId: text, refKeys: list(text) });
export interface Reservation extends Stored<typeof reservation> {}

export const paymentShapes: readonly Described<unknown>[] = [storedPayment, reservation];

export const paymentSchema = new Schema(
  {},
  { versionKey: false, collection: 'payments', autoIndex: false, autoCreate: false },
);

// The duplicate check of every reference: one of several writers wins.
paymentSchema.index({ clientId: 1, refKeys: 1 }, { unique: true });
indexNewer(paymentSchema);
// The sweeps. Partial indexes on the due date itself: a filter by type of the parent would not be used by their queries.
paymentSchema.index(
  { 'work.queue': 1, 'work.dueAt': 1 },
  { partialFilterExpression: { 'work.dueAt': { $exists: true } } },
);
paymentSchema.index({ 'deadline.at': 1 }, { partialFilterExpression: { 'deadline.at': { $exists: true } } });
paymentSchema.index({ refundCheckAt: 1 }, { partialFilterExpression: { refundCheckAt: { $exists: true } } });
paymentSchema.index({ transferCheckAt: 1 }, { partialFilterExpression: { transferCheckAt: { $exists: true } } });
paymentSchema.index({ announceAt: 1 }, { partialFilterExpression: { announceAt: { $exists: true } } });
paymentSchema.index({ tokenizeAt: 1 }, { partialFilterExpression: { tokenizeAt: { $exists: true } } });
paymentSchema.index({ cvcDestroyAt: 1 }, { partialFilterExpression: { cvcDestroyAt: { $exists: true } } });
paymentSchema.index({ cardDestroyAt: 1 }, { partialFilterExpression: { cardDestroyAt: { $exists: true } } });
// Payments that need a person, for an operator (docs/operations.md). Few have an alert.
paymentSchema.index({ 'alerts.at': 1 }, { partialFilterExpression: { 'alerts.at': { $exists: true } } });
// Reading and querying, newest first.
paymentSchema.index({ clientId: 1, createdAt: -1, _id: -1 });
paymentSchema.index({ clientId: 1, merchantId: 1, createdAt: -1, _id: -1 });
// Statuses that are sought after and rare: the way of a purchase, created and approved, never touches this index.
paymentSchema.index(
  { clientId: 1, status: 1, createdAt: -1, _id: -1 },
  {
    partialFilterExpression: {
      status: { $in: paymentStatuses.filter((status) => status !== 'created' && status !== 'approved') },
    },
  },
);
paymentSchema.index(
  { clientId: 1, 'metadata.k': 1, 'metadata.v': 1, createdAt: -1, _id: -1 },
  { partialFilterExpression: { 'metadata.k': { $exists: true } } },
);
// The code of a bank transfer, by its content.
paymentSchema.index({ clientId: 1, 'code.value': 1 }, { partialFilterExpression: { 'code.value': { $exists: true } } });
// Charges of a saved card, oldest first: the payment that the payer agreed to is among them.
paymentSchema.index(
  { clientId: 1, instrument: 1, createdAt: 1 },
  { partialFilterExpression: { instrument: { $exists: true } } },
);
// Payments of a link, newest first.
paymentSchema.index(
  { 'paymentLink.id': 1, createdAt: -1, _id: -1 },
  { partialFilterExpression: { 'paymentLink.id': { $exists: true } } },
);
// Payments that a processor's update is about: by our key, and by the processor's reference of the operation.
paymentSchema.index({ 'transactions.id': 1 }, { partialFilterExpression: { takesUpdates: true } });
paymentSchema.index({ 'transactions.processorReference': 1 }, { partialFilterExpression: { takesUpdates: true } });
// 3DS sessions: a payment has at most one, as part of the payment. Payments without one are not in these indexes.
paymentSchema.index(
  { 'threeDs.sessionId': 1 },
  { unique: true, partialFilterExpression: { 'threeDs.sessionId': { $exists: true } } },
);
paymentSchema.index(
  { clientId: 1, 'threeDs.createdAt': -1, _id: -1 },
  { partialFilterExpression: { 'threeDs.sessionId': { $exists: true } } },
);
