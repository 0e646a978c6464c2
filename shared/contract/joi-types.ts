/**
 * The value types of the wire that Joi does not have, as Joi extensions. Each brings its own JSON schema, so that the
 * published document says exactly what is accepted (docs/decisions.md, "Shapes, lists and limits").
 */
import type Root from 'joi';
import type { CustomHelpers, Extension } from 'joi';
import { UNSURE } from './accept-values.js';
import type { AcceptByType } from './joi-shortcut.js';

type Json = Record<string, unknown>;
type Mode = 'input' | 'output';
/** Joi's own type leaves `jsonSchema` out, although the library documents and honours it. */
interface JsonExtension extends Extension {
  jsonSchema?(schema: Internals, result: Json, mode: Mode, options: unknown): Json;
}
interface Internals {
  $_getFlag(name: string): unknown;
  $_setFlag(name: string, value: unknown): unknown;
  $_terms: { metas?: readonly Record<string, unknown>[] | null };
}
export type Factory = (joi: typeof Root) => JsonExtension;

const INT32_MIN = -2_147_483_648;
const INT32_MAX = 2_147_483_647;
/** An integer that is sent as a string. `Number` alone would also accept `1e3`, `1.0`, ` 12 ` and `+5`. */
const INTEGER_TEXT = /^-?\d{1,11}$/;

/** Reads an integer from text; other text stays. "-0" becomes 0, as -0 does in validation: an invisible sign would only surprise later. */
const fromText = (value: string) => (INTEGER_TEXT.test(value) ? Number(value) || 0 : value);

/** Returns the bounds that the schema sets, or else those of an int32. */
function boundsOf(schema: Internals): { min: number; max: number } {
  return {
    min: (schema.$_getFlag('min') as number | undefined) ?? INT32_MIN,
    max: (schema.$_getFlag('max') as number | undefined) ?? INT32_MAX,
  };
}

export const int32: Factory = (joi) => ({
  type: 'int32',
  base: joi.any(),
  messages: {
    'int32.base': '{{#label}} must be an integer, as a number or as a string of digits',
    'int32.range': '{{#label}} must be from {{#min}} to {{#max}}',
  },
  coerce: {
    from: 'string',
    method: (value: string) => ({ value: fromText(value) }),
  },
  validate(value: unknown, helpers) {
    if (typeof value !== 'number' || !Number.isInteger(value)) return { value, errors: [helpers.error('int32.base')] };
    const { min, max } = boundsOf(helpers.schema as unknown as Internals);
    if (value < min || value > max) return { value, errors: [helpers.error('int32.range', { min, max })] };
    return { value: value || 0 };
  },
  rules: {
    min: {
      method(this: Internals, limit: number) {
        return this.$_setFlag('min', limit);
      },
    },
    max: {
      method(this: Internals, limit: number) {
        return this.$_setFlag('max', limit);
      },
    },
  },
  jsonSchema(schema, result, mode) {
    const { min, max } = boundsOf(schema);
    const integer = { type: 'integer', format: 'int32', minimum: min, maximum: max };
    if (mode === 'output') return { ...result, ...integer };
    return { ...result, anyOf: [integer, { type: 'string', pattern: INTEGER_TEXT.source }] };
  },
});

/**
 * At most 15 digits before the point and 6 after it; the currency narrows it further. Zeros at the end do not count: databases write
 * 10.50000000.
 */
const DECIMAL_TEXT = /^\d{1,15}(\.\d{1,6}0{0,14})?$/;
/** Above this a double no longer holds every decimal exactly, so a JSON number could mean another amount. */
const SIGNIFICANT_DIGITS_MAX = 15;

const significantDigits = (text: string) => text.replace('.', '').replace(/^0+/, '').length;

/** Refuses a decimal that a double does not hold exactly. Answers show the decimal as a JSON number, which would be rounded. */
export function checkShown(text: string, helpers: CustomHelpers): unknown {
  const [whole = '', decimals = ''] = text.split('.');
  return significantDigits(whole + decimals.replace(/0+$/, '')) <= SIGNIFICANT_DIGITS_MAX
    ? text
    : helpers.error('field.invalid', { reason: `must have at most ${SIGNIFICANT_DIGITS_MAX} significant digits` });
}

/** Returns the decimal as text, or the code of the message that says what is wrong with it. */
function readDecimal(value: unknown): { readonly text: string } | { readonly problem: string } {
  const isNumber = typeof value === 'number';
  const text = isNumber ? String(value) : value;
  if (typeof text !== 'string' || !DECIMAL_TEXT.test(text)) return { problem: 'decimalText.base' };
  return isNumber && significantDigits(text) > SIGNIFICANT_DIGITS_MAX ? { problem: 'decimalText.digits' } : { text };
}

export const decimalText: Factory = (joi) => ({
  type: 'decimalText',
  base: joi.any(),
  messages: {
    'decimalText.base':
      '{{#label}} must be a decimal such as 10.5 or "10.50", not negative, without exponent and with at most 6 decimals',
    'decimalText.digits': `{{#label}} must have at most ${SIGNIFICANT_DIGITS_MAX} significant digits as a number; send it as a string`,
  },
  validate(value: unknown, helpers) {
    const read = readDecimal(value);
    return 'problem' in read ? { value, errors: [helpers.error(read.problem)] } : { value: read.text };
  },
  jsonSchema(_schema, result, mode) {
    const number = { type: 'number', minimum: 0 };
    if (mode === 'output') return { ...result, ...number };
    return { ...result, anyOf: [number, { type: 'string', pattern: DECIMAL_TEXT.source }] };
  },
});

const OFFSET = '(Z|[+-]\\d{2}(?::?\\d{2})?)';
const FRACTION = '(?:[.,](\\d{1,9}))';
/** The extended format of ISO 8601: a date, or a date-time whose seconds and offset may be left out. */
const EXTENDED = new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})(?:T(\\d{2}):(\\d{2})(?::(\\d{2})${FRACTION}?)?${OFFSET}?)?$`);
/** The basic format: only date-times with seconds. Otherwise a plain number could be read as a date. */
const BASIC = new RegExp(`^(\\d{4})(\\d{2})(\\d{2})T(\\d{2})(\\d{2})(\\d{2})${FRACTION}?${OFFSET}?$`);
/** What both accept beyond RFC 3339. The published schema checks forms of RFC 3339 by `format`, which knows the days of each month. */
const DATE_TIME_LOOSE = new RegExp(
  `^(?:\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(?:${OFFSET}?|:\\d{2}${FRACTION}?(?:[+-]\\d{2}(?:\\d{2})?)?|:\\d{2},\\d{1,9}${OFFSET})|${BASIC.source.slice(1, -1)})$`,
);
const OFFSET_HOURS_MAX = 14;
const LAST_YEAR = 9999;

/** Returns minutes east of UTC, or undefined when the offset does not exist. */
function offsetMinutes(text: string): number | undefined {
  if (text === 'Z') return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', ''))];
  if (hours > OFFSET_HOURS_MAX || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Parses a calendar date-time of ISO 8601, basic or extended, or a date; without an offset it is UTC. `Date.parse` is not used: it
 * rolls 02-30 over to March and reads a time without offset in the time zone of the machine.
 * @returns undefined when the text is not a date-time, or names a day or an hour that does not exist.
 */
export function parseDateTime(text: string): Date | undefined {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offset = offsetMinutes(match[8] ?? 'Z');
  if (offset === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // `setUTCFullYear` moves a day that the month does not have into another month.
  if (date.getUTCMonth() !== month - 1) return undefined;
  date.setUTCHours(hour, minute - offset, second, ms);
  // In UTC, the year may be one that four digits cannot write.
  return date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= LAST_YEAR ? date : undefined;
}

export const dateTime: Factory = (joi) => ({
  type: 'dateTime',
  base: joi.any(),
  messages: {
    'dateTime.base': '{{#label}} must be an ISO 8601 date-time, for example 2030-01-31T12:00:00Z',
  },
  validate(value: unknown, helpers) {
    const date = typeof value === 'string' ? parseDateTime(value) : undefined;
    return date ? { value: date } : { value, errors: [helpers.error('dateTime.base')] };
  },
  jsonSchema(_schema, result, mode) {
    if (mode === 'output') return { ...result, type: 'string', format: 'date-time' };
    // The format `date-time` of JSON Schema requires seconds and an offset; here both may be left out.
    const forms = [{ format: 'date-time' }, { format: 'date' }, { pattern: DATE_TIME_LOOSE.source }];
    return { ...result, anyOf: forms.map((form) => ({ type: 'string', ...form })) };
  },
});

function acceptInt32(schema: Parameters<AcceptByType[string]>[0]) {
  const { min, max } = boundsOf(schema as unknown as Internals);
  return (value: unknown) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max ? value || 0 : UNSURE;
}

/** How values of these types are accepted without Joi when nothing is converted. */
export const strictTypes: AcceptByType = { int32: acceptInt32 };

/** How values of these types are accepted without Joi when they are converted, for example from text. */
export const acceptByType: AcceptByType = {
  int32: (schema) => {
    const accept = acceptInt32(schema);
    return (value) => accept(typeof value === 'string' ? fromText(value) : value);
  },
  decimalText: () => (value) => {
    const read = readDecimal(value);
    return 'text' in read ? read.text : UNSURE;
  },
  dateTime: () => (value) => (typeof value === 'string' ? (parseDateTime(value) ?? UNSURE) : UNSURE),
};

/** Text without control characters and without half of a surrogate pair: both break logs, files of acquirers and comparisons. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
export const PLAIN_TEXT = /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]*$/u;

const PLAIN = PLAIN_TEXT.source.slice(1, -2);
/** The same with a character that is not white space in it, as one pattern for the published schema. */
export const FILLED_TEXT_PATTERN = `^${PLAIN}*${PLAIN.replace('[^', '[^\\s')}${PLAIN}*$`;

/** Name of the rule that refuses blank text; a blank required field counts as a missing one. */
export const BLANK_RULE = 'text that is not blank';

/** Returns the state of a member of the value that is validated, so that an error names that member. */
export function stateOfField(helpers: CustomHelpers, key: string) {
  const { state } = helpers;
  return state.localize?.([...(state.path ?? []), key], [helpers.original, ...(state.ancestors ?? [])]) ?? state;
}

/** Key under which the JSON schema of a named shape carries its name until `json-schema.ts` moves it to the components. */
export const COMPONENT_KEY = 'x-component';

/** Joi's object, whose JSON schema also carries the name that `named()` gave it. */
export const namedObject: Factory = (joi) => {
  const base = joi.object();
  const { jsonSchema } = (base as unknown as { _definition: Required<JsonExtension> })._definition;
  return {
    type: 'object',
    base,
    jsonSchema(schema, result, mode, options) {
      const name = schema.$_terms.metas?.map((meta) => meta['component']).find((found) => found !== undefined);
      return { ...jsonSchema(schema, result, mode, options), ...(name !== undefined && { [COMPONENT_KEY]: name }) };
    },
  };
};

/**
 * Gives every type `orNull()`, which reads null as if the field were absent. Joi's own `empty(null)` means the same, but validates
 * each value against a second schema. That was half of the cost of validating a request.
 */
export const nullIsAbsent = {
  type: /^.+$/,
  prepare: (value: unknown, { schema }: CustomHelpers) =>
    value === null && (schema as unknown as Internals).$_getFlag('orNull') === true ? { value: undefined } : undefined,
  rules: {
    orNull: {
      method(this: Internals) {
        return this.$_setFlag('orNull', true);
      },
    },
  },
};

/** Texts that replace Joi's own, which echo the value that was sent, quote the exception of a custom rule, or name settings of Joi. */
const SAFE_MESSAGES: Record<string, string> = {
  'any.custom': '{{#label}} is not valid',
  'any.invalid': '{{#label}} is not valid',
  'any.unknown': '{{#label}} is not allowed here',
  'object.unknown': '{{#label}} is not a known field',
  'string.pattern.base': '{{#label}} has an invalid format',
  'string.pattern.name': '{{#label}} must be {{#name}}',
  'string.pattern.invert.base': '{{#label}} has an invalid format',
  'string.pattern.invert.name': '{{#label}} must not be {{#name}}',
  'string.ipVersion': '{{#label}} must be an IPv4 or IPv6 address, without a network mask',
  'field.invalid': '{{#label}} {{#reason}}',
};

/** Gives every type, Joi's and ours, the safe texts once at start, so that no request compiles a template. */
export const safeMessages = { type: /^.+$/, messages: SAFE_MESSAGES } satisfies Extension;
