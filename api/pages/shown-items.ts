/** Builds what is shown of the items of a payment link, written in the payer's language. */
import type { Decimal } from 'decimal.js';
import { parseAmount, toDecimalText } from '../../shared/domain/money/amount.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { PaymentItem } from '../../shared/domain/payment/payment-amount.js';
import { priceOfUnits, sumItems } from '../payment-links/item-sums.js';
import { formatFigure, formatMoney, type Money } from './format.js';
import { type Language, textsOf } from './language.js';
import type { ShownItem, ShownItems } from './views/items.view.js';

type Write = (text: string) => string;

/** An item's amount may have more decimals than its currency: then it is shown as it was sent. */
const writer =
  (currency: string, language: Language, withCode: boolean): Write =>
  (text) => {
    const parsed = parseAmount(text, currency, { zeroAllowed: true });
    if (parsed.kind !== 'amount') return withCode ? `${currency} ${text}` : text;
    const money = { totalMinor: parsed.minor, currency };
    return withCode ? formatMoney(money, language) : formatFigure(money, language);
  };

function shownItem(item: PaymentItem, write: Write, foreignTax: string | undefined): ShownItem {
  const { name, description, quantity, price, discount } = item;
  return {
    name,
    description,
    quantity,
    price: write(price),
    total: write(priceOfUnits(item).toFixed()),
    discount: discount === undefined ? undefined : write(discount),
    tax: foreignTax,
  };
}

/** Returns the lines between the items and the total; none when the items alone add up to the total. */
function sumLines(items: readonly PaymentItem[], { totalMinor, currency }: Money, language: Language) {
  const texts = textsOf[language];
  const sums = sumItems(items, toDecimalText(totalMinor, currency), currency);
  const write = writer(currency, language, false);
  const decimals = findCurrency(currency)?.exponent ?? 2;
  const signed = (value: Decimal) => `${value.isNegative() ? '−' : ''}${write(value.abs().toFixed(decimals))}`;
  const lines = [
    [texts.discount, sums.discount.negated()],
    [texts.tax, sums.tax],
    [sums.rest.isNegative() ? texts.otherDeductions : texts.otherCharges, sums.rest],
  ] as const;
  const shown = lines.filter(([, value]) => !value.isZero());
  const all = shown.length === 0 ? [] : [[texts.items, sums.items] as const, ...shown];
  return {
    lines: all.map(([name, value]) => [name, signed(value)] as const),
    included: sums.taxIncluded.isZero() ? undefined : texts.taxIncluded(write(sums.taxIncluded.toFixed(decimals))),
  };
}

/**
 * Returns what is shown of the items.
 * @param total absent when the payer chooses the amount: each amount then names its currency.
 * @param currency of the items' prices, and of `total`
 * @returns undefined without items.
 */
export function shownItems(
  items: readonly PaymentItem[] | undefined,
  total: Money | undefined,
  currency: string,
  language: Language,
): ShownItems | undefined {
  if (!items || items.length === 0) return undefined;
  const write = writer(currency, language, total === undefined);
  const taxOf = ({ tax }: PaymentItem) =>
    tax && (total === undefined || tax.currency !== currency)
      ? writer(tax.currency, language, true)(tax.amount)
      : undefined;
  return {
    items: items.map((item) => shownItem(item, write, taxOf(item))),
    ...(total && { ...sumLines(items, total, language), total: formatMoney(total, language) }),
  };
}
