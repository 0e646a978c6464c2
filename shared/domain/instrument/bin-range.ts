/** A row of the BIN table: what is known about cards whose first digits are in a range (ISO/IEC 7812-1 issuer identification numbers). */
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

/** Returns the first eleven digits of a card number. A look-up never sees more of it. */
export const binNumber = (cardNumber: string): number =>
  Number(cardNumber.slice(0, BIN_DIGITS).padEnd(BIN_DIGITS, '0'));

/** Returns the first number of the range of six to eleven digits (`411111` → 41111100000). */
export const rangeStart = (digits: string): number => Number(digits.padEnd(BIN_DIGITS, '0'));
/** Returns the last number of the range of six to eleven digits (`411111` → 41111199999). */
export const rangeEnd = (digits: string): number => Number(digits.padEnd(BIN_DIGITS, '9'));

/**
 * Returns the ranges that share the first digits of the BIN, each by one digit fewer. For 12345: 12345 to 12345, 12340 to 12349,
 * 12300 to 12399, …
 */
export function wholeRangesOf(bin: number): readonly Pick<BinRange, 'from' | 'to'>[] {
  return Array.from({ length: String(bin).length }, (_, left) => {
    const width = 10 ** left;
    const from = Math.floor(bin / width) * width;
    return { from, to: from + width - 1 };
  });
}

/** Returns the narrowest of the rows that contain the BIN; undefined when none does. */
export function chooseRange(bin: number, candidates: readonly BinRange[]): BinRange | undefined {
  return candidates
    .filter(({ from, to }) => from <= bin && bin <= to)
    .sort((a, b) => a.to - a.from - (b.to - b.from))[0];
}
