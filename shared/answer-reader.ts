/** Reads what another system answered. */
import type { Schema } from 'joi';

/**
 * Values are not converted; members that are not described are let be.
 * @param options `stripUnknown`: they are left out
 * @returns a function that returns the value, or `undefined` when it does not fit; never why, because Joi's errors hold what was sent.
 */
export function answerReader<T>(schema: Schema, options: { readonly stripUnknown?: true } = {}) {
  const strict = { convert: false, allowUnknown: true, ...options };
  return (value: unknown): T | undefined => {
    const result = schema.validate(value, strict);
    return result.error === undefined ? (result.value as T) : undefined;
  };
}
