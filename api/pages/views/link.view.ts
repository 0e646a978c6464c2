/** The page of a payment link before the checkout: what is paid, and the amount when the payer chooses it. */
import type { Payee } from '../../merchants/payee.js';
import type { Money } from '../format.js';
import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';
import type { Site } from '../site.js';
import { type FieldErrors, offlineNote, problems } from './card-form.view.js';
import { amountFields } from './checkout.view.js';
import { shopContact } from './contact.view.js';
import { itemList, type ShownItems } from './items.view.js';
import { type Page, page, slip, stub } from './layout.view.js';
import { type Ending, endSheet } from './outcome.view.js';
import { sentenceWith } from './time.view.js';

export interface LinkModel {
  readonly language: Language;
  readonly payee: Payee;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly items?: ShownItems | undefined;
  /** Absent when the payer chooses the amount. */
  readonly amount?: Money | undefined;
  readonly flexible?: { readonly currencies: readonly string[]; readonly hint?: string | undefined } | undefined;
  readonly once: boolean;
  /** Formatted time at which the link ends. */
  readonly until?: Html | undefined;
  /** Path of the checkout at which a payment of this browser is in progress. */
  readonly unfinished?: string | undefined;
  readonly errors: FieldErrors;
  readonly values: { readonly total?: string | undefined; readonly currency?: string | undefined };
}

export function linkPage(model: LinkModel): Page {
  const { language, payee, displayName, description, amount, flexible, unfinished, errors, values } = model;
  const texts = textsOf[language];
  const heading = displayName ?? texts.itemsTitle(payee.name);
  const fields = amountFields({ language, flexible, values, errors });
  const complaint = problems(language, errors, undefined, fields || html``);
  const until = model.until && sentenceWith(texts.openUntil, model.until);
  const sheet = html`${complaint || html`<div class="near"><h1>${heading}</h1>${description !== undefined && html`<p class="soft">${description}</p>`}</div>`}
${unfinished !== undefined && html`<div class="alert info near" role="status"><p>${texts.ownUnfinished}</p><p><a href="${unfinished}">${texts.seeOwn}</a></p></div>`}
${itemList(language, model.items)}
<form class="stack" method="post" novalidate data-once>
${fields}
<div class="near"><button class="btn main full" type="submit" id="go" data-working="${texts.working}">${texts.toPayment}</button>
<p class="hint">${unfinished === undefined ? texts.nothingYet : texts.paysAgain} ${model.once && texts.onlyOnce} ${until}</p>
${offlineNote(language)}</div>
</form>`;
  return page({
    language,
    title: complaint ? texts.errorTitle(heading) : `${heading}: ${payee.name}`,
    payee,
    scripts: ['card-form.js'],
    // The heading of the sheet already says what is paid, so the stub does not repeat it.
    body: slip({ language, stub: stub({ language, payee, amount, label: texts.total, stay: true }), sheet }),
  });
}

export interface LinkEnding extends Ending {
  readonly whomToAsk: string;
}

interface LinkEndModel extends LinkEnding {
  readonly language: Language;
  readonly payee: Payee;
  /** For a page that waits: what it shows, and the seconds after which it asks whether that has changed. */
  readonly waits?: { readonly status: string; readonly refreshSeconds: number } | undefined;
}

/** The page that says why the link cannot be paid (now), and whom to ask. */
export function linkEndPage({ language, payee, waits, whomToAsk, ...ending }: LinkEndModel): Page {
  const texts = textsOf[language];
  const sheet = ({ supportUrl }: Site) => html`${endSheet(ending)}
${waits && html`<p><a href="" data-again="${waits.refreshSeconds}" data-status="${waits.status}">${texts.checkAgain}</a></p>`}
<div class="near"><p class="soft">${whomToAsk}</p>
${shopContact(payee.contact)}
${supportUrl !== undefined && html`<p><a href="${supportUrl}" target="_blank" rel="noopener noreferrer">${texts.getHelp}</a></p>`}</div>`;
  const body = slip({ language, stub: stub({ language, payee, label: '' }), sheet });
  const again = waits && { scripts: ['again.js'], refreshSeconds: waits.refreshSeconds };
  return page({ language, title: ending.title, payee, body, ...again });
}
