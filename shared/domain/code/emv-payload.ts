/**
 * The text in a QR code that a payer's bank reads: EMV QR Code Specification for Payment Systems, Merchant-Presented Mode
 * (EMVCo QRCPS-MPM 1.1). A sequence of data objects: two digits id, two digits length, and the value. The last is a checksum. Pure.
 */
import { plainMerchantName, plainText } from '../plain-text.js';

/** What the payer's bank needs to know. */
export interface PresentedPayment {
  /** The merchant's account in the scheme, as the processor gave it. */
  readonly account: CodeAccount;
  /** ISO 18245, 4 digits. */
  readonly merchantCategoryCode: string;
  /** ISO 4217 numeric code, three digits. */
  readonly currency: string;
  /** Decimal text as the payer sees it: `12.50`. */
  readonly amount: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** The code names the merchant by number when the name cannot be written in Latin letters. */
  readonly merchant: { readonly id: number; readonly name: string };
  readonly merchantCity: string;
  readonly invoiceNumber: string;
}

export interface CodeAccount {
  /** Globally unique identifier of the transfer scheme: a reversed domain name. */
  readonly scheme: string;
  readonly account: string;
  /** Identifies this transfer among all others: at most 25 letters and digits. */
  readonly reference: string;
}

const LENGTH_MAX = 99;
const POLYNOMIAL = 0x1021;

/** Returns the CRC-16/CCITT-FALSE (ISO/IEC 13239): polynomial 1021, initial value FFFF, not reflected; four uppercase hex digits. */
export function checksum(text: string): string {
  let crc = 0xffff;
  for (const character of text) {
    crc ^= (character.codePointAt(0) ?? 0) << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function field(id: string, value: string): string {
  if (value.length === 0 || value.length > LENGTH_MAX)
    throw new Error(`data object ${id} has a length that it cannot have`);
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

/** Maximum length of data object 54, the amount (characters). */
const AMOUNT_LENGTH_MAX = 13;
/** Whether an amount, as decimal text, fits into a code. */
export const fitsCode = (amount: string): boolean => amount.length <= AMOUNT_LENGTH_MAX;

/** Builds the payload of a code for one payment (point of initiation 12: the code is used once). */
export function merchantPresentedPayload(payment: PresentedPayment): string {
  const { account } = payment;
  const accountFields = field('00', account.scheme) + field('01', account.account) + field('05', account.reference);
  const additional = field('01', plainText(payment.invoiceNumber, 25) || '***') + field('05', account.reference);
  const payload = [
    field('00', '01'),
    field('01', '12'),
    field('26', accountFields),
    field('52', payment.merchantCategoryCode),
    field('53', payment.currency),
    field('54', payment.amount),
    field('58', payment.country),
    field('59', plainMerchantName(payment.merchant, 25)),
    field('60', plainText(payment.merchantCity, 15) || 'NA'),
    field('62', additional),
    '6304',
  ].join('');
  return payload + checksum(payload);
}
