/** Pages with nothing to fill in: waiting, paid, saved, expired, cancelled, not found. */
import type { Payee } from '../../merchants/payee.js';
import type { Money } from '../format.js';
import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';
import { shopContact } from './contact.view.js';
import { type Page, page, seal, slip, stub } from './layout.view.js';

interface About {
  readonly language: Language;
  readonly payee: Payee;
  /** The integrator's reference; absent when the gateway created it. */
  readonly reference?: string | undefined;
  /** What is paid, in a few words. */
  readonly description?: string | undefined;
  readonly amount?: Money | undefined;
}

interface ProcessingModel extends About {
  /** Text for the card that pays. */
  readonly card?: string | undefined;
  readonly refreshSeconds: number;
  /** Path of our own page in a hidden frame. */
  readonly framePath?: string | undefined;
}

/** The page shown while the bank decides. Without scripts the page reloads itself. */
export function processingPage(model: ProcessingModel): Page {
  const { language, payee, reference, description, amount, card, refreshSeconds, framePath } = model;
  const texts = textsOf[language];
  const sheet = html`<div class="near" role="status"><h1>${texts.asking}</h1>
<p class="soft">${texts.askingMore}</p></div>
<div class="wait" aria-hidden="true"></div>
<ol class="trail">
<li class="ok"><b>${texts.received}</b><p>${reference !== undefined && `${texts.reference} ${reference}`}</p></li>
<li class="info" aria-current="step"><b>${texts.waiting}</b><p>${card}</p></li>
</ol>
<p class="small soft">${texts.takingLonger(payee.name)} <a href="">${texts.checkAgain}</a></p>
${framePath !== undefined && html`<iframe src="${framePath}" sandbox="allow-forms allow-scripts allow-same-origin" title="${texts.looking}" tabindex="-1" hidden></iframe>`}`;
  return page({
    language,
    title: texts.processingTitle,
    payee,
    scripts: ['wait.js'],
    refreshSeconds,
    body: slip({
      language,
      stub: stub({ language, payee, description, amount, label: texts.total, stay: true }),
      sheet,
    }),
  });
}

/** Name and value; a row without a value is left out. */
export type Fact = readonly [name: string, value: Html | string | undefined];

export const factList = (facts: readonly Fact[]): Html =>
  html`<dl class="facts ruled">${facts.filter(([, value]) => value !== undefined).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/** Notes that a payer must read. */
export const noteList = (notes: readonly string[]): Html =>
  html`${notes.map((note) => html`<div class="alert info"><p>${note}</p></div>`)}`;

interface PaidModel extends About {
  /** Money that the shop has returned, and other money that it has to return. */
  readonly notes: readonly string[];
  readonly facts: readonly Fact[];
  readonly returnUrl?: string | undefined;
  /** The receipt, to keep and print. */
  readonly receiptUrl: string;
}

/** The page of a successful payment, with the way back to the shop. */
export function paidPage(model: PaidModel): Page {
  const { language, payee, description, amount, notes, facts, returnUrl, receiptUrl } = model;
  const texts = textsOf[language];
  const sheet = html`<div class="cluster nowrap">${seal('ok')}<div><h1>${texts.paid}</h1><p class="soft">${texts.hasPayment(payee.name)}</p></div></div>
${noteList(notes)}
${factList(facts)}
<div class="near no-print">${returnUrl !== undefined && html`<a class="btn main full" href="${returnUrl}">${texts.returnTo(payee.name)}</a>`}
<p><a href="${receiptUrl}">${texts.receipt}</a></p></div>`;
  return page({
    language,
    title: texts.paidTitle(payee.name),
    payee,
    body: slip({ language, stub: stub({ language, payee, description, amount, label: texts.paid }), sheet }),
  });
}

export interface Ending {
  readonly kind: 'ok' | 'time' | 'stop';
  readonly title: string;
  readonly sentences: readonly (Html | string)[];
}

interface EndModel extends About, Ending {
  /** The word beside an amount. */
  readonly label: string;
  readonly returnUrl?: string | undefined;
}

/** The sheet of an end, also used inside a frame. */
export const endSheet = ({ kind, title, sentences }: Ending): Html =>
  html`<div class="cluster nowrap">${seal(kind)}<h1>${title}</h1></div>
<div class="near">${sentences.map((sentence) => html`<p>${sentence}</p>`)}</div>`;

/** The page at the end of a session: the card was saved, or nothing was paid. */
export function endPage(model: EndModel): Page {
  const { language, payee, reference, description, amount, kind, title, label, returnUrl } = model;
  const texts = textsOf[language];
  const sheet = html`${endSheet(model)}
<div class="near">${returnUrl !== undefined && html`<a class="btn main full" href="${returnUrl}">${texts.returnTo(payee.name)}</a>`}
${reference !== undefined && html`<p class="hint">${texts.askForHelp} <span class="mono" translate="no">${reference}</span></p>`}
${kind !== 'ok' && shopContact(payee.contact)}</div>`;
  const what = stub({ language, payee, description, amount, label, unpaid: kind !== 'ok' });
  return page({ language, title, payee, body: slip({ language, stub: what, sheet }) });
}

interface ErrorModel {
  readonly language: Language;
  readonly title: string;
  readonly sentences: readonly string[];
  readonly traceId: string;
  /** The problem may soon be over: shows a link to the page itself, because reloading could send a form again. */
  readonly passing?: boolean;
}

/** The page for a wrong address, an unreadable form, or a fault: no merchant is known. */
export function errorPage({ language, title, sentences, traceId, passing = false }: ErrorModel): Page {
  const texts = textsOf[language];
  const sheet = html`${endSheet({ kind: 'stop', title, sentences })}
${passing && html`<p><a href="">${texts.checkAgain}</a></p>`}
<p class="hint">${texts.askForHelp} <span class="mono" translate="no">${traceId}</span></p>`;
  return page({ language, title, body: slip({ language, sheet }) });
}
