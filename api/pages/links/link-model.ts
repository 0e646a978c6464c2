/** From a payment link to what its page shows. */
import { Decimal } from 'decimal.js';
import { parseAmount } from '../../../shared/domain/money/amount.js';
import type { PaymentItem } from '../../../shared/domain/payment/payment.js';
import type { PaymentLink } from '../../../shared/domain/payment-link/payment-link.js';
import { boundsOfLink, type HostedLink, suggestionOfLink } from '../../usecases/enter-link.js';
import { boundsInWords } from '../bounds-in-words.js';
import { formatAmountToType, formatMoney, formatTime } from '../format.js';
import { type Language, textsOf } from '../language.js';
import type { Form } from '../read-card-form.js';
import type { FieldErrors } from '../views/card-form.view.js';
import type { LinkModel, ShownItem } from '../views/link.view.js';
import type { Ending } from '../views/outcome.view.js';

/** An amount of an item, which may have more decimals than its currency: then it stays as it was sent. */
function written(text: string, currency: string, language: Language): string {
  const parsed = parseAmount(text, currency, { zeroAllowed: true });
  return parsed.kind === 'amount'
    ? formatMoney({ totalMinor: parsed.minor, currency }, language)
    : `${currency} ${text}`;
}

function shownItem(item: PaymentItem, currency: string, language: Language): ShownItem {
  const { name, description, quantity, price, discount, tax } = item;
  const total = Decimal.max(new Decimal(price).times(quantity).minus(discount ?? 0), 0);
  return {
    name,
    description,
    quantity,
    price: written(price, currency, language),
    total: written(total.toFixed(), currency, language),
    discount: discount === undefined ? undefined : written(discount, currency, language),
    tax: tax && written(tax.amount, tax.currency, language),
  };
}

function suggested(link: PaymentLink, currency: string, language: Language): string | undefined {
  const text = suggestionOfLink(link);
  const parsed = text === undefined ? undefined : parseAmount(text, currency);
  return parsed?.kind === 'amount' ? formatAmountToType({ totalMinor: parsed.minor, currency }, language) : undefined;
}

/** @param form what was sent, after a mistake. */
export function linkModel(
  { link, merchant }: HostedLink,
  language: Language,
  errors: FieldErrors,
  form?: Form,
): LinkModel {
  const bounds = boundsOfLink(link);
  const [currency = ''] = link.currencies;
  return {
    language,
    payee: merchant,
    displayName: link.displayName,
    description: link.description,
    items: (link.items ?? []).map((item) => shownItem(item, link.amount?.currency ?? currency, language)),
    amount: bounds ? undefined : link.amount,
    flexible: bounds && { currencies: bounds.allowedCurrencies, hint: boundsInWords(bounds, language) },
    once: link.type === 'one-time',
    until: link.validUntil && formatTime(link.validUntil, language),
    errors,
    values: form
      ? { total: form['total'], currency: form['currency'] }
      : { total: suggested(link, currency, language), currency },
  };
}

/** Why the link cannot be paid now; undefined when it can. */
export function linkEnding({ link, door, merchant }: HostedLink, language: Language): Ending | undefined {
  const texts = textsOf[language];
  const endings = {
    open: undefined,
    early: {
      kind: 'time',
      title: texts.earlyTitle,
      sentences: [texts.earlyMore(link.validFrom ? formatTime(link.validFrom, language) : '')],
    },
    paying: { kind: 'time', title: texts.linkBusyTitle, sentences: [texts.linkBusyMore] },
    completed: { kind: 'ok', title: texts.linkPaidTitle, sentences: [texts.linkPaidMore] },
    expired: { kind: 'time', title: texts.linkExpiredTitle, sentences: [texts.linkExpiredMore(merchant.name)] },
    disabled: { kind: 'stop', title: texts.linkClosedTitle, sentences: [texts.linkClosedMore(merchant.name)] },
  } as const satisfies Record<HostedLink['door'], Ending | undefined>;
  return endings[door];
}
