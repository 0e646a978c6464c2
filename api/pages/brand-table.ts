/** The brands for which the pages have a logo, and the table from which the script of the card form recognizes them. */
import { knownRanges, type NumberRange, printedAs } from '../../shared/domain/card/brand.js';
import type { CardBrand } from '../../shared/domain/payment-method-catalog.js';

/** In the order of the card form; each has a file `brand-*.svg`. */
export const markedBrands = [
  'visa',
  'mastercard',
  'amex',
  'oca',
  'discover',
  'diners',
] as const satisfies readonly CardBrand[];

/** The longest number of any brand (ISO/IEC 7812), in groups of four: how a number of an unknown brand is shown. */
const PLAIN = { digits: 19, gaps: [4, 8, 12, 16] };

const isMarked = (brand: CardBrand | undefined): boolean => (markedBrands as readonly unknown[]).includes(brand);

/** Writes a range: `4`, `51..55`; both ends have the same length. Written this way, no scanner takes two ranges for a card number. */
const written = ({ from, to }: NumberRange): string => (from === to ? from : `${from}..${to}`);

/** Whether a range takes numbers away from another range, because it specifies more digits. */
const cutsInto = ({ from, to }: NumberRange, other: NumberRange): boolean =>
  from.length > other.from.length &&
  from.slice(0, other.from.length) <= other.to &&
  to.slice(0, other.from.length) >= other.from;

function row(name: string, { digits, gaps }: ReturnType<typeof printedAs>, ranges: readonly NumberRange[]): string {
  return [name, digits, gaps.join(), ranges.map(written).join()].join(' ');
}

/**
 * Builds the table that `card-form.js` contains: one line per brand with its longest number, where its digits are grouped, and its
 * ranges. The last line has the brands without a logo whose ranges overlap those of a brand with a logo.
 */
export function brandTable(): string {
  const all = knownRanges();
  const marked = all.filter(({ brand }) => isMarked(brand));
  const others = all.filter((range) => !isMarked(range.brand) && marked.some((other) => cutsInto(range, other)));
  const rows = markedBrands.map((code) =>
    row(
      code,
      printedAs(code),
      marked.filter(({ brand }) => brand === code),
    ),
  );
  return [...rows, row('-', PLAIN, others)].join('\n');
}
