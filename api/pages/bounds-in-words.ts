import { parseAmount, toDecimalText } from '../../shared/domain/money/amount.js';
import { amountRanges } from '../../shared/domain/money/amount-range.js';
import type { FlexibleAmount } from '../../shared/domain/session/session.js';
import { formatFigure, formatMoney } from './format.js';
import { type Language, textsOf } from './language.js';
import type { Form } from './read-card-form.js';
import type { FieldErrors } from './views/card-form.view.js';

/** Converts the bounds to amounts of the one currency: 10.5 becomes at least 11 in JPY. */
function boundsOf({ minAmount, maxAmount }: FlexibleAmount, currency: string) {
  const [range] = amountRanges(minAmount, maxAmount, currency) ?? [];
  const text = (minor: number | undefined) => (minor === undefined ? undefined : toDecimalText(minor, currency));
  return { minAmount: text(range?.minMinor), maxAmount: text(range?.maxMinor) };
}

/**
 * Writes the bounds as text: `From USD 5.00 to USD 100.00`; undefined without bounds. The figures apply in each currency. With several
 * currencies none is named, and each figure has the digits of the first currency in which it is a valid amount.
 * @param currencies that the payer may choose: those of the bounds, or fewer.
 * @param given the currency that the payer chose, after an amount was refused: the text is then about this currency.
 */
export function boundsInWords(
  bounds: FlexibleAmount,
  currencies: readonly string[],
  language: Language,
  given?: string,
): string | undefined {
  const texts = textsOf[language];
  const meant = given !== undefined && currencies.includes(given) ? [given] : currencies;
  const only = meant.length === 1 ? meant[0] : undefined;
  const format = only === undefined ? formatFigure : formatMoney;
  const { minAmount, maxAmount } = only === undefined ? bounds : boundsOf(bounds, only);
  const write = (text: string | undefined) => {
    if (text === undefined) return undefined;
    for (const currency of meant) {
      const parsed = parseAmount(text, currency, { zeroAllowed: true });
      if (parsed.kind === 'amount') return format({ totalMinor: parsed.minor, currency }, language);
    }
    return undefined;
  };
  const [min, max] = [write(minAmount), write(maxAmount)];
  if (min !== undefined && max !== undefined) return texts.between(min, max);
  if (min !== undefined) return texts.atLeast(min);
  return max === undefined ? undefined : texts.atMost(max);
}

/** Returns the currency of an amount that was refused. */
export const refusedCurrency = ({ total }: FieldErrors, form: Form | undefined): string | undefined =>
  total === undefined ? undefined : form?.['currency'];
