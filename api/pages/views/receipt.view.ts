/** The receipt of a payment, to keep: seller, purchase, amount, and how it was paid. It prints on one page. */
import type { Payee } from '../../merchants/payee.js';
import type { Money } from '../format.js';
import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';
import { contactLinks } from './contact.view.js';
import { itemList, type ShownItems } from './items.view.js';
import { type Page, page, slip, stub } from './layout.view.js';
import { type Fact, factList, noteList } from './outcome.view.js';

interface ReceiptModel {
  readonly language: Language;
  readonly payee: Payee;
  readonly amount: Money;
  /** Name of what was paid for, if it has one. */
  readonly description?: string | undefined;
  readonly items?: ShownItems | undefined;
  /** The seller's legal data. */
  readonly seller: { readonly legalName?: string | undefined; readonly taxId?: string | undefined };
  /** Money that the shop has returned, and other money that it has to return. */
  readonly notes: readonly string[];
  readonly facts: readonly Fact[];
  /** Path of the page that the payer came from. */
  readonly backPath: string;
}

export function receiptPage(model: ReceiptModel): Page {
  const { language, payee, amount, description, items, seller, notes, facts, backPath } = model;
  const texts = textsOf[language];
  const links = contactLinks(payee.contact);
  const about: readonly Fact[] = [
    [texts.seller, seller.legalName ?? payee.name],
    [texts.taxId, seller.taxId],
    [texts.address, payee.contact?.address],
    [texts.contact, links.length > 0 ? html`${links}` : undefined],
    ...facts,
  ];
  const sheet: Html = html`<div class="near"><h1>${texts.receiptTitle}</h1>${description !== undefined && html`<p class="soft">${description}</p>`}</div>
${itemList(language, items)}
${noteList(notes)}
${factList(about)}
<div class="near no-print"><button class="btn main full" type="button" id="print" hidden>${texts.print}</button>
<p class="hint">${texts.keepReceipt}</p>
<p><a href="${backPath}">${texts.back}</a></p></div>`;
  return page({
    language,
    title: texts.receiptOf(payee.name),
    payee,
    scripts: ['print.js'],
    body: slip({ language, stub: stub({ language, payee, amount, label: texts.paid }), sheet }),
  });
}
