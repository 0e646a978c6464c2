/** Formats amounts, dates and cards for payers. */
import { findCurrency } from '../../shared/domain/money/currency.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import type { Language } from './language.js';

export interface Money {
  readonly totalMinor: number;
  readonly currency: string;
}

/** Splits an amount into the digits before and after the decimal point, as text and never through a float. */
function splitFigure({ totalMinor, currency }: Money): { whole: string; decimals: string } {
  const exponent = findCurrency(currency)?.exponent ?? 2;
  const digits = String(totalMinor).padStart(exponent + 1, '0');
  const point = digits.length - exponent;
  return { whole: digits.slice(0, point), decimals: digits.slice(point) };
}

/** Returns the sign before the decimals. */
export const decimalMarkOf = (language: Language): '.' | ',' => (language === 'en' ? '.' : ',');

const withDecimals = (whole: string, decimals: string, language: Language): string =>
  decimals === '' ? whole : `${whole}${decimalMarkOf(language)}${decimals}`;

/** Formats the figure without its currency, with the digits of ISO 4217 and grouped as in the language: `1,220.00`. */
export function formatFigure(money: Money, language: Language): string {
  const { whole, decimals } = splitFigure(money);
  return withDecimals(new Intl.NumberFormat(language).format(BigInt(whole)), decimals, language);
}

/** Formats the figure as a payer would type it, without groups: `1220.00`. */
export function formatAmountToType(money: Money, language: Language): string {
  const { whole, decimals } = splitFigure(money);
  return withDecimals(whole, decimals, language);
}

/** Formats an amount with the currency code before the figure: `USD 122.00`. */
export const formatMoney = (money: Money, language: Language): string =>
  `${money.currency} ${formatFigure(money, language)}`;

/** Formats day and minute in UTC, and says so: the server does not know the payer's time zone. */
export const formatTime = (at: Date, language: Language): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`;

/** Formats only the time of day, for something that ends today; in UTC like {@link formatTime}. */
export const formatClock = (at: Date, language: Language): string =>
  `${new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`;

/** Formats an expiry date: `04/2028`. */
export const formatExpiry = (month: number, year: number): string => `${String(month).padStart(2, '0')}/${year}`;

/** Formats an expiry date as its field shows it: `04 / 28`. Cards expire at most 20 years ahead. */
export const formatExpiryToType = (month: number, year: number): string =>
  `${String(month).padStart(2, '0')} / ${String(year).slice(-2)}`;

/** Returns the name of a card brand by its code, for example `visa`. */
export const brandName = (code: string): string =>
  Object.hasOwn(paymentMethodCatalog, code)
    ? paymentMethodCatalog[code as keyof typeof paymentMethodCatalog].name
    : code;
