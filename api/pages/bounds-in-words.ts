import { parseAmount } from '../../shared/domain/money/amount.js';
import type { FlexibleAmount } from '../../shared/domain/session/session.js';
import { formatFigure, formatMoney } from './format.js';
import { type Language, textsOf } from './language.js';

/**
 * `From USD 5.00 to USD 100.00`; undefined where there is no bound. The figures hold in each currency: where there are several,
 * none is named, and the figures have the digits of the first that they are an amount of.
 * @param currencies that the payer may choose: those of the bounds, or fewer.
 */
export function boundsInWords(
  { minAmount, maxAmount }: FlexibleAmount,
  currencies: readonly string[],
  language: Language,
): string | undefined {
  const texts = textsOf[language];
  const format = currencies.length === 1 ? formatMoney : formatFigure;
  const write = (text: string | undefined) => {
    if (text === undefined) return undefined;
    for (const currency of currencies) {
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
