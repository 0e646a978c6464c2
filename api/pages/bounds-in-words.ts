import { parseAmount, toDecimalText } from '../../shared/domain/money/amount.js';
import { amountRanges } from '../../shared/domain/money/amount-range.js';
import type { FlexibleAmount } from '../../shared/domain/session/session.js';
import { formatFigure, formatMoney } from './format.js';
import { type Language, textsOf } from './language.js';
import type { Form } from './read-card-form.js';
import type { FieldErrors } from './views/card-form.view.js';

/** The bounds as amounts of the one currency: 10.5 is 11 at least in JPY. */
function boundsOf({ minAmount, maxAmount }: FlexibleAmount, currency: string) {
  const [range] = amountRanges(minAmount, maxAmount, currency) ?? [];
  const text = (minor: number | undefined) => (minor === undefined ? undefined : toDecimalText(minor, currency));
  return { minAmount: text(range?.minMinor), maxAmount: text(range?.maxMinor) };
}

/**
 * `From USD 5.00 to USD 100.00`; undefined where there is no bound. The figures hold in each currency: where there are several,
 * none is named, and the figures have the digits of the first that they are an amount of.
 * @param currencies that the payer may choose: those of the bounds, or fewer.
 * @param given the one that the payer chose, after an amount that was refused: what is said is about that one.
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

/** The currency of an amount that was refused. */
export const refusedCurrency = ({ total }: FieldErrors, form: Form | undefined): string | undefined =>
  total === undefined ? undefined : form?.['currency'];
