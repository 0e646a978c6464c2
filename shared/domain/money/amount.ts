/**
 * Money: decimal text on the wire, integers in minor units inside. No floating point takes part in any sum
 * (docs/decisions.md, "money").
 */
import { Decimal } from 'decimal.js';
import { findCurrency } from './currency.js';

const Exact = Decimal.clone({ precision: 40, rounding: Decimal.ROUND_DOWN });
const INTEGER_DIGITS_MAX = 12;
const decimalText = /^\d+(\.\d+)?$/;

export type AmountProblem = 'unknown-currency' | 'not-a-decimal' | 'too-many-decimals' | 'too-large' | 'not-positive';

export type ParsedAmount =
  | { readonly kind: 'amount'; readonly minor: number }
  | { readonly kind: 'problem'; readonly problem: AmountProblem };

/** What is wrong, in words for the caller. */
export const amountProblems: Record<AmountProblem, string> = {
  'unknown-currency': 'the currency is not known',
  'not-a-decimal': 'must be a decimal number such as 10.50',
  'too-many-decimals': 'has more decimals than the currency',
  'too-large': `must have at most ${INTEGER_DIGITS_MAX} digits before the decimal point`,
  'not-positive': 'must be greater than 0',
};

const problem = (name: AmountProblem): ParsedAmount => ({ kind: 'problem', problem: name });

/**
 * Decimal text in `currency` to minor units. Trailing zeros beyond the exponent are no extra decimals (10.500 USD is 1050).
 * With `zeroAllowed`, 0 is fine (tax, tip); otherwise it must be positive.
 */
export function parseAmount(text: string, currency: string, { zeroAllowed = false } = {}): ParsedAmount {
  const found = findCurrency(currency);
  if (!found) return problem('unknown-currency');
  if (!decimalText.test(text)) return problem('not-a-decimal');
  const value = new Exact(text);
  if (value.gte(new Exact(10).pow(INTEGER_DIGITS_MAX))) return problem('too-large');
  const minor = value.times(new Exact(10).pow(found.exponent));
  if (!minor.isInteger()) return problem('too-many-decimals');
  if (minor.isZero() && !zeroAllowed) return problem('not-positive');
  // At most 12 + 4 digits: below 2^53 for every exponent up to 3, and CLF's and UYW's 4 are checked here.
  const result = minor.toNumber();
  return Number.isSafeInteger(result) ? { kind: 'amount', minor: result } : problem('too-large');
}

/** Minor units to the JSON number of the wire: the shortest decimal that reads back as the same amount. */
export function toDecimal(minor: number, currency: string): number {
  const exponent = findCurrency(currency)?.exponent ?? 2;
  if (exponent === 0) return minor;
  return new Exact(minor).div(new Exact(10).pow(exponent)).toNumber();
}
