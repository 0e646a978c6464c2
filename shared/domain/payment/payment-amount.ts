/** What a payment is for: its amount with its parts, its items, and the integrator's metadata. */
import { count, list, oneOf, optional, record, type Stored, text, whole } from '../described.js';

/** Stored as a list, so that a key can never become a path of a query. */
export const metadata = list(record({ k: text, v: text }));
export type Metadata = Stored<typeof metadata>;

const taxDetail = record({
  type: oneOf('17934', '19210', 'none'),
  amountMinor: optional(count),
  rate: optional(text),
});
export interface TaxDetail extends Stored<typeof taxDetail> {}

const namedAmount = record({ amountMinor: count, description: optional(text) });
export interface NamedAmount extends Stored<typeof namedAmount> {}

const amountDetails = record({
  tax: optional(taxDetail),
  taxedAmountMinor: optional(count),
  tip: optional(namedAmount),
  discount: optional(namedAmount),
  shipping: optional(namedAmount),
  /** Charged for the payment method; separate from the price. */
  surcharge: optional(namedAmount),
});
export interface AmountDetails extends Stored<typeof amountDetails> {}

export const paymentAmount = record({
  totalMinor: count,
  currency: text,
  tipMinor: optional(count),
  taxMinor: optional(count),
  taxedAmountMinor: optional(count),
  details: optional(amountDetails),
});
export interface PaymentAmount extends Stored<typeof paymentAmount> {}

export const paymentItem = record({
  referenceId: optional(text),
  name: text,
  description: optional(text),
  quantity: whole,
  /** Decimal text as sent: items are for display only, and the tax may have its own currency. */
  price: text,
  discount: optional(text),
  tax: optional(record({ amount: text, currency: text })),
  metadata: optional(metadata),
});
export interface PaymentItem extends Stored<typeof paymentItem> {}
