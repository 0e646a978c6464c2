/** Computes how the items of a payment link lead to its total: the shown sums always add up. */
import { Decimal } from 'decimal.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { PaymentItem } from '../../shared/domain/payment/payment-amount.js';

/** Precise enough for every digit of a price times a quantity. */
const Exact = Decimal.clone({ precision: 40 });

/** Returns the price of all units of an item, before its discount. */
export const priceOfUnits = ({ price, quantity }: PaymentItem): Decimal => new Exact(price).times(quantity);

/** In the currency of the link, rounded to its decimals. `items - discount + tax + rest` is the total. */
export interface ItemSums {
  /** All items at their price, before discounts. */
  readonly items: Decimal;
  /** Not negative. */
  readonly discount: Decimal;
  /** Taxes that are added to the prices; 0 when the prices include them. */
  readonly tax: Decimal;
  /** Taxes that the prices include; 0 when they are added. */
  readonly taxIncluded: Decimal;
  /** Total minus the other sums, maybe negative: items are for display only, and nothing checks them against the total. */
  readonly rest: Decimal;
}

/**
 * Sums up the items.
 * @param total decimal text.
 * @param currency ISO 4217 code of the link; taxes in another currency are shown with their item only.
 */
export function sumItems(items: readonly PaymentItem[], total: string, currency: string): ItemSums {
  const decimals = findCurrency(currency)?.exponent ?? 2;
  const sum = (amountOf: (item: PaymentItem) => Decimal.Value) =>
    items.reduce((all, item) => all.plus(amountOf(item)), new Exact(0)).toDecimalPlaces(decimals);
  const listed = sum(priceOfUnits);
  const discount = sum(({ discount: less = 0 }) => less);
  const taxes = sum(({ tax }) => (tax?.currency === currency ? tax.amount : 0));
  const open = new Exact(total).minus(listed).plus(discount);
  const included = open.isZero();
  const tax = included ? new Exact(0) : taxes;
  return { items: listed, discount, tax, taxIncluded: included ? taxes : new Exact(0), rest: open.minus(tax) };
}
