import { findCurrency } from '../../shared/domain/money/currency.js';
import { decimalMarkOf } from './format.js';
import type { Language } from './language.js';

/** One separator of groups throughout, and another one before the decimals: `1,220.50`, `1 220,50`, `1.220.500`. */
const GROUPED = /^(\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;

/** `50.000`: thousands where a currency has no decimals; where it has three or more, they may be decimals too. */
const ONE_GROUP = /^[1-9]\d{0,2}([.,])\d{3}$/;

/** `2000.00`, as a suggestion for several currencies is prefilled: without value where a currency has no decimals. */
const ZERO_DECIMALS = /[.,]0{1,2}$/;

/** Text that is no amount: the flow that takes it refuses it as such. */
const UNCLEAR = '';

/**
 * An amount as a payer types it, as decimal text. A figure that could be read in two ways is never guessed at: a single
 * separator is the decimal point, whatever it is, and takes no more digits than the currency has (`1.220` is no amount in
 * dollars). Before three digits of a currency that has as many it may be meant for thousands: there it has to be the decimal
 * point of the page's language, as the page itself writes (`1.220` is one dinar and a bit in English, `1,220` is refused).
 * Separators group only where that is plain (`1,220.50`, `1.220.500`, and `1.220` yen).
 * @returns empty where it is no amount.
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
