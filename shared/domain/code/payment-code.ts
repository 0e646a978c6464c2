import { optional, record, type Stored, text } from '../described.js';

/** The code that a payer's bank reads (docs/api.md#bank-transfers). */
export const paymentCode = record({
  /** EMV merchant-presented payload: the content of the picture. */
  value: text,
  /** Address at the bank for the same code. */
  url: text,
  /** PNG, base64. Kept only while it may be shown. */
  base64Image: optional(text),
});
export interface PaymentCode extends Stored<typeof paymentCode> {}
