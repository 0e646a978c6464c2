import { Schema } from 'mongoose';
import type { PaymentInstrument } from '../domain/instrument/payment-instrument.js';

export const PAYMENT_INSTRUMENTS = 'payment_instruments';

const plain = { _id: false, versionKey: false, strict: 'throw' } as const;

export const paymentInstrumentSchema = new Schema<PaymentInstrument>(
  {
    _id: { type: String, required: true },
    clientId: { type: String, required: true },
    merchantId: { type: Number, required: true },
    customerId: String,
    tokenizationType: { type: String, required: true, enum: ['persistent', 'temporal'] },
    paymentMethodId: { type: String, required: true },
    source: { type: String, enum: ['wallet-a-pay-token', 'wallet-b-pay-token'] },
    panOnly: Boolean,
    withCryptogram: Boolean,
    bin: { type: String, required: true },
    last4: { type: String, required: true },
    expMonth: { type: Number, required: true },
    expYear: { type: Number, required: true },
    cardholderName: String,
    cardType: { type: String, enum: ['credit', 'debit', 'prepaid'] },
    cardOrigin: { type: String, enum: ['uruguay', 'international'] },
    issuer: new Schema({ id: String, name: String, shortName: String, country: String, countryCode: String }, plain),
    cardFingerprint: String,
    card: new Schema({ v: Number, alg: String, kid: String, iv: Schema.Types.Buffer, ct: Schema.Types.Buffer }, plain),
    networkTransactionId: String,
    networkLinkId: String,
    paymentId: String,
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    cardDestroyAt: Date,
  },
  { versionKey: false, strict: 'throw', collection: PAYMENT_INSTRUMENTS, autoIndex: false, autoCreate: false },
);

paymentInstrumentSchema.index({ clientId: 1, customerId: 1, createdAt: -1 });
// The sweep that destroys the cards of expired tokens.
paymentInstrumentSchema.index({ cardDestroyAt: 1 }, { partialFilterExpression: { cardDestroyAt: { $exists: true } } });
// The same sweep, for cards that ran out themselves.
paymentInstrumentSchema.index(
  { expYear: 1, expMonth: 1 },
  { name: 'card_expiry', partialFilterExpression: { card: { $exists: true } } },
);
