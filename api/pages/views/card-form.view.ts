/** The fields of a card, with the error of each. Number and cvc are never written back into a page. */
import type { FieldMode } from '../../../shared/domain/session/session.js';
import { assetPath } from '../assets.js';
import { markedBrands } from '../brand-table.js';
import { brandName } from '../format.js';
import { attribute, type Html, html, raw } from '../html.js';
import { type Language, textsOf } from '../language.js';

/**
 * Names of the fields of the forms, in the order of a page; also the ids of their controls. `savedCvc` is the cvc of the selected saved
 * card ({@link savedCvcName}).
 */
export const fieldNames = [
  'total',
  'currency',
  'source',
  'savedCvc',
  'number',
  'exp',
  'cvc',
  'name',
  'installments',
] as const;
export type FieldName = (typeof fieldNames)[number];

/** Errors by field, in the payer's language. */
export type FieldErrors = Partial<Readonly<Record<FieldName, string>>>;

/** Returns the name of the cvc field of a saved card: each has its own, so that the cvc of one card is never sent with another. */
export const savedCvcName = (token: string) => `cvc-${token}` as const;

interface LabelledModel {
  readonly id: FieldName | ReturnType<typeof savedCvcName>;
  /** Name of the field; the id by default. */
  readonly name?: string | undefined;
  readonly label: string;
  /** Shown beside the label. */
  readonly aside?: Html | undefined;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * A label, a control, its hint and its error, connected for screen readers.
 * @param control renders the control with the attributes that connect it
 */
function labelledControl(
  { id, name = id, label, aside, hint, error }: LabelledModel,
  control: (ties: Html) => Html,
): Html {
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  const labelled = html`<label for="${id}">${label}</label>`;
  const ties = html` id="${id}" name="${name}"${attribute('aria-invalid', error === undefined ? undefined : 'true')}${attribute('aria-describedby', described === '' ? undefined : described)}`;
  return html`<div class="field">${aside ? html`<div class="top">${labelled}${aside}</div>` : labelled}
${error !== undefined && html`<p class="err" id="${id}-error">${error}</p>`}
${control(ties)}
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`;
}

interface InputModel extends LabelledModel {
  readonly value?: string | undefined;
  readonly attributes: Html;
  readonly look?: string;
}

/** A text field. */
export const field = ({ value, attributes, look = 'in', ...model }: InputModel): Html =>
  labelledControl(
    model,
    (ties) => html`<input class="${look}" type="text"${ties}${attributes}${attribute('value', value)}>`,
  );

interface SelectModel extends LabelledModel {
  readonly options: readonly { readonly value: string; readonly name: string }[];
  /** Value of the selected option; the first one by default. */
  readonly chosen: string | undefined;
}

/** A field with one choice of a list. */
export const selectField = ({ options, chosen, ...model }: SelectModel): Html =>
  labelledControl(
    model,
    (ties) =>
      html`<select class="in"${ties}>${options.map(({ value, name }) => html`<option value="${value}"${attribute('selected', value === chosen || undefined)}>${name}</option>`)}</select>`,
  );

/**
 * Length of a number or cvc as it may be pasted, with spaces and hyphens around the digits. A browser cuts a longer text before a script
 * sees it: the last digits would be missing.
 */
const TYPED_LENGTH_MAX = 80;

/** Number of logos that a form shows before the brand is recognized; the style sheet hides the others until then. */
const MARKS_AT_FIRST = 4;

/** Logos of brands. Those that are hidden at first are loaded only when they are shown. */
const marks = (): Html =>
  html`<span class="marks">${markedBrands.map((code, at) => html`<img src="${assetPath(`brand-${code}.svg`)}" alt="${brandName(code)}" width="36" height="24" data-brand="${code}"${attribute('loading', at < MARKS_AT_FIRST ? undefined : 'lazy')}>`)}</span>`;

/** Logo of a brand, if there is one. */
export const brandMark = (code: string): Html | false =>
  markedBrands.some((known) => known === code) &&
  html`<img src="${assetPath(`brand-${code}.svg`)}" alt="" width="36" height="24">`;

interface CvcModel extends Partial<Pick<InputModel, 'id' | 'name'>> {
  readonly language: Language;
  readonly label?: string;
  readonly mode: FieldMode;
  readonly error?: string | undefined;
}

/** The field of the security code. */
export function cvcField({ language, id = 'cvc', name, label, mode, error }: CvcModel): Html | false {
  const texts = textsOf[language];
  if (mode === 'hidden') return false;
  return field({
    id,
    name,
    label: `${label ?? texts.cvc}${mode === 'optional' ? ` (${texts.optional})` : ''}`,
    hint: texts.cvcHint,
    error,
    attributes: raw(` inputmode="numeric" autocomplete="cc-csc" maxlength="${TYPED_LENGTH_MAX}" spellcheck="false"`),
  });
}

interface CardFieldsModel {
  readonly language: Language;
  readonly errors: FieldErrors;
  /** Values kept after an error: never the number or the cvc. */
  readonly values: { readonly exp?: string | undefined; readonly name?: string | undefined };
  readonly cvc: FieldMode;
  readonly name: FieldMode;
}

/** The fields of a new card. */
export function cardFields({ language, errors, values, cvc, name }: CardFieldsModel): Html {
  const texts = textsOf[language];
  const number = field({
    id: 'number',
    label: texts.number,
    aside: marks(),
    error: errors.number,
    attributes: raw(` inputmode="numeric" autocomplete="cc-number" maxlength="${TYPED_LENGTH_MAX}" spellcheck="false"`),
  });
  const expiry = field({
    id: 'exp',
    label: texts.expiry,
    hint: texts.expiryHint,
    value: values.exp,
    error: errors.exp,
    attributes: raw(' inputmode="numeric" autocomplete="cc-exp" maxlength="12"'),
  });
  const holder = field({
    id: 'name',
    label: `${texts.name}${name === 'optional' ? ` (${texts.optional})` : ''}`,
    value: values.name,
    error: errors.name,
    attributes: raw(' autocomplete="cc-name" autocapitalize="words" spellcheck="false" maxlength="80"'),
  });
  return html`${number}
<div class="pair">
${expiry}
${cvcField({ language, mode: cvc, error: errors.cvc })}
</div>
${name !== 'hidden' && holder}`;
}

/** Why the previous attempt failed: a heading and its sentences. */
export interface Refusal {
  readonly title: string;
  readonly sentences: readonly string[];
}

/**
 * Lists all errors in one place, with links to the fields, and takes the focus.
 * @param form an error of a field that is not in this form is shown without a link
 */
export function problems(
  language: Language,
  errors: FieldErrors,
  refusal: Refusal | undefined,
  form: Html,
): Html | false {
  const texts = textsOf[language];
  const named = fieldNames.filter((name) => errors[name] !== undefined);
  if (!refusal && named.length === 0) return false;
  const has = (name: FieldName) => form.text.includes(` id="${name}"`);
  return html`<div class="alert bad near" id="errors" role="alert" tabindex="-1" autofocus>
<h1>${refusal?.title ?? texts.correctFirst}</h1>
${refusal?.sentences.map((sentence) => html`<p>${sentence}</p>`)}
${named.length > 0 && html`<ul>${named.map((name) => html`<li>${has(name) ? html`<a href="#${name}">${errors[name]}</a>` : errors[name]}</li>`)}</ul>`}
</div>`;
}

const lock = raw(
  '<svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><rect x="4" y="11" width="16" height="10" rx="2"/><path d="M8 11V7a4 4 0 0 1 8 0v4"/></svg>',
);

/** Id of {@link secondaryActionsForm}. */
export const SECONDARY_FORM_ID = 'aside';

/**
 * The form of the secondary actions: cancel, remove a card. Its buttons are placed where they are needed and refer to it by id, so that
 * the form of the card has only one button, and typed values are not sent with these actions. It is beside the form of the card, never
 * inside it.
 * @param proofs hidden fields that prove the session.
 */
export const secondaryActionsForm = (proofs: Html): Html =>
  html`<form id="${SECONDARY_FORM_ID}" method="post" data-once hidden>${proofs}</form>`;

/** Empty until a form of the page is sent without a network: `offline.js` then shows why nothing happened. Once per page. */
export function offlineNote(language: Language): Html {
  const { offlineNotSent, backOnline } = textsOf[language];
  return html`<p class="err" role="alert" data-offline="${offlineNotSent}" data-online="${backOnline}"></p>`;
}

interface ActionsModel {
  /** Absent when there is nothing to send. */
  readonly button?: string | undefined;
  readonly promise: string;
  readonly cancel: boolean;
  /** Text of the button after the payer typed an amount, which replaces `%`. */
  readonly template?: string | undefined;
}

/** The only primary button, its promise, and the button to cancel, which belongs to the {@link secondaryActionsForm}. */
export function actions(language: Language, { button, promise, cancel, template }: ActionsModel): Html {
  const texts = textsOf[language];
  return html`<div class="near">${button !== undefined && html`<button class="btn main full" type="submit" id="go" data-working="${texts.working}"${attribute('data-amount', template)}>${button}</button>`}
<p class="note">${lock}<span>${promise}</span></p>
${offlineNote(language)}
${cancel && html`<p><button class="bare" type="submit" form="${SECONDARY_FORM_ID}" name="action" value="cancel">${texts.cancel}</button></p>`}</div>`;
}
