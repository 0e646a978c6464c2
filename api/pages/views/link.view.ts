/** The page of a payment link before the checkout: what is paid, and how much where the payer says it. */
import type { Money } from '../format.js';
import { formatMoney } from '../format.js';
import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';
import { type FieldErrors, problems } from './card-form.view.js';
import { amountFields } from './checkout.view.js';
import { type Payee, page, slip, stub } from './layout.view.js';
import { type Ending, endSheet } from './outcome.view.js';

/** Amounts are written out. */
export interface ShownItem {
  readonly name: string;
  readonly description?: string | undefined;
  readonly quantity: number;
  readonly price: string;
  /** All of them, less the discount. */
  readonly total: string;
  readonly discount?: string | undefined;
  readonly tax?: string | undefined;
}

export interface LinkModel {
  readonly language: Language;
  readonly payee: Payee;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly items: readonly ShownItem[];
  /** Absent where the payer says how much. */
  readonly amount?: Money | undefined;
  readonly flexible?: { readonly currencies: readonly string[]; readonly hint?: string | undefined } | undefined;
  readonly once: boolean;
  /** When it ends, written out. */
  readonly until?: string | undefined;
  readonly errors: FieldErrors;
  readonly values: { readonly total?: string | undefined; readonly currency?: string | undefined };
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

function itemList({ language, items, amount }: LinkModel): Html | false {
  if (items.length === 0) return false;
  const texts = textsOf[language];
  return html`<section aria-label="${texts.items}"><ul class="lines">${items.map((item) => itemLine(language, item))}</ul>
${amount && html`<dl class="lines"><div class="last"><dt>${texts.total}</dt><dd class="num"><span class="grand">${formatMoney(amount, language)}</span></dd></div></dl>`}</section>`;
}

/** The whole page. */
export function linkPage(model: LinkModel): string {
  const { language, payee, displayName, description, amount, flexible, errors, values } = model;
  const texts = textsOf[language];
  const heading = displayName ?? texts.itemsTitle(payee.name);
  const complaint = problems(language, errors, undefined);
  const hints = [
    texts.nothingYet,
    model.once && texts.onlyOnce,
    model.until !== undefined && texts.openUntil(model.until),
  ];
  const sheet = html`${complaint || html`<div class="near"><h1>${heading}</h1>${description !== undefined && html`<p class="soft">${description}</p>`}</div>`}
${itemList(model)}
<form class="stack" method="post" novalidate data-once>
${amountFields({ language, flexible, values, errors })}
<div class="near"><button class="btn main full" type="submit" id="go" data-working="${texts.working}">${texts.toPayment}</button>
<p class="hint">${hints.filter((hint) => hint !== false).join(' ')}</p></div>
</form>`;
  return page({
    language,
    title: complaint ? texts.errorTitle(heading) : `${heading}: ${payee.name}`,
    payee,
    scripts: ['card-form.js'],
    body: slip({
      language,
      wide: true,
      stub: stub({ language, payee, description: displayName, amount, label: texts.total, stay: true }),
      sheet,
    }),
  });
}

interface LinkEndModel extends Ending {
  readonly language: Language;
  readonly payee: Payee;
  /** The page asks again by itself. */
  readonly refreshSeconds?: number | undefined;
}

/** Why nothing can be paid here (now). */
export function linkEndPage({ language, payee, refreshSeconds, ...ending }: LinkEndModel): string {
  const texts = textsOf[language];
  const sheet = html`${endSheet(ending)}
${refreshSeconds !== undefined && html`<p><a href="">${texts.checkAgain}</a></p>`}`;
  const body = slip({ language, stub: stub({ language, payee, label: '' }), sheet });
  return page({ language, title: ending.title, payee, body, ...(refreshSeconds !== undefined && { refreshSeconds }) });
}
