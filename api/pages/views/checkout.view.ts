/** The page on which a payer pays: a pure function of its model. */

import type { FieldMode } from '../../../shared/domain/session/session.js';
import type { Payee } from '../../merchants/payee.js';
import { formatMoney, type Money } from '../format.js';
import { attribute, type Html, html, raw } from '../html.js';
import { type Language, textsOf } from '../language.js';
import { methodQuery, methodTabs } from './bank-transfer.view.js';
import { cardChoice, cardWords, NEW_CARD, type ShownCard } from './card-choice.view.js';
import {
  actions,
  brandMark,
  cardFields,
  cvcField,
  type FieldErrors,
  field,
  problems,
  type Refusal,
  savedCvcName,
  secondaryActionsForm,
  selectField,
} from './card-form.view.js';
import type { ShownItems } from './items.view.js';
import { type Page, page, slip, stub } from './layout.view.js';
import {
  TYPED_FORM_ID,
  type TypedAmount,
  WALLET_SCRIPT_ID,
  type WalletGuest,
  walletButton,
} from './wallet-button.view.js';

export interface CheckoutModel {
  readonly language: Language;
  readonly payee: Payee;
  readonly reference?: string | undefined;
  /** What is paid, in a few words. */
  readonly description: string;
  readonly items?: ShownItems | undefined;
  /** Absent when the payer chooses the amount. */
  readonly amount?: Money | undefined;
  readonly flexible?: TypedAmount | undefined;
  readonly cards: readonly ShownCard[];
  readonly canSelect: boolean;
  readonly canDelete: boolean;
  /** How a card is saved if the payer ticks the box; absent: saving is not offered. */
  readonly savesAs?: 'store' | 'temporal' | undefined;
  /** Whether the session requires, allows or hides the name on a new card. */
  readonly nameMode: FieldMode;
  /** The saved card that the session is for: only its cvc is asked for. */
  readonly only?: ShownCard | undefined;
  /** Numbers of installments that the payer may choose; empty: the page does not ask. */
  readonly installments: readonly number[];
  /** Number of installments that was agreed beforehand. */
  readonly agreedInstallments?: number | undefined;
  /** Whether a bank transfer may be chosen instead. */
  readonly transfer: boolean;
  /** The wallet's button, shown above the cards, or below the form when the payer chooses the amount. */
  readonly wallet?: 'mock' | WalletGuest | undefined;
  readonly attempt: number;
  readonly formToken: string;
  readonly errors: FieldErrors;
  readonly refusal?: Refusal | undefined;
  /** Values that the payer typed, without number and cvc. */
  readonly values: Readonly<
    Partial<Record<'exp' | 'name' | 'total' | 'currency' | 'source' | 'save' | 'installments', string | undefined>>
  >;
}

/** Fields of amount and currency, when the payer chooses them. */
export function amountFields({
  language,
  flexible,
  values,
  errors,
}: Pick<CheckoutModel, 'language' | 'flexible' | 'values' | 'errors'>): Html | false {
  if (!flexible) return false;
  const texts = textsOf[language];
  const { currencies, hint } = flexible;
  const [first] = currencies;
  const single = currencies.length === 1;
  const total = field({
    id: 'total',
    label: single ? `${texts.amount} (${first})` : texts.amount,
    hint,
    value: values.total,
    error: errors.total,
    look: 'in sum',
    attributes: raw(' inputmode="decimal" autocomplete="transaction-amount" maxlength="17"'),
  });
  const currency = single
    ? html`<input type="hidden" name="currency" value="${first}">`
    : selectField({
        id: 'currency',
        label: texts.currency,
        options: currencies.map((code) => ({ value: code, name: code })),
        chosen: values.currency,
        error: errors.currency,
      });
  return html`<div class="pair">
${total}
${currency}
</div>`;
}

function newCard({ language, errors, values, savesAs, nameMode, payee }: CheckoutModel): Html {
  const { saveFor, saveForADay } = textsOf[language];
  const promise = savesAs === 'store' ? saveFor(payee.name) : saveForADay(payee.name);
  return html`${cardFields({ language, errors, values, cvc: 'required', name: nameMode })}
${savesAs && html`<label class="tick"><input type="checkbox" name="save" value="1"${attribute('checked', values.save === '1' || undefined)}><span>${promise}</span></label>`}`;
}

function onlyCard(language: Language, card: ShownCard, errors: FieldErrors): Html {
  const { name, expires } = cardWords(language, card);
  return html`<input type="hidden" name="source" value="${card.token}"><p class="cluster nowrap">${brandMark(card.brand)}<span>${name}, <span class="small soft">${expires}</span></span></p>
${cvcField({ language, label: textsOf[language].cvcOfCard(name), mode: 'required', error: errors.cvc })}`;
}

/** The cvc field of a saved card that may be refused without its cvc. */
const codeOf =
  ({ language, errors, values }: CheckoutModel) =>
  (card: ShownCard): Html | false => {
    if (!card.panOnly) return false;
    const marked = card.token === values.source;
    const name = savedCvcName(card.token);
    const label = textsOf[language].cvcOfCard(cardWords(language, card).name);
    const error = marked ? errors.savedCvc : undefined;
    return cvcField({ language, id: marked ? 'savedCvc' : name, name, label, mode: 'required', error });
  };

function source(model: CheckoutModel): Html {
  const { language, cards, canSelect, canDelete, only, values, errors } = model;
  if (only) return onlyCard(language, only, errors);
  const offered = [...cards.map(({ token }) => token), NEW_CARD];
  const chosen = offered.find((token) => token === values.source) ?? offered[0];
  return cardChoice({
    language,
    cards,
    canSelect,
    canDelete,
    chosen,
    asks: codeOf(model),
    newCard: newCard(model),
    named: model.transfer,
  });
}

function installmentChoice({ language, installments, amount, values, errors }: CheckoutModel): Html | false {
  if (installments.length === 0) return false;
  const texts = textsOf[language];
  const name = (count: number) =>
    amount
      ? texts.payments(count, formatMoney({ ...amount, totalMinor: Math.ceil(amount.totalMinor / count) }, language))
      : String(count);
  return selectField({
    id: 'installments',
    label: texts.installments,
    options: installments.map((count) => ({ value: String(count), name: name(count) })),
    chosen: values.installments,
    error: errors.installments,
  });
}

export function checkoutPage(model: CheckoutModel): Page {
  const { language, payee, amount, reference, description, agreedInstallments, errors, refusal } = model;
  const texts = textsOf[language];
  const price = amount && formatMoney(amount, language);
  const title = price === undefined ? texts.payAnyTitle(payee.name) : texts.payTitle(price, payee.name);
  const proof = html`<input type="hidden" name="form" value="${model.formToken}">`;
  const form = html`<form class="stack" method="post" novalidate data-once id="${TYPED_FORM_ID}">
${proof}<input type="hidden" name="attempt" value="${model.attempt}">${model.transfer && html`<input type="hidden" name="method" value="card">`}
${amountFields(model)}
${source(model)}
${installmentChoice(model)}
${actions(language, {
  button: price === undefined ? texts.payNow : texts.pay(price),
  promise: texts.encrypted(payee.name),
  cancel: true,
  template: price === undefined ? texts.pay('%') : undefined,
})}
</form>`;
  const complaint = problems(language, errors, refusal, form);
  const sheet = html`${complaint || html`<h1>${texts.howToPay}</h1>`}
${model.transfer && methodTabs(language, 'card')}
${!model.flexible && walletButton(model)}
${form}
${secondaryActionsForm(proof)}
${model.flexible && walletButton(model)}`;
  const guest = model.wallet === 'mock' ? undefined : model.wallet;
  const facts: (readonly [string, string])[] = reference === undefined ? [] : [[texts.reference, reference]];
  if (agreedInstallments !== undefined) facts.push([texts.installments, String(agreedInstallments)]);
  const what = stub({
    language,
    payee,
    description,
    facts,
    items: model.items,
    amount,
    label: texts.total,
    stay: true,
  });
  return page({
    language,
    title: complaint ? texts.errorTitle(title) : title,
    payee,
    scripts: ['browser-fields.js', 'card-form.js', ...(guest ? ['wallet-a.js'] : [])],
    guest: guest && { id: WALLET_SCRIPT_ID, url: guest.url, nonce: guest.nonce },
    body: slip({ language, wide: true, stub: what, sheet, kept: model.transfer ? methodQuery('card') : undefined }),
  });
}
