/**
 * Finds the brand of a card number. The ranges come from card-validator; the two local brands are added to it. A number of a brand
 * that the library knows and our catalog does not (Elo, UnionPay, …) has no brand here, and never one of ours.
 */
import cardValidator from 'card-validator';
import type { CardBrand } from '../payment-method-catalog.js';

const { creditCardType } = cardValidator;

/** Ranges of six digits, so that they win over the ranges of one or two digits of Maestro: 56 to 59, and 6. */
const localBrands = [
  { niceType: 'OCA', type: 'oca', patterns: [542991, 589892], lengths: [16] },
  { niceType: 'Cabal', type: 'cabal', patterns: [589657, 603522, 627170, [604201, 604400]], lengths: [16] },
];
for (const brand of localBrands) {
  creditCardType.addCard({ ...brand, gaps: [4, 8, 12], code: { name: 'CVV', size: 3 } });
}

/** The library's name of each brand, by our code. */
const libraryNames = {
  visa: 'visa',
  mastercard: 'mastercard',
  amex: 'american-express',
  diners: 'diners-club',
  discover: 'discover',
  jcb: 'jcb',
  maestro: 'maestro',
  oca: 'oca',
  cabal: 'cabal',
} as const satisfies Record<CardBrand, string>;

const brandsByName: ReadonlyMap<string, CardBrand> = new Map(
  Object.entries(libraryNames).map(([brand, name]) => [name, brand as CardBrand]),
);

const typeInfo = Object.fromEntries(
  Object.entries(libraryNames).map(([brand, name]) => [brand, creditCardType.getTypeInfo(name)]),
) as Record<CardBrand, ReturnType<typeof creditCardType.getTypeInfo>>;

/** No range of the library is longer, so the first eight digits decide the brand of a number. */
const RANGE_DIGITS = 8;
const REMEMBERED_MAX = 10_000;
const remembered = new Map<string, CardBrand | null>();

/** Finds the brand of the first digits and remembers it: the library searches some 300 ranges, and the cards of one shop are in few. */
function brandOfRange(beginning: string): CardBrand | null {
  const known = remembered.get(beginning);
  if (known !== undefined) return known;
  const { card } = cardValidator.number(beginning, { skipLuhnValidation: true });
  const brand = (card && brandsByName.get(card.type)) ?? null;
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(beginning, brand);
  return brand;
}

/** Returns the brand of a complete card number (digits only), or `undefined` when the catalog does not have its brand. */
export function detectBrand(number: string): CardBrand | undefined {
  if (!/^\d{12,19}$/.test(number)) return undefined;
  return brandOfRange(number.slice(0, RANGE_DIGITS)) ?? undefined;
}

/** Returns the possible numbers of digits of a card number of this brand. */
export function numberLengths(brand: CardBrand): readonly number[] {
  return typeInfo[brand].lengths;
}

/** Returns the number of digits of the card verification code of this brand. */
export function cvcLength(brand: CardBrand): number {
  return typeInfo[brand].code.size;
}

/** Card numbers whose first digits are between `from` and `to`, inclusive; both have the same number of digits. */
export interface NumberRange {
  /** Absent: the catalog does not have the brand. */
  readonly brand?: CardBrand | undefined;
  readonly from: string;
  readonly to: string;
}

/** Returns every known range. When two ranges contain a number, the range with more digits decides. */
export function knownRanges(): readonly NumberRange[] {
  const types = [...Object.values(creditCardType.types), ...localBrands.map(({ type }) => type)];
  return types.flatMap((type) =>
    creditCardType.getTypeInfo(type).patterns.map((pattern) => {
      const [from, to] = Array.isArray(pattern) ? pattern : [pattern, pattern];
      return { brand: brandsByName.get(type), from: String(from), to: String(to) };
    }),
  );
}

/** Returns how a brand prints its numbers: the digits of the longest number, and after which digits there is a space. */
export function printedAs(brand: CardBrand): { readonly digits: number; readonly gaps: readonly number[] } {
  const { lengths, gaps } = typeInfo[brand];
  const digits = Math.max(...lengths);
  const byFours = gaps.every((gap, at) => gap === (at + 1) * 4);
  // The library's gaps end at twelve digits; longer numbers continue in groups of four.
  return { digits, gaps: byFours && digits > 16 ? [...gaps, 16] : gaps };
}
