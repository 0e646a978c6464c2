/** `minDate` and `maxDate` of lists: filters on the time of creation. Both ends belong to the range. */
import type { CustomHelpers, ErrorReport } from 'joi';
import { fieldError, Joi } from '../../shared/contract/joi.js';
import { after, DAY_MS } from '../../shared/domain/time.js';

const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads a date without a time as the end of its day. Answers do not show how a date was read: as the start of the day, `maxDate` would
 * silently leave out that whole day.
 */
const toEndOfDay = (moment: Date, { original }: CustomHelpers): Date =>
  DATE_ALONE.test(original) ? after(moment, DAY_MS - 1) : moment;

const described = (...sentences: readonly string[]) => Joi.dateTime().description(sentences.join(' '));

/** @param more further sentences for the API reference, about this list only */
export const minDate = (...more: readonly string[]) => described('Created at this time or later.', ...more);

/** @param more further sentences for the API reference, about this list only */
export const maxDate = (...more: readonly string[]) =>
  described('Created at this time or earlier; a date alone is its whole day in UTC.', ...more).custom(
    toEndOfDay,
    'end of a day',
  );

/** Returns the error of a range that ends before it begins; undefined for any other. For custom rules of a list's query. */
export const dateOrderError = (
  { minDate, maxDate }: { readonly minDate?: Date | undefined; readonly maxDate?: Date | undefined },
  helpers: CustomHelpers,
): ErrorReport | undefined =>
  minDate && maxDate && minDate > maxDate ? fieldError(helpers, 'maxDate', 'must not be before minDate') : undefined;
