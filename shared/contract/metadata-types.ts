/** Joi types of the maps that an integrator stores with an object: bounded, with safe keys, and with texts or JSON as values. */
import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { UNSURE } from './accept-values.js';
import type { AcceptByType } from './joi-shortcut.js';
import { type Factory, PLAIN_TEXT, stateOfField } from './joi-types.js';

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns what is wrong with a metadata key. A key must never become an operator or a prototype (docs/security.md#metadata-keys). */
function keyProblem(key: string): string | undefined {
  if (key === '' || key.length > limits.metadataKeyLengthMax) return 'metadata.keyLength';
  if (FORBIDDEN_KEYS.has(key) || key.startsWith('$') || key.includes('.') || !PLAIN_TEXT.test(key))
    return 'metadata.key';
  return undefined;
}

function textProblem(value: string): string | undefined {
  if (value.length > limits.metadataValueLengthMax) return 'metadata.valueLength';
  return PLAIN_TEXT.test(value) ? undefined : 'metadata.valueText';
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/** Whether an integer is too large for a double: parsing the JSON may have changed it already. */
const isRounded = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value);

function scalarProblem(value: string | number | boolean): string | undefined {
  return isRounded(value) ? 'metadata.digits' : textProblem(String(value));
}

/** Returns what is wrong with a value of nested JSON. Its keys and texts follow the same rules as those of the map. */
function nestedProblem(value: unknown, depth: number): string | undefined {
  if (value === null) return undefined;
  if (isScalar(value)) return scalarProblem(value);
  if (typeof value !== 'object' || depth > limits.jsonMetadataDepthMax) return 'metadata.depth';
  for (const [key, item] of Object.entries(value)) {
    const problem = (Array.isArray(value) ? undefined : keyProblem(key)) ?? nestedProblem(item, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function valueProblem(value: unknown, nested: boolean): string | undefined {
  if (isScalar(value)) return scalarProblem(value);
  if (nested && typeof value === 'object' && value !== null) return nestedProblem(value, 1);
  return nested ? 'metadata.nestedValue' : 'metadata.value';
}

const metadataMessages = {
  'metadata.base': '{{#label}} must be an object',
  'metadata.max': `{{#label}} must have at most ${limits.metadataKeysMax} keys`,
  'metadata.size': `{{#label}} must have at most ${limits.jsonMetadataBytesMax} bytes as JSON`,
  'metadata.keyLength': `{{#label}}: a key must have 1 to ${limits.metadataKeyLengthMax} characters`,
  'metadata.key':
    '{{#label}}: this key is not allowed (no "$" in front, no ".", no control characters, no __proto__, constructor, prototype)',
  'metadata.value': '{{#label}} must be text, a number or a boolean',
  'metadata.nestedValue': '{{#label}} must be text, a number, a boolean, an object or an array',
  'metadata.digits': '{{#label}} has more digits than a JSON number holds exactly; send it as text',
  'metadata.depth': `{{#label}} must be JSON of at most ${limits.jsonMetadataDepthMax} levels`,
  'metadata.valueLength': `{{#label}} must have at most ${limits.metadataValueLengthMax} characters`,
  'metadata.valueText': '{{#label}} must not have control characters or broken Unicode',
};

const scalarSchema = {
  anyOf: [{ type: 'string', maxLength: limits.metadataValueLengthMax }, { type: ['number', 'boolean'] }],
};
const nestedSchema = { anyOf: [...scalarSchema.anyOf, { type: 'object' }, { type: 'array', items: {} }] };

const entryProblem = (key: string, item: unknown, nested: boolean) => keyProblem(key) ?? valueProblem(item, nested);

const asText = (item: unknown): unknown => (isScalar(item) ? String(item) : item);
const asTexts = (entries: readonly (readonly [string, unknown])[]) =>
  Object.fromEntries(entries.map(([key, item]) => [key, asText(item)]));
const tooLarge = (value: object) => Buffer.byteLength(JSON.stringify(value)) > limits.jsonMetadataBytesMax;

/** Returns one error for each entry of a map that breaks the rules of keys and values. */
function entryErrors(entries: readonly [string, unknown][], nested: boolean, helpers: CustomHelpers) {
  return entries.flatMap(([key, item]) => {
    const problem = entryProblem(key, item, nested);
    return problem ? [helpers.error(problem, {}, stateOfField(helpers, key))] : [];
  });
}

/** @param nested whether values may be objects and arrays, which stay JSON. Numbers and booleans become text. */
const metadataType =
  (type: string, nested: boolean): Factory =>
  (joi) => ({
    type,
    base: joi.any(),
    messages: metadataMessages,
    validate(value: unknown, helpers) {
      const refuse = (problem: string) => ({ value, errors: [helpers.error(problem)] });
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('metadata.base');
      const entries = Object.entries(value);
      if (entries.length > limits.metadataKeysMax) return refuse('metadata.max');
      const errors = entryErrors(entries, nested, helpers);
      if (errors.length > 0) return { value, errors };
      if (nested && tooLarge(value)) return refuse('metadata.size');
      return { value: asTexts(entries) };
    },
    jsonSchema: (_schema, result, mode) => ({
      ...result,
      type: 'object',
      maxProperties: limits.metadataKeysMax,
      propertyNames: { minLength: 1, maxLength: limits.metadataKeyLengthMax, pattern: '^[^$.][^.]*$' },
      additionalProperties:
        mode === 'output'
          ? { type: 'string', maxLength: limits.metadataValueLengthMax }
          : nested
            ? nestedSchema
            : scalarSchema,
    }),
  });

export const metadata = metadataType('metadata', false);
export const jsonMetadata = metadataType('jsonMetadata', true);

const acceptMap = (nested: boolean) => () => (value: unknown) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return UNSURE;
  const entries = Object.entries(value);
  const fits = entries.length <= limits.metadataKeysMax && !(nested && tooLarge(value));
  return fits && !entries.some(([key, item]) => entryProblem(key, item, nested)) ? asTexts(entries) : UNSURE;
};

/** How values of these types are accepted without Joi. */
export const acceptMetadata: AcceptByType = { metadata: acceptMap(false), jsonMetadata: acceptMap(true) };
