/** Decimal bounds of a query in the minor units of each currency: a minimum of 10.5 is 1050 in USD, 10500 in KWD and 11 in JPY. */
import { Decimal } from 'decimal.js';
import { parseAmount, toDecimalText } from './amount.js';
import { currencyCodes, findCurrency } from './currency.js';

export interface AmountRange {
  /** Currencies that the bounds are for: only these, or all except these. */
  readonly currencies: { readonly only: readonly string[] } | { readonly except: readonly string[] };
  /** Both bounds are inclusive. */
  readonly minMinor?: number;
  readonly maxMinor?: number;
}

const Exact = Decimal.clone({ precision: 60 });
/** The exponent of most currencies. Their range lists the exceptions instead. */
const USUAL_EXPONENT = 2;

const exponentOf = (code: string) => findCurrency(code)?.exponent ?? USUAL_EXPONENT;
const exponents = [...new Set(currencyCodes.map(exponentOf))];

/** Converts bounds to minor units, rounded inwards: no amount outside the decimal bounds is inside the result. */
function boundsIn(exponent: number, min: string | undefined, max: string | undefined) {
  const minor = (text: string) => new Exact(text).times(new Exact(10).pow(exponent));
  return {
    ...(min !== undefined && { minMinor: minor(min).ceil().toNumber() }),
    ...(max !== undefined && { maxMinor: minor(max).floor().toNumber() }),
  };
}

/**
 * Returns the ranges in which an amount of any currency, or of `currency` only, is between two decimals.
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

/** Whether two decimals are a range: `min` is not more than `max`. */
export const isRange = (min: string, max: string) => new Exact(min).lte(new Exact(max));

export interface AmountBounds {
  readonly minAmount?: string | undefined;
  readonly maxAmount?: string | undefined;
}

/** Whether an amount (decimal text) is within bounds, both of which are inclusive. */
export const isWithin = (amount: string, { minAmount, maxAmount }: AmountBounds): boolean =>
  (minAmount === undefined || isRange(minAmount, amount)) && (maxAmount === undefined || isRange(amount, maxAmount));

/**
 * Returns what is wrong with the upper bound of an amount that a payer may choose, as the end of a sentence about the bound.
 * @param currencies allowed for the payment; each needs an amount above zero within the bounds (JPY has none up to 0.5)
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

/** Returns what is wrong with the lower bound: in each currency, the smallest amount that reaches it has to be an accepted amount. */
function minAmountProblem({ minAmount }: AmountBounds, currencies: readonly string[]): string | undefined {
  if (minAmount === undefined) return undefined;
  const without = currencies.find((currency) => {
    const { minMinor = 0 } = boundsIn(exponentOf(currency), minAmount, undefined);
    return parseAmount(toDecimalText(minMinor, currency), currency, { zeroAllowed: true }).kind === 'problem';
  });
  return without && `leaves no amount that can be paid in ${without}`;
}

/** Returns the first wrong bound of an amount that a payer may choose, and what is wrong with it. */
export function boundProblem(
  bounds: AmountBounds,
  currencies: readonly string[],
): { readonly bound: keyof AmountBounds; readonly reason: string } | undefined {
  const wrongMin = minAmountProblem(bounds, currencies);
  if (wrongMin !== undefined) return { bound: 'minAmount', reason: wrongMin };
  const wrongMax = maxAmountProblem(bounds, currencies);
  return wrongMax === undefined ? undefined : { bound: 'maxAmount', reason: wrongMax };
}
