/** Decimals of bodies. Apart from `joi.ts`: processes without amounts load none of the arithmetic. */
import type { AnySchema } from 'joi';
import { plainDecimal } from '../domain/money/amount.js';
import { Joi } from './joi.js';
import { checkShown } from './joi-types.js';

/** A decimal in the one text that it has: 10.5 and "10.50" are the same request, for `sameRequest` and `Idempotency-Key`. */
export const plainDecimalText = (): AnySchema<string> =>
  Joi.decimalText().custom((sent: string) => plainDecimal(sent), 'one text for each decimal');

/** A decimal that answers show as a JSON number: exactly, or it is refused. */
export const shownDecimal = (): AnySchema<string> => plainDecimalText().custom(checkShown, 'shown as a number');
