/** `minDate` and `maxDate` of lists: when something was created. Both ends belong to the range. */
import type { CustomHelpers } from 'joi';
import { Joi } from '../../shared/contract/joi.js';
import { after, DAY_MS } from '../../shared/domain/time.js';

const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/** Answers do not show how a date was read: one that meant its first moment would leave out its day without a word. */
const toEndOfDay = (moment: Date, { original }: CustomHelpers): Date =>
  DATE_ALONE.test(original) ? after(moment, DAY_MS - 1) : moment;

const described = (...sentences: readonly string[]) => Joi.dateTime().description(sentences.join(' '));

/** @param more sentences for the reference, about this list alone */
export const minDate = (...more: readonly string[]) => described('Created at this time or later.', ...more);

/** @param more sentences for the reference, about this list alone */
export const maxDate = (...more: readonly string[]) =>
  described('Created at this time or earlier; a date alone is its whole day in UTC.', ...more).custom(
    toEndOfDay,
    'end of a day',
  );
