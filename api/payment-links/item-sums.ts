/** How the items of a payment link come to its total: what is shown between them adds up, always. */
import { Decimal } from 'decimal.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { PaymentItem } from '../../shared/domain/payment/payment-amount.js';

const Exact = Decimal.clone({ precision: 40 });

/** In the currency of the link, rounded to its decimals. `items - discount + tax + rest` is the total. */
export interface ItemSums {
  /** All items at their price, before discounts. */
  readonly items: Decimal;
  /** Not negative. */
  readonly discount: Decimal;
  /** What the items' taxes add; 0 where the prices hold them. */
  readonly tax: Decimal;
  /** What the prices hold of taxes; 0 where they are added. */
  readonly taxIncluded: Decimal;
  /** Total minus items, maybe negative: items are for display, and nothing else compares the two. */
  readonly rest: Decimal;
}

/**
 * @param total decimal text.
 * @param currency ISO 4217 code of the link; taxes in another one are shown with their item only.
 */
export function sumItems(items: readonly PaymentItem[], total: string, currency: string): ItemSums {
  const decimals = findCurrency(currency)?.exponent ?? 2;
  const sum = (amountOf: (item: PaymentItem) => Decimal.Value) =>
    items.reduce((all, item) => all.plus(amountOf(item)), new Exact(0)).toDecimalPlaces(decimals);
  const listed = sum(({ price, quantity }) => new Exact(price).times(quantity));
  const discount = sum(({ discount: less = 0 }) => less);
  const taxes = sum(({ tax }) => (tax?.currency === currency ? tax.amount : 0));
  const open = new Exact(total).minus(listed).plus(discount);
  const included = open.isZero();
  const tax = included ? new Exact(0) : taxes;
  return { items: listed, discount, tax, taxIncluded: included ? taxes : new Exact(0), rest: open.minus(tax) };
}
