/** Builds what the page of a payment link shows. */
import { parseAmount } from '../../../shared/domain/money/amount.js';
import { itemCurrencyOf } from '../../../shared/domain/payment-link/payment-link.js';
import { boundsOfLink, type HostedLink, suggestionOfLink } from '../../payment-links/enter-link.js';
import { boundsInWords, refusedCurrency } from '../bounds-in-words.js';
import { formatAmountToType } from '../format.js';
import { type Language, textsOf } from '../language.js';
import type { Form } from '../read-card-form.js';
import { shownItems } from '../shown-items.js';
import type { FieldErrors } from '../views/card-form.view.js';
import type { LinkEnding, LinkModel } from '../views/link.view.js';
import { sentenceWith, shownTime } from '../views/time.view.js';

function suggested(hosted: HostedLink, language: Language): string | undefined {
  const { total, currency } = suggestionOfLink(hosted);
  if (total === undefined || currency === undefined) return undefined;
  const parsed = parseAmount(total, currency);
  return parsed.kind === 'amount' ? formatAmountToType({ totalMinor: parsed.minor, currency }, language) : undefined;
}

/** @param form the form that was sent, when it has to be corrected. */
export function linkModel(hosted: HostedLink, language: Language, errors: FieldErrors, form?: Form): LinkModel {
  const { link, merchant } = hosted;
  const bounds = boundsOfLink(hosted);
  const [currency = ''] = hosted.payableIn;
  const amount = bounds ? undefined : link.amount;
  return {
    language,
    payee: merchant,
    displayName: link.displayName,
    description: link.description,
    items: shownItems(link.items, amount, itemCurrencyOf(link), language),
    amount,
    flexible: bounds && {
      currencies: bounds.allowedCurrencies,
      hint: boundsInWords(bounds, bounds.allowedCurrencies, language, refusedCurrency(errors, form)),
    },
    once: link.type === 'one-time',
    until: link.validUntil && shownTime(link.validUntil, language),
    errors,
    values: form
      ? { total: form['total'], currency: form['currency'] }
      : { total: suggested(hosted, language), currency },
  };
}

/** What is needed to say why a link cannot be paid. */
interface LinkState extends Pick<HostedLink, 'availability'> {
  readonly link: { readonly validFrom?: Date | undefined; readonly validUntil?: Date | undefined };
  readonly merchant: { readonly name: string };
}

/** Says why the link cannot be paid now, and whom to ask; undefined when it can. */
export function linkEnding({ link, availability, merchant }: LinkState, language: Language): LinkEnding | undefined {
  const texts = textsOf[language];
  const { validFrom, validUntil } = link;
  const from = validFrom && sentenceWith(texts.earlyMore, shownTime(validFrom, language));
  const until = validUntil && sentenceWith(texts.linkExpiredMore, shownTime(validUntil, language));
  const [anew, more] = [texts.linkAsk(merchant.name), texts.linkAskMore(merchant.name)];
  const endings = {
    open: undefined,
    early: { kind: 'time', title: texts.earlyTitle, sentences: [from ?? ''], whomToAsk: more },
    paying: { kind: 'time', title: texts.linkBusyTitle, sentences: [texts.linkBusyMore], whomToAsk: more },
    // The payment may be this payer's own, in another browser: a payer who reads that nothing is charged would pay once more.
    ending: { kind: 'time', title: texts.linkBusyTitle, sentences: [texts.linkEndingMore], whomToAsk: more },
    completed: { kind: 'ok', title: texts.linkPaidTitle, sentences: [texts.linkPaidMore], whomToAsk: more },
    expired: { kind: 'time', title: texts.linkOverTitle, sentences: [until ?? texts.nothingCharged], whomToAsk: anew },
    disabled: {
      kind: 'stop',
      title: texts.linkOverTitle,
      sentences: [texts.linkClosedMore(merchant.name)],
      whomToAsk: anew,
    },
  } as const satisfies Record<HostedLink['availability'], LinkEnding | undefined>;
  return endings[availability];
}

/**
 * Returns the end for a link that no payer can pay, whatever they type, so that the page says so before it asks for the amount.
 * Undefined when the link can be paid.
 */
export function unpayableLinkEnding(
  { payableIn, merchant: { name } }: HostedLink,
  language: Language,
): LinkEnding | undefined {
  if (payableIn.length > 0) return undefined;
  const { unavailableTitle: title, unavailableMore, linkAskMore } = textsOf[language];
  return { kind: 'stop', title, sentences: [unavailableMore(name)], whomToAsk: linkAskMore(name) };
}
