/** The page between the shop and the payer's bank: a form that a script sends at once, with a button for browsers without scripts. */
import type { Payee } from '../../merchants/payee.js';
import type { Money } from '../format.js';
import { html } from '../html.js';
import { type Language, textsOf } from '../language.js';
import { type Page, page, slip, stub } from './layout.view.js';

interface ChallengeModel {
  readonly language: Language;
  readonly payee: Payee;
  readonly amount: Money;
  /** Issuer's page that receives the CReq. */
  readonly acsUrl: string;
  /** Names and values that are sent to the issuer. */
  readonly fields: Readonly<Record<string, string>>;
}

export function challengePage({ language, payee, amount, acsUrl, fields }: ChallengeModel): Page {
  const texts = textsOf[language];
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const sheet = html`<div class="near"><h1>${texts.toBankTitle}</h1><p class="soft">${texts.toBankMore}</p></div>
<form id="send" method="post" action="${acsUrl}">${inputs}<button class="btn main full">${texts.toBank}</button></form>
<p class="err" role="alert" data-offline="${texts.offlineWaits}"></p>`;
  const what = stub({ language, payee, amount, label: texts.total, stay: true });
  const body = slip({ language, stub: what, sheet });
  return page({ language, title: texts.toBankTitle, payee, scripts: ['send-form.js'], body });
}
