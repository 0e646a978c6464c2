/** How amounts, dates and cards are written for payers. */
import { findCurrency } from '../../shared/domain/money/currency.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import type { Language } from './language.js';

export interface Money {
  readonly totalMinor: number;
  readonly currency: string;
}

/** The figure alone, with the digits of ISO 4217: `1,220.00`. The digits are moved as text, never through a float. */
export function formatFigure({ totalMinor, currency }: Money, language: Language): string {
  const exponent = findCurrency(currency)?.exponent ?? 2;
  const digits = String(totalMinor).padStart(exponent + 1, '0');
  const whole = exponent === 0 ? digits : digits.slice(0, -exponent);
  const grouped = new Intl.NumberFormat(language, { useGrouping: 'min2' as never }).format(BigInt(whole));
  if (exponent === 0) return grouped;
  const point = language === 'en' ? '.' : ',';
  return `${grouped}${point}${digits.slice(-exponent)}`;
}

/** `USD 122.00`: the code before the figure. */
export const formatMoney = (money: Money, language: Language): string =>
  `${money.currency} ${formatFigure(money, language)}`;

/** Day and minute, in UTC, which is said: the server does not know the payer's clock. */
export const formatTime = (at: Date, language: Language): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`;

/** `04/2028` */
export const formatExpiry = (month: number, year: number): string => `${String(month).padStart(2, '0')}/${year}`;

/** Name of a card brand by its code, for example `visa`. */
export const brandName = (code: string): string =>
  Object.hasOwn(paymentMethodCatalog, code)
    ? paymentMethodCatalog[code as keyof typeof paymentMethodCatalog].name
    : code;
