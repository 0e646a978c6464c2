import { findCurrency } from '../../shared/domain/money/currency.js';
import { decimalMarkOf } from './format.js';
import type { Language } from './language.js';

/** One separator between all groups, and a different one before the decimals: `1,220.50`, `1 220,50`, `1.220.500`. */
const GROUPED = /^(\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;

/** `50.000`: thousands when the currency has no decimals; with three or more decimals these digits may be decimals too. */
const ONE_GROUP = /^[1-9]\d{0,2}([.,])\d{3}$/;

/** `2000.00`, as a suggestion for several currencies is prefilled: these zeros mean nothing in a currency without decimals. */
const ZERO_DECIMALS = /[.,]0{1,2}$/;

/** Text that is not an amount: the flow refuses it as such. */
const UNCLEAR = '';

/**
 * Reads an amount that a payer typed and returns it as decimal text. It never guesses between two meanings. A single separator, `.` or
 * `,`, is the decimal point and may be followed by at most as many digits as the currency has (`1.220` is not an amount in dollars). If
 * exactly three digits follow and the currency has that many, the separator could also separate thousands: then it must be the decimal
 * point of the page's language, which the page itself writes (`1.220` is a little more than one dinar in English, `1,220` is refused).
 * Separators group digits only when that is unambiguous (`1,220.50`, `1.220.500`, and `1.220` yen).
 * @returns empty when the text is not an amount.
 */
export function readTotal(text: string | undefined, currency: string, language: Language): string {
  const exponent = findCurrency(currency)?.exponent ?? 0;
  const trimmed = (text ?? '').trim();
  const typed = exponent === 0 ? trimmed.replace(ZERO_DECIMALS, '') : trimmed;
  const [, separator] = ONE_GROUP.exec(typed) ?? [];
  if (separator !== undefined && exponent === 0) return typed.replace(/\D/g, '');
  if (separator !== undefined && separator !== decimalMarkOf(language)) return UNCLEAR;
  const [plain, fraction = ''] = /^\d+(?:[.,](\d+))?$/.exec(typed) ?? [];
  if (plain !== undefined) {
    return fraction.length > exponent ? UNCLEAR : plain.replace(',', '.');
  }
  const [, whole = '', , decimals] = GROUPED.exec(typed) ?? [];
  const digits = whole.replace(/\D/g, '');
  return decimals === undefined ? digits : `${digits}.${decimals}`;
}
