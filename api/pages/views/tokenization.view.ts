/** The page on which a payer saves a card, on its own or embedded in an integrator's page. */

import type { FieldMode } from '../../../shared/domain/session/session.js';
import type { Payee } from '../../merchants/payee.js';
import { type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';
import type { OfSite, Site } from '../site.js';
import { cardChoice, NEW_CARD, type ShownCard } from './card-choice.view.js';
import {
  actions,
  cardFields,
  type FieldErrors,
  offlineNote,
  problems,
  type Refusal,
  secondaryActionsForm,
} from './card-form.view.js';
import { type Page, page, siteLinks, slip, stub, testMark } from './layout.view.js';
import { type Ending, endSheet } from './outcome.view.js';

/** The integrator's page around ours. */
export interface Frame {
  /** The only origin that receives messages. */
  readonly origin: string;
  readonly sessionId: string;
}

export interface TokenizationModel extends Proof {
  readonly language: Language;
  readonly payee: Payee;
  readonly attempt: number;
  readonly fields: { readonly cvc: FieldMode; readonly cardholder: FieldMode };
  /** For example `USD 1.00`; set when the card is verified. */
  readonly checkedWith?: string | undefined;
  /** Cards saved earlier; empty when the session does not list them. */
  readonly cards: readonly ShownCard[];
  readonly canCreate: boolean;
  readonly canSelect: boolean;
  readonly canDelete: boolean;
  readonly canCancel: boolean;
  readonly errors: FieldErrors;
  readonly refusal?: Refusal | undefined;
  readonly values: {
    readonly exp?: string | undefined;
    readonly name?: string | undefined;
    readonly source?: string | undefined;
  };
}

/** The foot of a framed page, if the operator has links for it. */
function framedFoot(language: Language, site: Site): Html | false {
  const links = siteLinks(language, site);
  return links.length > 0 && html`<p class="cluster small">${links}</p>`;
}

/** @param status what the parent page receives at once. */
const framed =
  (language: Language, { origin, sessionId }: Frame, content: Html, status?: string): OfSite<Html> =>
  (site) =>
    html`<main id="main" class="stack" data-origin="${origin}" data-session="${sessionId}" data-status="${status ?? ''}">
${testMark(language, site)}
${content}
${framedFoot(language, site)}
</main>`;

interface Proof {
  readonly formToken: string;
  /** Set when embedded: no cookie reaches a frame of another site, so the form itself contains what proves the session. */
  readonly frame?: (Frame & { readonly token: string }) | undefined;
}

const proofOf = ({ formToken, frame }: Proof): Html =>
  html`<input type="hidden" name="form" value="${formToken}">${frame && html`<input type="hidden" name="token" value="${frame.token}"><input type="hidden" name="origin" value="${frame.origin}">`}`;

/** Says what happens to the card. Only a new card is verified. */
function promiseOf({ language, checkedWith, canCreate }: TokenizationModel, usable: boolean): string {
  const { saveStored, saveChecked, newChecked } = textsOf[language];
  if (checkedWith === undefined || !canCreate) return saveStored;
  return usable ? newChecked(checkedWith) : saveChecked(checkedWith);
}

export function tokenizationPage(model: TokenizationModel): Page {
  const { language, payee, fields, errors, values, frame } = model;
  const texts = textsOf[language];
  const { cards, canCreate, canSelect, canDelete } = model;
  const usable = canSelect && cards.length > 0;
  const heading = usable ? texts.chooseTitle : texts.saveTitle(payee.name);
  const proof = proofOf(model);
  const newCard = canCreate && cardFields({ language, errors, values, cvc: fields.cvc, name: fields.cardholder });
  const offered = [...(canCreate ? [NEW_CARD] : []), ...cards.map(({ token }) => token)];
  const chosen = offered.find((source) => source === values.source) ?? offered[0];
  const choice = cardChoice({
    language,
    cards,
    canSelect,
    canDelete,
    chosen,
    newCard: newCard || undefined,
    named: true,
  });
  const complaint = problems(language, errors, model.refusal, choice);
  const button = usable ? texts.carryOn : canCreate ? texts.saveCard : undefined;
  const form = html`${complaint || (frame ? html`<h1 class="hide">${heading}</h1>` : html`<h1>${heading}</h1>`)}
<form class="stack" method="post" novalidate data-once>
${proof}<input type="hidden" name="attempt" value="${model.attempt}">
${choice}
${actions(language, { button, promise: promiseOf(model, usable), cancel: model.canCancel })}
</form>
${secondaryActionsForm(proof)}`;
  const title = complaint ? texts.errorTitle(heading) : heading;
  if (frame) {
    const scripts = ['card-form.js', 'frame.js'];
    return page({ language, title, payee, scripts, look: 'embed', body: framed(language, frame, form) });
  }
  const body = slip({ language, stub: stub({ language, payee, label: '' }), sheet: form });
  return page({ language, title, payee, scripts: ['browser-fields.js', 'card-form.js'], body });
}

/** Value of `action` of the form that asks for the session's status. */
export const CHECK_AGAIN = 'check';

/** A form instead of a link, for a frame: the form also sends the origin around it, which the address alone does not contain. */
const againForm = (language: Language, proof: Proof): Html =>
  html`<form method="post" id="again">${proofOf(proof)}<input type="hidden" name="action" value="${CHECK_AGAIN}"><button class="bare" type="submit">${textsOf[language].checkAgain}</button>${offlineNote(language)}</form>`;

interface CheckingModel extends Proof, Pick<TokenizationModel, 'language' | 'payee'> {
  readonly refreshSeconds: number;
}

/** The page shown while the bank verifies the card. Outside of a frame it also reloads itself without scripts. */
export function checkingPage(model: CheckingModel): Page {
  const { language, payee, frame, refreshSeconds } = model;
  const texts = textsOf[language];
  const again = frame ? againForm(language, model) : html`<p class="small"><a href="">${texts.checkAgain}</a></p>`;
  const content = html`<div class="near" role="status"><h1>${texts.checkingTitle}</h1><p class="soft">${texts.checkingMore}</p></div>
<div class="wait" aria-hidden="true"></div>
<p class="small soft">${texts.checkingLonger(payee.name)}</p>
${again}`;
  const about = { language, title: texts.checkingTitle, payee };
  if (frame) {
    const body = framed(language, frame, content, 'waiting');
    return page({ ...about, scripts: ['frame.js', 'wait.js'], look: 'embed', body });
  }
  const body = slip({ language, stub: stub({ language, payee, label: '' }), sheet: content });
  return page({ ...about, scripts: ['wait.js'], refreshSeconds, body });
}

/** The frame's content at the end of the session; the parent page receives `status`. */
export function framedEndPage(language: Language, frame: Frame, ending: Ending, status: string): Page {
  const body = framed(language, frame, endSheet(ending), status);
  return page({ language, title: ending.title, scripts: ['frame.js'], look: 'embed', body });
}

interface FaultModel extends Proof, Pick<TokenizationModel, 'language'> {
  readonly frame: NonNullable<Proof['frame']>;
  readonly traceId: string;
}

/** The page of a fault of ours in a frame: the session is not over, and the payer may continue. */
export function framedFaultPage(model: FaultModel): Page {
  const { language, frame, traceId } = model;
  const { failedTitle: title, failedMore, askForHelp } = textsOf[language];
  const content = html`${endSheet({ kind: 'stop', title, sentences: [failedMore] })}
${againForm(language, model)}
<p class="hint">${askForHelp} <span class="mono" translate="no">${traceId}</span></p>`;
  const body = framed(language, frame, content, 'error');
  return page({ language, title, scripts: ['frame.js'], look: 'embed', body });
}
