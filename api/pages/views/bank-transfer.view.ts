/** Paying by bank transfer: the form that requests a code, and the page with the code while it waits. Pure functions of their models. */

import { secondsUntil } from '../../../shared/domain/time.js';
import type { Payee } from '../../merchants/payee.js';
import { formatMoney, type Money } from '../format.js';
import { attribute, type Html, html, raw } from '../html.js';
import { type Language, textsOf } from '../language.js';
import {
  actions,
  type FieldErrors,
  offlineNote,
  problems,
  type Refusal,
  secondaryActionsForm,
} from './card-form.view.js';
import type { ShownItems } from './items.view.js';
import { type Page, page, slip, stub } from './layout.view.js';
import { sentenceWith, shownClock } from './time.view.js';

interface About {
  readonly language: Language;
  readonly payee: Payee;
  readonly reference?: string | undefined;
  /** What is paid, in a few words. */
  readonly description: string;
  readonly items?: ShownItems | undefined;
  /** Absent when the payer chooses the amount. */
  readonly amount?: Money | undefined;
  readonly formToken: string;
}

/** Payment method that a page shows; the link to the other method has it in its query. */
export type MethodChoice = 'card' | 'transfer';

/** Returns the query of the page of a payment method. */
export const methodQuery = (method: MethodChoice): string => `method=${method}`;

/** The tabs of both payment methods, for a page that offers both. */
export function methodTabs(language: Language, current: MethodChoice): Html {
  const texts = textsOf[language];
  const tab = (method: MethodChoice, name: string) =>
    html`<a href="?${methodQuery(method)}&amp;lang=${language}"${attribute('aria-current', method === current ? 'page' : undefined)}>${name}</a>`;
  return html`<nav class="tabs" aria-label="${texts.methods}">${tab('card', texts.card)}${tab('transfer', texts.transfer)}</nav>`;
}

const whatIsPaid = ({ language, payee, description, reference, items, amount }: About): Html => {
  const texts = textsOf[language];
  const facts = reference === undefined ? [] : ([[texts.reference, reference]] as const);
  return stub({ language, payee, description, facts, items, amount, label: texts.total, stay: true });
};

export interface TransferChoiceModel extends About {
  /** Whether the payer can also use cards. */
  readonly cards: boolean;
  readonly attempt: number;
  /** How long a code can be paid (minutes). */
  readonly minutes: number;
  /** Whether a code was made before: the button then makes a new one. */
  readonly again: boolean;
  /** Fields of the amount when the payer chooses it. */
  readonly amountFields: Html | false;
  readonly errors: FieldErrors;
  readonly refusal?: Refusal | undefined;
}

/** The page that explains a bank transfer, with the button that makes a code. */
export function transferChoicePage(model: TransferChoiceModel): Page {
  const { language, payee, amount, errors, refusal } = model;
  const texts = textsOf[language];
  const complaint = problems(language, errors, refusal, model.amountFields || html``);
  const title =
    amount === undefined
      ? texts.payAnyTitle(payee.name)
      : texts.transferTitle(formatMoney(amount, language), payee.name);
  const sheet = html`${complaint || html`<h1>${texts.howToPay}</h1>`}
${model.cards && methodTabs(language, 'transfer')}
<form class="stack" method="post" novalidate data-once>
<input type="hidden" name="form" value="${model.formToken}"><input type="hidden" name="attempt" value="${model.attempt}"><input type="hidden" name="method" value="transfer">
${model.amountFields}
<div class="near"><p>${texts.transferHow}</p><p class="hint">${texts.transferFor(model.minutes)}</p></div>
${actions(language, { button: model.again ? texts.newCode : texts.showCode, promise: texts.encryptedTransfer, cancel: true })}
</form>
${secondaryActionsForm(html`<input type="hidden" name="form" value="${model.formToken}">`)}`;
  return page({
    language,
    title: complaint ? texts.errorTitle(title) : title,
    payee,
    scripts: ['card-form.js'],
    body: slip({ language, wide: true, stub: whatIsPaid(model), sheet, kept: methodQuery('transfer') }),
  });
}

export interface TransferModel extends About {
  readonly amount: Money;
  /** An earlier code brought money that the shop has to return. */
  readonly earlierTransfer?: boolean;
  /** Absent while the code is being made, and after it ran out. */
  readonly code?: { readonly value: string; readonly url: string; readonly base64Image: string } | undefined;
  /** The code ran out and can no longer be paid. */
  readonly over: boolean;
  /** Number of the try that the code belongs to. */
  readonly attempt?: number | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly now: Date;
  /** Status that the page shows: the script reloads the page when the status has changed. */
  readonly status: string;
  readonly refreshSeconds: number;
}

const PICTURE_PX = 240;

/** Formats a time left: `12:41`. */
function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function timeLeft({ language, createdAt, expiresAt, now }: TransferModel): Html {
  const texts = textsOf[language];
  const all = secondsUntil(createdAt, expiresAt);
  const left = secondsUntil(now, expiresAt);
  return html`<div class="near"><p class="cluster apart"><span id="left">${texts.timeLeft}</span><strong class="num"><time data-left="${left}">${minutesAndSeconds(left)}</time></strong></p>
<progress max="${all}" value="${left}" aria-labelledby="left"></progress>
<p class="hint">${sentenceWith(texts.codeUntil, shownClock(expiresAt, language))}</p></div>`;
}

function shownCode(model: TransferModel, code: NonNullable<TransferModel['code']>): Html {
  const { language, payee, amount } = model;
  const texts = textsOf[language];
  const price = formatMoney(amount, language);
  const atBank = /^https?:/.test(code.url);
  return html`<div class="ways">
<section class="near" aria-labelledby="here"><h2 id="here"><span class="telephone">${texts.onThisPhone}</span><span class="screen">${texts.onThisDevice}</span></h2><p class="hint">${texts.onThisPhoneMore}</p>
<p class="cluster"><button class="btn main" type="button" id="copy" data-copy="code" data-done="${texts.copied}" hidden>${texts.copyCode}</button><span class="hide" role="status" data-copied></span>
${atBank && html`<a class="btn" href="${code.url}" target="_blank" rel="noopener noreferrer" id="bank">${texts.openBank}</a>`}</p>
<details><summary>${texts.codeAsText}</summary><pre tabindex="0" id="code" translate="no">${code.value}</pre></details></section>
${timeLeft(model)}
<section class="qrset" aria-labelledby="scan">
<img class="qr" src="data:image/png;base64,${code.base64Image}" width="${PICTURE_PX}" height="${PICTURE_PX}" alt="${texts.codeAlt(price, payee.name)}">
<div class="stack tight"><h2 id="scan">${texts.payInApp}</h2>
<ol class="todo">${texts.codeSteps(price, payee.name).map((step) => html`<li>${step}</li>`)}</ol></div>
</section>
</div>`;
}

/** The page with the code: how to pay it, how much time is left, and that the page waits. */
export function transferPage(model: TransferModel): Page {
  const { language, payee, amount, code, over, attempt, status, formToken, refreshSeconds } = model;
  const texts = textsOf[language];
  const title = texts.transferTitle(formatMoney(amount, language), payee.name);
  const earlier = model.earlierTransfer || undefined;
  const atEnd = code && html` data-over="${texts.codeRunOut}" data-over-more="${texts.codeRunOutWait}"`;
  const heading = over ? texts.codeRunOut : texts.makingCode;
  const sheet = html`<h1>${code ? title : heading}</h1>
${earlier && html`<div class="alert bad" role="alert"><p>${texts.transferEarlier}</p></div>`}
${code ? shownCode(model, code) : raw('<div class="wait" aria-hidden="true"></div>')}
<div class="alert info near" role="status"${attribute('data-attempt', attempt?.toString())}${attribute('data-earlier', earlier)} data-status="${status}"${atEnd}><h2>${texts.waitingTransfer}</h2><p class="small"><span>${over ? texts.codeRunOutWait : texts.waitingTransferMore}</span> <a href="">${texts.checkAgain}</a></p></div>
<form method="post"><input type="hidden" name="form" value="${formToken}">${attempt !== undefined && html`<input type="hidden" name="attempt" value="${attempt}">`}<button class="bare" name="action" value="cancel-transfer" id="cancel">${texts.cancelTransfer}</button>${offlineNote(language)}</form>`;
  return page({
    language,
    title,
    payee,
    scripts: ['transfer.js', 'copy.js'],
    refreshSeconds,
    body: slip({ language, wide: true, stub: whatIsPaid(model), sheet }),
  });
}
