/**
 * Masks a message for people and logs. It lists the fields that are shown, not those that are hidden: of a field that an acquirer
 * fills in its own way only the length is shown. The card number keeps its first six and last four digits.
 */
import type { IsoMessage } from './message.js';

/** Amounts, dates, numbers, codes and names of places: by the standard, none of these fields can contain card data. */
const shown: ReadonlySet<number> = new Set([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 37,
  38, 39, 41, 42, 43, 49, 50, 51, 66, 67, 68, 69, 70, 71, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87,
  88, 89, 90, 97, 99, 100,
]);
const PAN = 2;
/** This field has the original's numbers in 1993, but may have any content in 1987. */
const ORIGINAL_1993 = 56;
const PAN_DIGITS_MIN = 13;
const FIRST = 6;
const LAST = 4;

const maskNumber = (pan: string): string =>
  pan.length < PAN_DIGITS_MIN
    ? hidden(pan)
    : pan.slice(0, FIRST) + '*'.repeat(pan.length - FIRST - LAST) + pan.slice(-LAST);

const hidden = (value: string): string => `(${value.length} characters)`;

/** Whether a value looks like a card number: some acquirers put card numbers in fields of another purpose. */
const looksLikeCard = (value: string): boolean => /\d(?:[ -]?\d){12,}/.test(value);

/** Numbers of the fields that normally contain a long number. */
const longNumbers: ReadonlySet<number> = new Set([30, 42, 56, 86, 87, 88, 89, 90]);

function maskField(number: number, value: string, mti: string): string {
  if (number === PAN) return maskNumber(value);
  const is1993 = mti.startsWith('1');
  const isShown = shown.has(number) || (number === ORIGINAL_1993 && is1993);
  if (!isShown || (looksLikeCard(value) && !longNumbers.has(number))) return hidden(value);
  return value;
}

/** The message with every value masked: safe to print and to log. */
export const maskMessage = ({ mti, fields }: IsoMessage): IsoMessage => ({
  mti,
  fields: Object.fromEntries(
    Object.entries(fields).map(([number, value]) => [number, maskField(Number(number), value, mti)]),
  ),
});
