/** What is paid, item by item, and how the items add up to the total. */
import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';

/** An item with formatted amounts. */
export interface ShownItem {
  readonly name: string;
  readonly description?: string | undefined;
  readonly quantity: number;
  readonly price: string;
  /** Price of all units before the discount, which is in the lines below, so that everything adds up. */
  readonly total: string;
  readonly discount?: string | undefined;
  /** Set when the lines below do not contain this tax. */
  readonly tax?: string | undefined;
}

export interface ShownItems {
  readonly items: readonly ShownItem[];
  /** Name and amount of the lines between the items and the total. */
  readonly lines?: readonly (readonly [name: string, amount: string])[];
  /** A sentence about the tax that the prices include. */
  readonly included?: string | undefined;
  /** Absent when the payer chooses the amount. */
  readonly total?: string;
}

function itemLine(language: Language, item: ShownItem): Html {
  const texts = textsOf[language];
  const facts = [
    texts.times(item.quantity, item.price),
    item.discount !== undefined && texts.lessDiscount(item.discount),
    item.tax !== undefined && texts.plusTax(item.tax),
  ].filter((fact) => fact !== false);
  return html`<li><b>${item.name}</b><span class="num">${item.total}</span><span class="small soft">${item.description !== undefined && html`${item.description}<br>`}${facts.join(', ')}</span></li>`;
}

const sumLine = ([name, amount]: readonly [string, string]): Html =>
  html`<div><dt class="soft">${name}</dt><dd class="num">${amount}</dd></div>`;

/** More items would push the total out of view. */
const ITEMS_BESIDE_MAX = 6;

/** A short list beside a total that is already shown: names and amounts of the first items, without details. */
export function itemsBeside(language: Language, shown: ShownItems | undefined): Html | false {
  if (!shown) return false;
  const { items, lines = [] } = shown;
  const texts = textsOf[language];
  const first = items.slice(0, items.length > ITEMS_BESIDE_MAX ? ITEMS_BESIDE_MAX - 1 : ITEMS_BESIDE_MAX);
  const more = items.length - first.length;
  const item = ({ name, quantity, total }: ShownItem) =>
    html`<li><span>${quantity > 1 && `${quantity} × `}${name}</span><span class="num">${total}</span></li>`;
  return html`<section class="bought" aria-label="${texts.items}"><ul class="lines">${first.map(item)}${more > 0 && html`<li class="soft">${texts.moreItems(more)}</li>`}</ul>
${lines.length > 0 && html`<dl class="lines">${lines.map(sumLine)}</dl>`}</section>`;
}

/** The list of items with its sums. */
export function itemList(language: Language, shown: ShownItems | undefined): Html | false {
  if (!shown) return false;
  const { items, lines = [], included, total } = shown;
  const texts = textsOf[language];
  const sums = html`<dl class="lines">${lines.map(sumLine)}
<div class="last"><dt>${texts.total}</dt><dd class="num"><span class="grand">${total}</span></dd></div></dl>
${included !== undefined && html`<p class="hint">${included}</p>`}`;
  return html`<section aria-label="${texts.items}"><ul class="lines">${items.map((item) => itemLine(language, item))}</ul>
${total !== undefined && sums}</section>`;
}
