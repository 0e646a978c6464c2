import { Schema } from 'mongoose';
import type { MerchantPaymentMethod } from '../domain/merchant.js';
import type { ThreeDsSettings } from '../domain/threeds/settings.js';

/** A payment method of a merchant as it is stored; `code` is the catalog's id. */
export type PaymentMethodRow = {
  /** `<merchantId>:<code>` */
  readonly _id: string;
  readonly code: MerchantPaymentMethod['id'];
} & Omit<MerchantPaymentMethod, 'id'>;

export const PAYMENT_METHODS = 'paymentMethods';

const nested = { strict: 'throw', _id: false, id: false, minimize: false } as const;

const conditionsSchema = new Schema(
  {
    currencies: { type: [String], default: undefined },
    brands: { type: [String], default: undefined },
    amount: { type: new Schema({ from: String, to: String }, nested) },
    origins: { type: [String], default: undefined },
  },
  nested,
);

const routeSchema = new Schema(
  {
    paymentProcessor: { type: new Schema({ id: String, acquirer: String }, nested), required: true },
    merchantIdentificationNumber: String,
    terminalNumber: String,
    conditions: { type: conditionsSchema },
    share: Number,
  },
  nested,
);

const settingsSchema = new Schema<MerchantPaymentMethod['settings']>(
  {
    merchantIdentificationNumber: String,
    terminalNumber: String,
    paymentProcessor: {
      type: new Schema({ id: String, acquirer: String }, { strict: 'throw', _id: false, id: false }),
    },
    rut: String,
    merchantCategoryCode: String,
    paymentFacilitator: {
      type: new Schema({ id: String, merchantId: String }, { strict: 'throw', _id: false, id: false }),
    },
    routes: { type: [routeSchema], default: undefined },
    retrySoftDeclines: Boolean,
  },
  { strict: 'throw', _id: false, id: false },
);

const amounts = { type: Map, of: Number, required: true } as const;
const strict = { strict: 'throw', _id: false, id: false } as const;
const thresholdsSchema = new Schema({ checkout: amounts, api: amounts }, strict);

const threeDsSchema = new Schema<ThreeDsSettings>(
  {
    provider: { type: String, required: true },
    metadata: { type: [new Schema({ k: String, v: Schema.Types.Mixed }, strict)], required: true },
    enabled: { type: Boolean, required: true },
    rules: {
      type: new Schema(
        {
          enabled: { type: Boolean, required: true },
          tier: { type: String, required: true, enum: ['basic'] },
          thresholds: { type: thresholdsSchema, required: true },
        },
        strict,
      ),
      required: true,
    },
  },
  strict,
);

export const paymentMethodSchema = new Schema<PaymentMethodRow>(
  {
    _id: { type: String, required: true },
    merchantId: { type: Number, required: true },
    code: { type: String, required: true },
    mode: { type: String, required: true, enum: ['gateway', 'payment-facilitator'] },
    enabled: { type: Boolean, required: true },
    settings: { type: settingsSchema, required: true },
    threeDs: threeDsSchema,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { strict: 'throw', versionKey: false, id: false, minimize: false, collection: PAYMENT_METHODS },
);
paymentMethodSchema.index({ merchantId: 1 });
