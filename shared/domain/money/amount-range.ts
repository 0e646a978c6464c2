/** Decimal bounds of a query in the minor units of each currency: 10.5 is 1050 in USD, 10500 in KWD and 11 or more in JPY. */
import { Decimal } from 'decimal.js';
import { parseAmount, toDecimalText } from './amount.js';
import { currencyCodes, findCurrency } from './currency.js';

export interface AmountRange {
  /** Which currencies the bounds are for: those, or all but those. */
  readonly currencies: { readonly only: readonly string[] } | { readonly except: readonly string[] };
  /** Both ends belong to the range. */
  readonly minMinor?: number;
  readonly maxMinor?: number;
}

const Exact = Decimal.clone({ precision: 60 });
/** The exponent of most currencies: they are named by those that they are not. */
const USUAL_EXPONENT = 2;

const exponentOf = (code: string) => findCurrency(code)?.exponent ?? USUAL_EXPONENT;
const exponents = [...new Set(currencyCodes.map(exponentOf))];

/** Rounded inwards, so that no amount of the currency outside the decimal bounds is inside these. */
function boundsIn(exponent: number, min: string | undefined, max: string | undefined) {
  const minor = (text: string) => new Exact(text).times(new Exact(10).pow(exponent));
  return {
    ...(min !== undefined && { minMinor: minor(min).ceil().toNumber() }),
    ...(max !== undefined && { maxMinor: minor(max).floor().toNumber() }),
  };
}

/**
 * The ranges in which an amount of any currency, or of one, is between two decimals.
 * @param min decimal text such as `10.50`; undefined: no bound.
 * @returns undefined when there is no bound at all.
 */
export function amountRanges(
  min: string | undefined,
  max: string | undefined,
  currency?: string,
): readonly AmountRange[] | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (currency !== undefined) {
    return [{ currencies: { only: [currency] }, ...boundsIn(exponentOf(currency), min, max) }];
  }
  const unusual = currencyCodes.filter((code) => exponentOf(code) !== USUAL_EXPONENT);
  return exponents.map((exponent) => ({
    currencies:
      exponent === USUAL_EXPONENT
        ? { except: unusual }
        : { only: unusual.filter((code) => exponentOf(code) === exponent) },
    ...boundsIn(exponent, min, max),
  }));
}

/** Whether the bounds leave room, as decimals. */
export const isRange = (min: string, max: string) => new Exact(min).lte(new Exact(max));

export interface AmountBounds {
  readonly minAmount?: string | undefined;
  readonly maxAmount?: string | undefined;
}

/**
 * What is wrong with the upper one of two decimal bounds for what a payer may choose, as a part of a sentence about it.
 * @param currencies in which it may be paid; each has to have an amount above zero between the bounds: 0.5 is none of JPY
 */
function maxAmountProblem(
  { minAmount = '0', maxAmount }: AmountBounds,
  currencies: readonly string[],
): string | undefined {
  if (maxAmount === undefined) return undefined;
  if (isRange(maxAmount, '0')) return 'must be greater than 0';
  if (!isRange(minAmount, maxAmount)) return 'must not be less than minAmount';
  const without = currencies.find((currency) => {
    const { minMinor = 0, maxMinor = 0 } = boundsIn(exponentOf(currency), minAmount, maxAmount);
    return Math.max(minMinor, 1) > maxMinor;
  });
  return without && `leaves no amount that can be paid in ${without}`;
}

/** The same of the lower one: an amount of each currency has to reach it, which is taken at all. */
function minAmountProblem({ minAmount }: AmountBounds, currencies: readonly string[]): string | undefined {
  if (minAmount === undefined) return undefined;
  const without = currencies.find((currency) => {
    const { minMinor = 0 } = boundsIn(exponentOf(currency), minAmount, undefined);
    return parseAmount(toDecimalText(minMinor, currency), currency, { zeroAllowed: true }).kind === 'problem';
  });
  return without && `leaves no amount that can be paid in ${without}`;
}

/** The first of the two bounds of what a payer may choose with which something is wrong. */
export function boundProblem(
  bounds: AmountBounds,
  currencies: readonly string[],
): { readonly bound: keyof AmountBounds; readonly reason: string } | undefined {
  const wrongMin = minAmountProblem(bounds, currencies);
  if (wrongMin !== undefined) return { bound: 'minAmount', reason: wrongMin };
  const wrongMax = maxAmountProblem(bounds, currencies);
  return wrongMax === undefined ? undefined : { bound: 'maxAmount', reason: wrongMax };
}
