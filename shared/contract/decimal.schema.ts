/** Decimals in bodies. Not in `joi.ts`, so that processes without amounts do not load the decimal arithmetic. */
import type { AnySchema } from 'joi';
import { plainDecimal } from '../domain/money/amount.js';
import { Joi } from './joi.js';
import { checkShown } from './joi-types.js';

/** A decimal in its normal text: for `sameRequest` and `Idempotency-Key`, 10.5 and "10.50" are the same request. */
export const plainDecimalText = (): AnySchema<string> =>
  Joi.decimalText().custom((sent: string) => plainDecimal(sent), 'one text for each decimal');

/** A decimal that answers show as a JSON number. It is refused when a JSON number does not hold it exactly. */
export const shownDecimal = (): AnySchema<string> => plainDecimalText().custom(checkShown, 'shown as a number');
