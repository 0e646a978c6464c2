import { Schema } from 'mongoose';
import { linkStatuses, linkTypes } from '../domain/payment-link/payment-link.js';
import { indexNewer } from './schema-version.js';

export const PAYMENT_LINKS = 'payment_links';
export const LINK_SETTINGS = 'payment_link_settings';

export const paymentLinkSchema = new Schema(
  {
    _id: { type: String, required: true },
    schemaVersion: Number,
    externalId: { type: String, required: true },
    clientId: { type: String, required: true },
    keyId: { type: String, required: true },
    merchants: { type: Schema.Types.Mixed, required: true },
    merchantId: { type: Number, required: true },
    traceId: { type: String, required: true },
    type: { type: String, required: true, enum: linkTypes },
    status: { type: String, required: true, enum: linkStatuses },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    amount: Schema.Types.Mixed,
    currencies: { type: [String], required: true },
    settings: { type: Schema.Types.Mixed, required: true },
    validFrom: Date,
    validUntil: Date,
    displayName: String,
    description: String,
    items: { type: [Schema.Types.Mixed], default: undefined },
    splitDestinations: { type: [Schema.Types.Mixed], required: true },
    entries: { type: Number, required: true },
    claim: { type: Number, required: true },
    picture: { type: Schema.Types.Mixed, default: undefined },
    checkAt: Date,
  },
  { versionKey: false, strict: 'throw', collection: PAYMENT_LINKS, autoIndex: false, autoCreate: false },
);
indexNewer(paymentLinkSchema);
// The id that payers know.
paymentLinkSchema.index({ externalId: 1 }, { unique: true });
// Lists, newest first.
paymentLinkSchema.index({ clientId: 1, createdAt: -1, _id: -1 });
paymentLinkSchema.index({ clientId: 1, merchantId: 1, createdAt: -1, _id: -1 });
// The same by type and status, and the link of a counter. A list without one of the two merges all of its values. The expiry of a link is
// read from the index too.
paymentLinkSchema.index(
  { clientId: 1, type: 1, status: 1, createdAt: -1, _id: -1, validUntil: 1 },
  { name: 'of_client_by_status' },
);
paymentLinkSchema.index(
  { clientId: 1, merchantId: 1, type: 1, status: 1, createdAt: -1, _id: -1, validUntil: 1 },
  { name: 'of_merchant_by_status' },
);
// The sweep.
paymentLinkSchema.index({ checkAt: 1 }, { partialFilterExpression: { checkAt: { $exists: true } } });
// The sweep of the qr pool.
paymentLinkSchema.index({ 'picture.drawAt': 1 }, { partialFilterExpression: { 'picture.drawAt': { $exists: true } } });

/** `_id` is the merchant. */
export const linkSettingsSchema = new Schema(
  {
    _id: { type: Number, required: true },
    clientId: { type: String, required: true },
    defaultExpirationMinutes: Number,
    defaultCurrency: String,
    notificationUrl: String,
    businessUrlName: String,
    quickPayEnabled: { type: Boolean, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: LINK_SETTINGS, autoIndex: false, autoCreate: false },
);
// Each name belongs to one merchant.
linkSettingsSchema.index(
  { businessUrlName: 1 },
  { unique: true, partialFilterExpression: { businessUrlName: { $exists: true } } },
);
