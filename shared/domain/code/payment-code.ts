/** The code that a payer's bank reads (docs/api.md#bank-transfers). */
export interface PaymentCode {
  /** EMV merchant-presented payload: the content of the picture. */
  readonly value: string;
  /** Address at the bank for the same code. */
  readonly url: string;
  /** PNG, base64. Kept only while it may be shown. */
  readonly base64Image?: string;
}
