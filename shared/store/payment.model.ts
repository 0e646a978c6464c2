/**
 * The Mongoose schema of a payment. Hot paths write natively; this schema owns indexes and is what a test compares stored
 * documents with. Amounts are integers in minor units.
 */
import { Schema } from 'mongoose';
import { paymentStatuses, transactionStatuses } from '../domain/payment/statuses.js';
import { queueOf } from '../domain/payment/work.js';
import { authenticationStatuses } from '../domain/threeds/authentication.js';
import { authenticationReasons } from '../domain/threeds/decide-authentication.js';

const plain = { _id: false, versionKey: false, strict: 'throw' } as const;
const pair = new Schema({ k: { type: String, required: true }, v: { type: String, required: true } }, plain);
const minor = {
  type: Number,
  required: true,
  min: 0,
  validate: { validator: Number.isSafeInteger, message: 'must be an integer' },
} as const;

const envelope = new Schema(
  { v: Number, alg: String, kid: String, iv: Schema.Types.Buffer, ct: Schema.Types.Buffer },
  plain,
);

const transaction = new Schema(
  {
    id: { type: String, required: true },
    kind: {
      type: String,
      required: true,
      enum: ['purchase', 'authorization', 'capture', 'cancellation', 'refund', 'reversal'],
    },
    referenceId: { type: String, required: true },
    amountMinor: minor,
    status: { type: String, required: true, enum: transactionStatuses },
    createdAt: { type: Date, required: true },
    processedAt: Date,
    resultCode: String,
    resultMessage: String,
    declineCode: String,
    authorization: String,
    ticket: String,
    reason: String,
    description: String,
    metadata: { type: [pair], default: undefined },
    actorKeyId: String,
    requestDigest: String,
    errorCode: String,
    flagged: String,
  },
  plain,
);

const work = new Schema(
  {
    queue: { type: String, required: true, enum: [...new Set(Object.values(queueOf))] },
    kind: {
      type: String,
      required: true,
      enum: Object.keys(queueOf),
    },
    txId: { type: String, required: true },
    dueAt: { type: Date, required: true },
    gen: { type: Number, required: true },
    leaseToken: String,
    leaseUntil: { type: Date, required: true },
    tries: { type: Number, required: true },
    attempt: new Schema({ token: String, startedAt: Date, atInsert: Boolean }, plain),
  },
  plain,
);

const authentication = new Schema(
  {
    required: { type: Boolean, required: true },
    reason: { type: String, required: true, enum: authenticationReasons },
    provider: String,
    sessionId: String,
    status: { type: String, enum: authenticationStatuses },
    version: String,
    flow: { type: String, enum: ['frictionless', 'challenge'] },
    transStatus: { type: String, enum: ['Y', 'A', 'C', 'N', 'R', 'U'] },
    eci: String,
    dsTransactionId: String,
    liabilityShift: Boolean,
    error: String,
    method: new Schema({ url: String, endsAt: Date, completion: { type: String, enum: ['Y', 'N'] } }, plain),
    challenge: new Schema({ acsUrl: String, acsTransactionId: String, pageUrl: String }, plain),
    createdAt: Date,
    updatedAt: Date,
    completedAt: Date,
  },
  plain,
);

const event = new Schema(
  {
    seq: Number,
    status: { type: String, enum: paymentStatuses },
    at: Date,
    notBefore: Date,
    body: String,
    passed: Boolean,
  },
  plain,
);

export const paymentSchema = new Schema(
  {
    _id: { type: String, required: true },
    clientId: { type: String, required: true },
    merchantId: { type: Number, required: true },
    traceId: { type: String, required: true },
    purpose: { type: String, required: true, enum: ['payment', 'verification'] },
    refKeys: { type: [String], required: true },
    requestDigest: { type: String, required: true },
    status: { type: String, required: true, enum: paymentStatuses },
    version: { type: Number, required: true },
    writes: { type: [String], required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    processedAt: Date,
    expiresAt: Date,
    referenceId: { type: String, required: true },
    invoiceNumber: { type: String, required: true },
    flow: { type: String, required: true },
    processingMethod: { type: String, required: true },
    sessionId: String,
    attempt: Number,
    paymentLink: new Schema({ id: String, externalId: String }, plain),
    split: {
      type: [new Schema({ merchantId: Number, subMerchantReference: String, amountMinor: Number }, plain)],
      default: undefined,
    },
    amount: { type: Schema.Types.Mixed, required: true },
    captureMethod: { type: String, required: true, enum: ['automatic', 'manual'] },
    captureDelaySeconds: Number,
    paymentMethod: { type: Schema.Types.Mixed, required: true },
    processorFields: { type: [pair], default: undefined },
    processor: { type: String, required: true },
    acquirer: { type: String, required: true },
    merchantIdentificationNumber: String,
    terminalNumber: String,
    items: { type: [Schema.Types.Mixed], default: undefined },
    installments: Number,
    browserDetails: Schema.Types.Mixed,
    statementDescriptor: String,
    customerId: String,
    redirectUrl: String,
    callbackUrl: String,
    recurring: Schema.Types.Mixed,
    metadata: { type: [pair], default: undefined },
    authorizedMinor: minor,
    capturedMinor: minor,
    refundedMinor: minor,
    heldMinor: minor,
    transactions: { type: [transaction], required: true },
    activeOp: new Schema({ txId: String, kind: String, endsAs: String }, plain),
    work,
    refundChecks: { type: [new Schema({ txId: String, tries: Number, at: Date }, plain)], default: undefined },
    refundCheckAt: Date,
    code: new Schema({ value: String, url: String, base64Image: String }, plain),
    transferChecks: { type: [Date], default: undefined },
    transferCheckAt: Date,
    deadline: new Schema({ kind: { type: String, enum: ['expire', 'capture', 'challenge'] }, at: Date }, plain),
    authorizeBy: { type: Date, required: true },
    awaitedUntil: { type: Date, required: true },
    events: { type: [event], required: true },
    eventSeq: { type: Number, required: true },
    fannedOutSeq: { type: Number, required: true },
    announceAt: Date,
    answered: { type: [Number], default: undefined },
    card: envelope,
    instrument: String,
    tokenization: new Schema({ token: String, type: { type: String }, expiresAt: Date }, plain),
    tokenizeAt: Date,
    cardDestroyAt: Date,
    payerSecret: Boolean,
    cvc: envelope,
    cvcDestroyAt: Date,
    threeDsFacts: Schema.Types.Mixed,
    threeDs: authentication,
    threeDsSettings: Schema.Types.Mixed,
    authenticationValue: envelope,
    alerts: { type: [new Schema({ at: Date, text: String }, plain)], default: undefined },
  },
  { versionKey: false, strict: 'throw', collection: 'payments', autoIndex: false, autoCreate: false },
);

// The duplicate check of every reference: a race has one winner.
paymentSchema.index({ clientId: 1, refKeys: 1 }, { unique: true });
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
// The code of a bank transfer, by what stands in it.
paymentSchema.index({ clientId: 1, 'code.value': 1 }, { partialFilterExpression: { 'code.value': { $exists: true } } });
// Charges of a saved card, oldest first: the one that its payer agreed to is among them.
paymentSchema.index(
  { clientId: 1, instrument: 1, createdAt: 1 },
  { partialFilterExpression: { instrument: { $exists: true } } },
);
// Payments of a link, newest first.
paymentSchema.index(
  { 'paymentLink.id': 1, createdAt: -1, _id: -1 },
  { partialFilterExpression: { 'paymentLink.id': { $exists: true } } },
);
// 3DS sessions: a payment has at most one, and it is part of the payment. Payments without one are not in these.
paymentSchema.index(
  { 'threeDs.sessionId': 1 },
  { unique: true, partialFilterExpression: { 'threeDs.sessionId': { $exists: true } } },
);
paymentSchema.index(
  { clientId: 1, 'threeDs.createdAt': -1, _id: -1 },
  { partialFilterExpression: { 'threeDs.sessionId': { $exists: true } } },
);
