/**
 * Money: decimal text on the wire, integers in minor units inside. No sum is calculated in floating point
 * (docs/decisions.md, "money").
 */
import { Decimal } from 'decimal.js';
import { findCurrency } from './currency.js';

const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_DOWN });
const INTEGER_DIGITS_MAX = 12;
const MINOR_BELOW = 1e15;
const decimalText = /^\d+(\.\d+)?$/;

export type AmountProblem = 'unknown-currency' | 'not-a-decimal' | 'too-many-decimals' | 'too-large' | 'not-positive';

export type ParsedAmount =
  | { readonly kind: 'amount'; readonly minor: number }
  | { readonly kind: 'problem'; readonly problem: AmountProblem };

/** Texts for the caller that say what is wrong with an amount. */
export const amountProblems: Record<AmountProblem, string> = {
  'unknown-currency': 'the currency is not known',
  'not-a-decimal': 'must be a decimal number such as 10.50',
  'too-many-decimals': 'has more decimals than the currency',
  'too-large': `must have at most ${INTEGER_DIGITS_MAX} digits before the decimal point`,
  'not-positive': 'must be greater than 0',
};

const problem = (name: AmountProblem): ParsedAmount => ({ kind: 'problem', problem: name });

/**
 * Converts decimal text in `currency` to minor units. Trailing zeros beyond the exponent are no extra decimals (10.500 USD is 1050).
 * With `zeroAllowed`, 0 is accepted (tax, tip); otherwise the amount must be positive.
 */
export function parseAmount(text: string, currency: string, { zeroAllowed = false } = {}): ParsedAmount {
  const found = findCurrency(currency);
  if (!found) return problem('unknown-currency');
  if (!decimalText.test(text)) return problem('not-a-decimal');
  const [sentWhole = '', sentDecimals = ''] = text.split('.');
  const [whole, decimals] = [sentWhole.replace(/^0+/, ''), sentDecimals.replace(/0+$/, '')];
  if (whole.length > INTEGER_DIGITS_MAX) return problem('too-large');
  if (decimals.length > found.exponent) return problem('too-many-decimals');
  // The digits without the point are the minor units: nothing is multiplied, and below the bound nothing is rounded.
  const minor = Number(whole + decimals.padEnd(found.exponent, '0'));
  if (minor === 0 && !zeroAllowed) return problem('not-positive');
  // A JSON number holds 15 digits exactly. 12 + 3 digits always fit; the 12 + 4 digits of CLF and UYW are checked here.
  return minor < MINOR_BELOW ? { kind: 'amount', minor } : problem('too-large');
}

/** Converts minor units to the JSON number of the wire: the shortest decimal that reads back as the same amount. */
export function toDecimal(minor: number, currency: string): number {
  const exponent = findCurrency(currency)?.exponent ?? 2;
  if (exponent === 0) return minor;
  // Both numbers are exact as doubles, so the quotient is the double nearest to the decimal, as which the decimal's text is read.
  return minor / 10 ** exponent;
}

/** Converts minor units to decimal text with all decimals of the currency: `12.50`. */
export function toDecimalText(minor: number, currency: string): string {
  const exponent = findCurrency(currency)?.exponent ?? 2;
  return new Exact(minor).div(new Exact(10).pow(exponent)).toFixed(exponent);
}

/** Returns the same text for a decimal however it was written: `10` for `10.0` and `010`. */
export const plainDecimal = (text: string): string => new Exact(text).toFixed();
