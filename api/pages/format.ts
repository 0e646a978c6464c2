/** How amounts, dates and cards are written for payers. */
import { findCurrency } from '../../shared/domain/money/currency.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import type { Language } from './language.js';

export interface Money {
  readonly totalMinor: number;
  readonly currency: string;
}

/** Digits before and after the decimal point. They are moved as text, never through a float. */
function splitFigure({ totalMinor, currency }: Money): { whole: string; decimals: string } {
  const exponent = findCurrency(currency)?.exponent ?? 2;
  const digits = String(totalMinor).padStart(exponent + 1, '0');
  const point = digits.length - exponent;
  return { whole: digits.slice(0, point), decimals: digits.slice(point) };
}

/** What stands before the decimals. */
export const decimalMarkOf = (language: Language): '.' | ',' => (language === 'en' ? '.' : ',');

const withDecimals = (whole: string, decimals: string, language: Language): string =>
  decimals === '' ? whole : `${whole}${decimalMarkOf(language)}${decimals}`;

/** The figure alone, with the digits of ISO 4217 and grouped as the language groups: `1,220.00`. */
export function formatFigure(money: Money, language: Language): string {
  const { whole, decimals } = splitFigure(money);
  return withDecimals(new Intl.NumberFormat(language).format(BigInt(whole)), decimals, language);
}

/** The figure as a payer would type it, without groups: `1220.00`. */
export function formatAmountToType(money: Money, language: Language): string {
  const { whole, decimals } = splitFigure(money);
  return withDecimals(whole, decimals, language);
}

/** `USD 122.00`: the code before the figure. */
export const formatMoney = (money: Money, language: Language): string =>
  `${money.currency} ${formatFigure(money, language)}`;

/** Day and minute, in UTC, which is said: the server does not know the payer's clock. */
export const formatTime = (at: Date, language: Language): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`;

/** The minute alone, for what is over today; in UTC as {@link formatTime}. */
export const formatClock = (at: Date, language: Language): string =>
  `${new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`;

/** `04/2028` */
export const formatExpiry = (month: number, year: number): string => `${String(month).padStart(2, '0')}/${year}`;

/** As the field of a date shows what was typed: `04 / 28`. Cards end at most 20 years ahead. */
export const formatExpiryToType = (month: number, year: number): string =>
  `${String(month).padStart(2, '0')} / ${String(year).slice(-2)}`;

/** Name of a card brand by its code, for example `visa`. */
export const brandName = (code: string): string =>
  Object.hasOwn(paymentMethodCatalog, code)
    ? paymentMethodCatalog[code as keyof typeof paymentMethodCatalog].name
    : code;
