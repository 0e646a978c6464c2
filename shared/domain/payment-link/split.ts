/**
 * Divides a payment between merchants (docs/api.md#splits; docs/decisions.md, "split"). Pure; decimals are text and
 * amounts integers in minor units, so that no rounding is hidden in a float.
 */
import { Decimal } from 'decimal.js';
import type { JsonMetadata } from '../json-metadata.js';
import { parseAmount } from '../money/amount.js';
import type { SplitPart } from './split-part.js';

const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_DOWN });

/** `value` is decimal text: percent of the total (0 to 100), or an amount in the currency of the payment. */
export type SplitRule =
  | { readonly type: 'percentage'; readonly value: string }
  | { readonly type: 'fixed'; readonly value: string }
  | { readonly type: 'residual' };

/** `excluded`: percentages are of the total without its tax. `rate` is a fraction from 0 to 1. */
export interface VatRule {
  readonly type: 'included' | 'excluded' | 'exempt';
  readonly rate?: string;
}

export interface SplitDestination {
  readonly destinationMerchantId: number;
  readonly subMerchantReference?: string;
  readonly amountRule: SplitRule;
  readonly vatRule?: VatRule;
  readonly routingMetadata?: JsonMetadata;
}

export interface SplitPayment {
  readonly totalMinor: number;
  readonly currency: string;
  /** `amount.details.tax.amount`, part of the total; absent when the request had none. */
  readonly taxMinor?: number | undefined;
  /** `amount.details.tax.rate`: a fraction. */
  readonly taxRate?: string | undefined;
  /** Merchant of the link, which gets the rest. */
  readonly ownMerchantId: number;
}

/** Returns the tax within the total: the tax of the request, else calculated by the rate of the rule or of the request and rounded half up. */
function taxOf({ totalMinor, taxMinor, taxRate }: SplitPayment, { rate = taxRate }: VatRule): number {
  if (taxMinor !== undefined) return taxMinor;
  if (rate === undefined) return 0;
  const net = new Exact(totalMinor).div(new Exact(rate).plus(1));
  return totalMinor - net.toDecimalPlaces(0, Decimal.ROUND_HALF_DOWN).toNumber();
}

/** Returns what a destination is due (minor units): 0 for a residual one. `undefined`: the value is not a valid amount in the currency. */
function dueMinor(payment: SplitPayment, { amountRule, vatRule }: SplitDestination): number | undefined {
  if (amountRule.type === 'residual') return 0;
  if (amountRule.type === 'fixed') {
    const parsed = parseAmount(amountRule.value, payment.currency);
    return parsed.kind === 'amount' ? parsed.minor : undefined;
  }
  const base = vatRule?.type === 'excluded' ? payment.totalMinor - taxOf(payment, vatRule) : payment.totalMinor;
  return new Exact(base).times(amountRule.value).div(100).floor().toNumber();
}

/**
 * Divides the total into fixed amounts and percentages, rounded down. The rest goes to the residual destination, or else to the link's
 * own merchant as an additional part. The parts add up to the total.
 * @returns the parts in the order of the destinations; `undefined` when the parts would be more than the total, or a fixed amount has
 * more decimals than the currency.
 */
export function splitPayment(
  payment: SplitPayment,
  destinations: readonly SplitDestination[],
): readonly SplitPart[] | undefined {
  const due = destinations.map((destination) => dueMinor(payment, destination));
  if (due.includes(undefined)) return undefined;
  const left = payment.totalMinor - due.reduce<number>((sum, minor) => sum + (minor ?? 0), 0);
  if (left < 0) return undefined;
  const residualAt = destinations.findIndex(({ amountRule }) => amountRule.type === 'residual');
  const parts = destinations.map(({ destinationMerchantId: merchantId, subMerchantReference }, at) => ({
    merchantId,
    ...(subMerchantReference !== undefined && { subMerchantReference }),
    amountMinor: at === residualAt ? left : (due[at] ?? 0),
  }));
  if (residualAt >= 0 || left === 0) return parts;
  return [...parts, { merchantId: payment.ownMerchantId, amountMinor: left }];
}

/**
 * Adds one refund to the refunded amounts of the parts: each part gets its share of all refunds so far, never less than before. Units
 * that remain from rounding go to the part that lacks most.
 */
function addRefund(parts: readonly SplitPart[], refunded: readonly number[], refundMinor: number): number[] {
  const total = parts.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const after = refunded.reduce((sum, minor) => sum + minor, 0) + refundMinor;
  const targets = parts.map(({ amountMinor }) => new Exact(amountMinor).times(after).div(total));
  const next = [...refunded];
  let left = refundMinor;
  targets.forEach((target, at) => {
    const give = Math.min(left, Math.max(0, target.floor().toNumber() - (next[at] ?? 0)));
    next[at] = (next[at] ?? 0) + give;
    left -= give;
  });
  const missing = (at: number) => (targets[at] ?? new Exact(0)).minus(next[at] ?? 0);
  while (left > 0) {
    const open = parts.flatMap(({ amountMinor }, at) => ((next[at] ?? 0) < amountMinor ? [at] : []));
    const most = open.reduce((best, at) => (missing(at).gt(missing(best)) ? at : best), open[0] ?? 0);
    next[most] = (next[most] ?? 0) + 1;
    left -= 1;
  }
  return next;
}

/**
 * Returns what each part gives back when a payment is refunded: in proportion, exact to the minor unit, and the whole part once the whole
 * payment is refunded.
 * @param refundsMinor minor units, in the order of the refunds; together at most the sum of the parts.
 * @returns minor units, in the order of the parts.
 */
export function mirrorRefunds(parts: readonly SplitPart[], refundsMinor: readonly number[]): readonly number[] {
  return refundsMinor.reduce<readonly number[]>(
    (refunded, refundMinor) => addRefund(parts, refunded, refundMinor),
    parts.map(() => 0),
  );
}
