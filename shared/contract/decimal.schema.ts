/** Decimals in bodies. Not in `joi.ts`, so that processes without amounts do not load the decimal arithmetic. */
import { Decimal } from 'decimal.js';
import type { AnySchema, CustomHelpers } from 'joi';
import { plainDecimal } from '../domain/money/amount.js';
import { Joi } from './joi.js';
import { checkShown } from './joi-types.js';

/** A decimal in its normal text: for `sameRequest` and `Idempotency-Key`, 10.5 and "10.50" are the same request. */
export const plainDecimalText = (): AnySchema<string> =>
  Joi.decimalText().custom((sent: string) => plainDecimal(sent), 'one text for each decimal');

/** A decimal that answers show as a JSON number. It is refused when a JSON number does not hold it exactly. */
export const shownDecimal = (): AnySchema<string> => plainDecimalText().custom(checkShown, 'shown as a number');

const checkFraction = (text: string, helpers: CustomHelpers): unknown =>
  new Decimal(text).lte(1) ? text : helpers.error('field.invalid', { reason: 'must be a fraction from 0 to 1' });

/** A rate as a fraction: 0.22, not 22. */
export const fraction = (): AnySchema<string> => shownDecimal().custom(checkFraction, 'fraction');
