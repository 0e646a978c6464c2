/**
 * Amounts as Stripe counts them (docs.stripe.com/currencies). Ours follow the exponents of ISO 4217; Stripe has zero-decimal currencies
 * that ISO gives two digits, ISO has some without digits that Stripe counts in hundredths, and of three digits the last is 0.
 */
import { findCurrency } from '../../domain/money/currency.js';

/** Digits after the point in Stripe's amounts, where it is not two. */
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

/** ISO has no minor unit for them; Stripe takes them in hundredths, of whole units only. */
const inHundredths: ReadonlySet<string> = new Set(['ISK', 'UGX']);

/** `undefined`: Stripe's way of counting this currency is not known, so nothing may be sent in it. */
function factorOf(currency: string): number | undefined {
  const exponent = findCurrency(currency)?.exponent;
  if (exponent === undefined) return undefined;
  const known = digits[currency] ?? (exponent === 2 || inHundredths.has(currency) ? 2 : undefined);
  return known === undefined ? undefined : 10 ** (known - exponent);
}

/** Our amount in Stripe's; `undefined`: Stripe cannot take this amount, or this currency. */
export function toStripe(amountMinor: number, currency: string): number | undefined {
  const factor = factorOf(currency);
  if (factor === undefined) return undefined;
  const amount = factor < 1 ? amountMinor / Math.round(1 / factor) : amountMinor * factor;
  if (!Number.isSafeInteger(amount)) return undefined;
  return digits[currency] === 3 && amount % 10 !== 0 ? undefined : amount;
}

/** Stripe's amount in ours; `undefined`: it has no value in ours. */
export function fromStripe(amount: number, currency: string): number | undefined {
  const factor = factorOf(currency);
  if (factor === undefined) return undefined;
  const amountMinor = factor < 1 ? amount * Math.round(1 / factor) : amount / factor;
  return Number.isSafeInteger(amountMinor) ? amountMinor : undefined;
}
