/** What is paid, item by item, and how the items come to the total. */
import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';

/** Amounts are written out. */
export interface ShownItem {
  readonly name: string;
  readonly description?: string | undefined;
  readonly quantity: number;
  readonly price: string;
  /** All of them, less the discount. */
  readonly total: string;
  readonly discount?: string | undefined;
  /** Where it is not part of the lines below. */
  readonly tax?: string | undefined;
}

export interface ShownItems {
  readonly items: readonly ShownItem[];
  /** Name and amount of what lies between the items and the total. */
  readonly lines?: readonly (readonly [name: string, amount: string])[];
  /** A sentence about the tax that the prices hold. */
  readonly included?: string | undefined;
  /** Absent where the payer says how much. */
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

/** The list and its sums. */
export function itemList(language: Language, shown: ShownItems | undefined): Html | false {
  if (!shown) return false;
  const { items, lines = [], included, total } = shown;
  const texts = textsOf[language];
  const line = ([name, amount]: readonly [string, string]) =>
    html`<div><dt class="soft">${name}</dt><dd class="num">${amount}</dd></div>`;
  const sums = html`<dl class="lines">${lines.map(line)}
<div class="last"><dt>${texts.total}</dt><dd class="num"><span class="grand">${total}</span></dd></div></dl>
${included !== undefined && html`<p class="hint">${included}</p>`}`;
  return html`<section aria-label="${texts.items}"><ul class="lines">${items.map((item) => itemLine(language, item))}</ul>
${total !== undefined && sums}</section>`;
}
