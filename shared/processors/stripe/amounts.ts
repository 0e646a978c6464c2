/**
 * Converts amounts to and from Stripe's units (docs.stripe.com/currencies). The gateway uses the exponents of ISO 4217. Stripe counts some
 * two-digit currencies of ISO without decimals and some zero-digit ones in hundredths; with three digits, the last must be 0.
 */
import { findCurrency } from '../../domain/money/currency.js';

/** Decimal digits of Stripe's amounts, for currencies in which there are not two. */
const digits: Readonly<Record<string, 0 | 3>> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  MGA: 0,
  PYG: 0,
  RWF: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  JOD: 3,
  KWD: 3,
  OMR: 3,
  TND: 3,
};

/** Currencies without a minor unit in ISO 4217 that Stripe takes in hundredths, in whole units only. */
const inHundredths: ReadonlySet<string> = new Set(['ISK', 'UGX']);

/** Returns the factor from our amount to Stripe's; `undefined` when Stripe's unit is not known, so the currency must not be sent. */
function factorOf(currency: string): number | undefined {
  const exponent = findCurrency(currency)?.exponent;
  if (exponent === undefined) return undefined;
  const known = digits[currency] ?? (exponent === 2 || inHundredths.has(currency) ? 2 : undefined);
  return known === undefined ? undefined : 10 ** (known - exponent);
}

/** Converts our amount to Stripe's; `undefined` when Stripe cannot take this amount or this currency. */
export function toStripe(amountMinor: number, currency: string): number | undefined {
  const factor = factorOf(currency);
  if (factor === undefined) return undefined;
  const amount = factor < 1 ? amountMinor / Math.round(1 / factor) : amountMinor * factor;
  if (!Number.isSafeInteger(amount)) return undefined;
  return digits[currency] === 3 && amount % 10 !== 0 ? undefined : amount;
}

/** Converts Stripe's amount to ours; `undefined` when it cannot be expressed in our minor units. */
export function fromStripe(amount: number, currency: string): number | undefined {
  const factor = factorOf(currency);
  if (factor === undefined) return undefined;
  const amountMinor = factor < 1 ? amount * Math.round(1 / factor) : amount / factor;
  return Number.isSafeInteger(amountMinor) ? amountMinor : undefined;
}
