/**
 * Which brand a card number belongs to. The ranges come from card-validator; the two local brands are added to it. A brand
 * that the library knows and our catalog does not (Elo, UnionPay, …) is no brand here: it is never taken for one of ours.
 */
import cardValidator from 'card-validator';
import type { CardBrand } from '../payment-method-catalog.js';

const { creditCardType } = cardValidator;

/** Ranges of six digits: longer than the two digits under which Maestro claims everything from 56 to 59 and all of 6. */
const localBrands = [
  { niceType: 'OCA', type: 'oca', patterns: [542991, 589892], lengths: [16] },
  { niceType: 'Cabal', type: 'cabal', patterns: [589657, 603522, 627170, [604201, 604400]], lengths: [16] },
];
for (const brand of localBrands) {
  creditCardType.addCard({ ...brand, gaps: [4, 8, 12], code: { name: 'CVV', size: 3 } });
}

/** Our code of a brand to the library's name for it. */
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

/** No range of the library is longer, so that the brand of a number is the brand of its first eight digits. */
const RANGE_DIGITS = 8;
const REMEMBERED_MAX = 10_000;
const remembered = new Map<string, CardBrand | null>();

/** The library walks some three hundred ranges; cards of one shop share few beginnings, so those are remembered. */
function brandOfRange(beginning: string): CardBrand | null {
  const known = remembered.get(beginning);
  if (known !== undefined) return known;
  const { card } = cardValidator.number(beginning, { skipLuhnValidation: true });
  const brand = (card && brandsByName.get(card.type)) ?? null;
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(beginning, brand);
  return brand;
}

/** The brand of a complete card number (digits only), or `undefined` when it is none of the catalog's. */
export function detectBrand(number: string): CardBrand | undefined {
  if (!/^\d{12,19}$/.test(number)) return undefined;
  return brandOfRange(number.slice(0, RANGE_DIGITS)) ?? undefined;
}

/** How many digits a number of this brand has. */
export function numberLengths(brand: CardBrand): readonly number[] {
  return typeInfo[brand].lengths;
}

/** How many digits the card verification code of this brand has. */
export function cvcLength(brand: CardBrand): number {
  return typeInfo[brand].code.size;
}

/** Numbers that begin with anything from `from` to `to`; both have the same number of digits. */
export interface NumberRange {
  /** Absent: a brand that is none of the catalog's. */
  readonly brand?: CardBrand | undefined;
  readonly from: string;
  readonly to: string;
}

/** Every range that is known. Where two hold a number, the one of more digits decides. */
export function knownRanges(): readonly NumberRange[] {
  const types = [...Object.values(creditCardType.types), ...localBrands.map(({ type }) => type)];
  return types.flatMap((type) =>
    creditCardType.getTypeInfo(type).patterns.map((pattern) => {
      const [from, to] = Array.isArray(pattern) ? pattern : [pattern, pattern];
      return { brand: brandsByName.get(type), from: String(from), to: String(to) };
    }),
  );
}

/** How a brand prints its numbers: the digits of the longest one, and after how many digits there is a space. */
export function printedAs(brand: CardBrand): { readonly digits: number; readonly gaps: readonly number[] } {
  const { lengths, gaps } = typeInfo[brand];
  const digits = Math.max(...lengths);
  const byFours = gaps.every((gap, at) => gap === (at + 1) * 4);
  // The library stops at twelve; longer numbers go on by fours.
  return { digits, gaps: byFours && digits > 16 ? [...gaps, 16] : gaps };
}
