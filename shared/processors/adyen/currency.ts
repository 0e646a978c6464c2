/**
 * Converts amounts to and from Adyen's minor units. Adyen differs from ISO 4217 for four currencies; its own table decides:
 * development-resources/currency-codes of its documentation.
 */
import { findCurrency } from '../../domain/money/currency.js';
import type { AdyenAmount } from './wire.js';

/** Decimal digits at Adyen, for currencies in which they differ from ISO 4217. */
export const adyenExponents: Readonly<Record<string, number>> = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 };

/** Returns how many more decimal digits Adyen uses than the gateway; negative when it uses fewer. */
const shiftOf = (currency: string): number => {
  const own = findCurrency(currency)?.exponent ?? 2;
  return (adyenExponents[currency] ?? own) - own;
};

const shifted = (value: number, digits: number): number | undefined => {
  const moved = digits < 0 ? value / 10 ** -digits : value * 10 ** digits;
  return Number.isSafeInteger(moved) ? moved : undefined;
};

/** Converts our amount to Adyen's; `undefined` when it has more decimals than Adyen allows for the currency. */
export function toAdyenAmount(minor: number, currency: string): AdyenAmount | undefined {
  const value = shifted(minor, shiftOf(currency));
  return value === undefined ? undefined : { currency, value };
}

/** Converts Adyen's value to ours; `undefined` when it cannot be expressed in our minor units. */
export const fromAdyenValue = (value: number, currency: string): number | undefined =>
  shifted(value, -shiftOf(currency));
