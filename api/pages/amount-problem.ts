/** Explains what is wrong with an amount that a payer typed. */
import { parseAmount } from '../../shared/domain/money/amount.js';
import { type AmountBounds, amountRanges } from '../../shared/domain/money/amount-range.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import { chooseAmount } from '../../shared/domain/session/rules.js';
import type { FlexibleAmount } from '../../shared/domain/session/session.js';
import { formatAmountToType } from './format.js';
import { type Language, textsOf } from './language.js';
import type { Form } from './read-card-form.js';
import { readTotal } from './read-total.js';
import type { FieldErrors } from './views/card-form.view.js';

/** Returns an example amount in the currency, as a payer may type it: `1000.00`, or the bound that is nearest to that. */
export function amountExample(currency: string, language: Language, { minAmount, maxAmount }: AmountBounds): string {
  const [range] = amountRanges(minAmount, maxAmount, currency) ?? [];
  const usual = 1_000 * 10 ** (findCurrency(currency)?.exponent ?? 2);
  const totalMinor = Math.min(Math.max(usual, range?.minMinor ?? usual), range?.maxMinor ?? Number.POSITIVE_INFINITY);
  return formatAmountToType({ totalMinor, currency }, language);
}

/**
 * Adds to the errors of a form why its amount was refused: nothing typed, unclear, out of bounds, or a reason of the flow itself.
 * @param bounds undefined when the payer does not choose the amount: the form then has no such field, so its errors are removed.
 */
export function withAmountProblem(
  errors: FieldErrors,
  { total = '', currency = '' }: Form,
  bounds: FlexibleAmount | undefined,
  language: Language,
): FieldErrors {
  if (!bounds) {
    const { total: _total, currency: _currency, ...others } = errors;
    return others;
  }
  if (errors.total === undefined) return errors;
  const texts = textsOf[language];
  const read = readTotal(total, currency, language);
  if (total.trim() === '') return { ...errors, total: texts.missingAmount };
  const parsed = parseAmount(read, currency);
  const unclear = read === '' || (parsed.kind === 'problem' && parsed.problem === 'too-many-decimals');
  if (unclear) return { ...errors, total: texts.unclearAmount(amountExample(currency, language, bounds)) };
  const bounded = bounds.minAmount !== undefined || bounds.maxAmount !== undefined;
  const outside = bounded && chooseAmount(bounds, { total: read, currency }).kind === 'problem';
  return { ...errors, total: outside ? texts.wrongAmount : texts.otherAmount };
}
