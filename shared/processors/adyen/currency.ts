/**
 * Minor units as Adyen counts them. For four currencies it departs from ISO 4217, and its own table leads: development-resources/
 * currency-codes of its documentation.
 */
import { findCurrency } from '../../domain/money/currency.js';
import type { AdyenAmount } from './wire.js';

/** Digits after the decimal point at Adyen, where they are not those of ISO 4217. */
export const adyenExponents: Readonly<Record<string, number>> = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 };

/** How many digits Adyen counts more than we do. */
const shiftOf = (currency: string): number => {
  const own = findCurrency(currency)?.exponent ?? 2;
  return (adyenExponents[currency] ?? own) - own;
};

const shifted = (value: number, digits: number): number | undefined => {
  const moved = digits < 0 ? value / 10 ** -digits : value * 10 ** digits;
  return Number.isSafeInteger(moved) ? moved : undefined;
};

/** `undefined`: the amount has more decimals than Adyen knows of the currency. */
export function toAdyenAmount(minor: number, currency: string): AdyenAmount | undefined {
  const value = shifted(minor, shiftOf(currency));
  return value === undefined ? undefined : { currency, value };
}

/** `undefined`: no amount of ours is that much. */
export const fromAdyenValue = (value: number, currency: string): number | undefined =>
  shifted(value, -shiftOf(currency));
