/** Reads what another system answered. */
import type { Schema } from 'joi';

/**
 * Makes a reader of answers. Values are not converted; members that the schema does not describe stay as they are.
 * @param options `stripUnknown`: members that the schema does not describe are removed
 * @returns a function that returns the value, or `undefined` when it does not fit the schema. It never says why, because Joi's errors
 *   hold what was sent.
 */
export function answerReader<T>(schema: Schema, options: { readonly stripUnknown?: true } = {}) {
  const strict = { convert: false, allowUnknown: true, ...options };
  return (value: unknown): T | undefined => {
    const result = schema.validate(value, strict);
    return result.error === undefined ? (result.value as T) : undefined;
  };
}
