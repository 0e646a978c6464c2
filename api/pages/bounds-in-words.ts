import { parseAmount } from '../../shared/domain/money/amount.js';
import type { FlexibleAmount } from '../../shared/domain/session/session.js';
import { formatMoney } from './format.js';
import { type Language, textsOf } from './language.js';

/** `From USD 5.00 to USD 100.00`, in the digits of the first currency; undefined where there is no bound. */
export function boundsInWords(bounds: FlexibleAmount, language: Language): string | undefined {
  const { minAmount, maxAmount, allowedCurrencies } = bounds;
  const [currency = ''] = allowedCurrencies;
  const texts = textsOf[language];
  const write = (text: string | undefined) => {
    const parsed = text === undefined ? undefined : parseAmount(text, currency, { zeroAllowed: true });
    return parsed?.kind === 'amount' ? formatMoney({ totalMinor: parsed.minor, currency }, language) : undefined;
  };
  const [min, max] = [write(minAmount), write(maxAmount)];
  if (min !== undefined && max !== undefined) return texts.between(min, max);
  if (min !== undefined) return texts.atLeast(min);
  return max === undefined ? undefined : texts.atMost(max);
}
