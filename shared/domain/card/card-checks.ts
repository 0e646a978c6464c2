/** Checks and masked views of card fields (docs/decisions.md, "Errors"). Pure: the caller gives today's date. */
import type { CardBrand } from '../payment-method-catalog.js';
import { cvcLength, detectBrand, numberLengths } from './brand.js';

const DIGIT_ZERO = 48;

/** Whether the check digit of ISO/IEC 7812-1 is right. False for text that is not only digits. */
export function luhnValid(number: string): boolean {
  if (!/^\d+$/.test(number)) return false;
  let sum = 0;
  for (let place = 0; place < number.length; place++) {
    const digit = number.charCodeAt(number.length - 1 - place) - DIGIT_ZERO;
    const weighed = place % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}

export type CardNumberCheck =
  | { readonly valid: true; readonly brand: CardBrand | undefined }
  | { readonly valid: false; readonly reason: 'digits' | 'length' | 'check-digit' };

const LENGTH_MIN = 12;
const LENGTH_MAX = 19;

/**
 * Checks a card number: digits only, a length that its brand has, the check digit. A number of an unknown brand may still
 * be valid: a brand that the merchant does not accept is another error (`invalid-card-payment-method`).
 */
export function validateCardNumber(number: string): CardNumberCheck {
  if (!/^\d+$/.test(number)) return { valid: false, reason: 'digits' };
  const brand = detectBrand(number);
  const rightLength = brand
    ? numberLengths(brand).includes(number.length)
    : number.length >= LENGTH_MIN && number.length <= LENGTH_MAX;
  if (!rightLength) return { valid: false, reason: 'length' };
  return luhnValid(number) ? { valid: true, brand } : { valid: false, reason: 'check-digit' };
}

/** Whether the cvc has the digits of the brand: four for American Express, three for the others, either for an unknown brand. */
export function validateCvc(cvc: string, brand: CardBrand | undefined): boolean {
  if (!/^\d{3,4}$/.test(cvc)) return false;
  return brand === undefined || cvc.length === cvcLength(brand);
}

/** Cards are not issued for more years than this; a later date is a typing error. */
export const EXPIRY_YEARS_MAX = 20;
const MONTHS = 12;

/**
 * Returns what is wrong with an expiry at `now`; undefined when the card is still valid. A card is valid until the end of its month,
 * in UTC. `expYear` has four digits.
 */
export function expiryProblem(
  expMonth: number,
  expYear: number,
  now: Date,
): 'no-month' | 'past' | 'too-far' | undefined {
  if (!Number.isInteger(expMonth) || expMonth < 1 || expMonth > MONTHS || !Number.isInteger(expYear)) return 'no-month';
  const monthsAhead = (expYear - now.getUTCFullYear()) * MONTHS + (expMonth - 1 - now.getUTCMonth());
  if (monthsAhead < 0) return 'past';
  return monthsAhead > EXPIRY_YEARS_MAX * MONTHS ? 'too-far' : undefined;
}

export function last4Of(number: string): string {
  return number.slice(-4);
}

/** Returns the first eight digits, or six of a number of fewer than 16 digits: with `last4`, never more than PCI DSS 3.4.1 allows. */
export function binOf(number: string): string {
  return number.slice(0, number.length >= 16 ? 8 : 6);
}
