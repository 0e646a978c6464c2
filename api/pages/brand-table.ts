/** The brands that the pages have a mark of, and the table by which the script of the card form knows them. */
import { knownRanges, type NumberRange, printedAs } from '../../shared/domain/card/brand.js';
import type { CardBrand } from '../../shared/domain/payment-method-catalog.js';

/** In the order of the card form; each has a `brand-*.svg`. */
export const markedBrands = [
  'visa',
  'mastercard',
  'amex',
  'oca',
  'discover',
  'diners',
] as const satisfies readonly CardBrand[];

/** The longest number of any brand (ISO/IEC 7812), parted by fours: how a number without a brand is shown. */
const PLAIN = { digits: 19, gaps: [4, 8, 12, 16] };

const isMarked = (brand: CardBrand | undefined): boolean => (markedBrands as readonly unknown[]).includes(brand);

/** `4`, `51..55`: both ends have the same length. No form of a card number, which a scanner would take two ranges for. */
const written = ({ from, to }: NumberRange): string => (from === to ? from : `${from}..${to}`);

/** True where a range takes numbers away from another one, because it says more digits of them. */
const cutsInto = ({ from, to }: NumberRange, other: NumberRange): boolean =>
  from.length > other.from.length &&
  from.slice(0, other.from.length) <= other.to &&
  to.slice(0, other.from.length) >= other.from;

function row(name: string, { digits, gaps }: ReturnType<typeof printedAs>, ranges: readonly NumberRange[]): string {
  return [name, digits, gaps.join(), ranges.map(written).join()].join(' ');
}

/**
 * The table, as it is in `card-form.js`: a brand a line, with its longest number, where the digits are parted, and its
 * ranges. The last line has the brands without a mark, as far as they cut into the ranges of one with a mark.
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
