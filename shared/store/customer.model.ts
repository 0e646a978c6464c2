import { Schema } from 'mongoose';
import type { Customer } from '../domain/customer.js';

export const CUSTOMERS = 'customers';

const plain = { _id: false, versionKey: false, strict: 'throw' } as const;
const document = new Schema({ type: { type: Number }, value: String }, plain);
const address = new Schema(
  {
    city: String,
    country: String,
    line1: { type: String, required: true },
    line2: String,
    postalCode: String,
    state: String,
  },
  plain,
);

export const customerSchema = new Schema<Customer>(
  {
    _id: { type: String, required: true },
    clientId: { type: String, required: true },
    referenceId: String,
    metadata: { type: [new Schema({ k: String, v: String }, plain)], default: undefined },
    description: String,
    email: String,
    emailKey: String,
    phone: String,
    firstName: String,
    lastName: String,
    document,
    identification: document,
    birthdate: Date,
    address,
    shipping: new Schema({ address, name: String, phone: String }, plain),
    status: { type: String, required: true, enum: ['active'] },
    requestDigest: { type: String, required: true },
    version: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: CUSTOMERS, autoIndex: false, autoCreate: false },
);

// Of several customers created with one reference, one wins; customers without a reference do not conflict.
customerSchema.index(
  { clientId: 1, referenceId: 1 },
  { unique: true, partialFilterExpression: { referenceId: { $exists: true } } },
);
// Lists, newest first.
customerSchema.index({ clientId: 1, createdAt: -1, _id: -1 });
customerSchema.index(
  { clientId: 1, emailKey: 1, createdAt: -1, _id: -1 },
  { partialFilterExpression: { emailKey: { $exists: true } } },
);
