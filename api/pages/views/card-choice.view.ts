/** Saved cards to choose from, and the choice of another card. */
import { formatExpiry } from '../format.js';
import { attribute, type Html, html } from '../html.js';
import { type Language, textsOf } from '../language.js';
import { brandMark, SECONDARY_FORM_ID } from './card-form.view.js';

export interface ShownCard {
  readonly token: string;
  /** For example `visa`. */
  readonly brand: string;
  /** For example `Visa`. */
  readonly brandName: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly panOnly?: true | undefined;
}

/** Value of `source` for a card that the payer types. */
export const NEW_CARD = 'new';

interface CardChoiceModel {
  readonly language: Language;
  readonly cards: readonly ShownCard[];
  readonly canSelect: boolean;
  readonly canDelete: boolean;
  /** Token of the selected card, or `NEW_CARD`. */
  readonly chosen: string | undefined;
  /** Fields that a saved card needs once it is selected. */
  readonly asks?: (card: ShownCard) => Html | false;
  /** Fields of another card; absent when no other card may be used. */
  readonly newCard?: Html | undefined;
  /** Tabs or a heading above already say that this is about cards. */
  readonly named?: boolean;
}

/** Returns `Visa ending 4242` and when the card expires. */
export function cardWords(language: Language, card: ShownCard): { readonly name: string; readonly expires: string } {
  const texts = textsOf[language];
  return {
    name: texts.cardEnding(card.brandName, card.last4),
    expires: texts.expires(formatExpiry(card.expMonth, card.expYear)),
  };
}

/**
 * Asks before it removes a card, because removal is final. Its button belongs to the {@link secondaryActionsForm}, so that the Enter key in the
 * form of the card pays or saves, and never removes.
 */
function removal(language: Language, { token }: ShownCard, name: string): Html {
  const texts = textsOf[language];
  return html`<details class="removal" name="removal"><summary class="bare" aria-label="${texts.removeCard(name)}">${texts.remove}</summary>
<div class="cluster apart"><p class="small">${texts.removeAsk(name)}</p><button class="btn low" type="submit" form="${SECONDARY_FORM_ID}" name="remove" value="${token}">${texts.removeYes}</button></div></details>`;
}

function savedCard({ language, canDelete, canSelect, chosen, asks }: CardChoiceModel, card: ShownCard): Html {
  const { name, expires } = cardWords(language, card);
  const words = html`${brandMark(card.brand)}<span>${name}<span class="small soft">${expires}</span></span>`;
  const checked = attribute('checked', card.token === chosen || undefined);
  const asked = canSelect && asks?.(card);
  const opens = attribute('class', asked ? 'opens' : undefined);
  const shown = canSelect
    ? html`<label><input${opens} type="radio" name="source" value="${card.token}"${checked}>${words}</label>`
    : html`<p class="cluster">${words}</p>`;
  return html`<div class="choice">${shown}${canDelete && removal(language, card, name)}</div>${asked && html`<div class="reveal">${asked}</div>`}`;
}

/** The whole choice; without saved cards only the fields of a new card. */
export function cardChoice(model: CardChoiceModel): Html {
  const { language, cards, canSelect, chosen, newCard } = model;
  const texts = textsOf[language];
  const isNew = html`<input type="hidden" name="source" value="${NEW_CARD}">`;
  if (cards.length === 0) {
    return html`<fieldset class="stack tight"><legend${attribute('class', model.named ? 'hide' : undefined)}>${texts.card}</legend>${newCard ? html`${isNew}${newCard}` : html`<p>${texts.noCards}</p>`}</fieldset>`;
  }
  const list = cards.map((card) => savedCard(model, card));
  if (!canSelect) {
    return html`<fieldset class="stack"><legend>${texts.savedCards}</legend><div class="choices">${list}</div>
${newCard && html`${isNew}${newCard}`}</fieldset>`;
  }
  return html`<fieldset><legend${attribute('class', model.named ? 'hide' : undefined)}>${texts.card}</legend>
<div class="choices" id="source">
${list}
${
  newCard &&
  html`<div class="choice"><label><input class="opens" type="radio" name="source" value="${NEW_CARD}"${attribute('checked', chosen === NEW_CARD || undefined)}><span>${texts.anotherCard}</span></label></div>
<div class="reveal stack">
${newCard}
</div>`
}
</div></fieldset>`;
}
