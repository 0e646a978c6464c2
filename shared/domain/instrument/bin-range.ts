/** A row of the BIN table: what is known of cards that begin in a range (ISO/IEC 7812-1 issuer identification numbers). */
import type { CardType, Issuer } from './payment-instrument.js';

export interface BinRange {
  /** First eleven digits, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Code of a brand of the catalog. */
  readonly brand?: string;
  readonly cardType?: CardType;
  readonly issuer?: Issuer;
}

const BIN_DIGITS = 11;

/** The first eleven digits of a card number, which is all that a look-up ever sees of it. */
export const binNumber = (cardNumber: string): number =>
  Number(cardNumber.slice(0, BIN_DIGITS).padEnd(BIN_DIGITS, '0'));

/** Six to eleven digits as the first number of their range (`411111` → 41111100000) … */
export const rangeStart = (digits: string): number => Number(digits.padEnd(BIN_DIGITS, '0'));
/** … and as the last (`411111` → 41111199999). */
export const rangeEnd = (digits: string): number => Number(digits.padEnd(BIN_DIGITS, '9'));

/** The ranges of all numbers that begin as the BIN does, by one digit less each: of 12345, 12345 to 12345, 12340 to 12349, 12300 to 12399, … */
export function wholeRangesOf(bin: number): readonly Pick<BinRange, 'from' | 'to'>[] {
  return Array.from({ length: String(bin).length }, (_, left) => {
    const width = 10 ** left;
    const from = Math.floor(bin / width) * width;
    return { from, to: from + width - 1 };
  });
}

/** Of the rows that begin at or before a BIN, latest first: the narrowest that holds it. */
export function chooseRange(bin: number, candidates: readonly BinRange[]): BinRange | undefined {
  return candidates
    .filter(({ from, to }) => from <= bin && bin <= to)
    .sort((a, b) => a.to - a.from - (b.to - b.from))[0];
}
