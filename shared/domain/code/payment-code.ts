import { optional, record, type Stored, text } from '../described.js';

/** The code that a payer's bank reads (docs/api.md#bank-transfers). */
export const paymentCode = record({
  /** EMV merchant-presented payload, which the picture encodes. */
  value: text,
  /** The bank's page for the same code. */
  url: text,
  /** PNG, base64. Kept only while the code may be shown. */
  base64Image: optional(text),
});
export interface PaymentCode extends Stored<typeof paymentCode> {}
