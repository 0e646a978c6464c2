/**
 * Joi for the API: the types and helpers from which all request and response schemas are built. Messages name
 * the field by its whole path and never contain the value that was sent.
 */

import type {
  AnySchema,
  CustomHelpers,
  ErrorReport,
  ObjectSchema,
  Schema,
  SchemaMap,
  StringSchema,
  ValidationOptions,
} from 'joi';
import Base from 'joi';
import { limits } from '../../config/limits.js';
import type { JsonMetadata } from '../domain/json-metadata.js';
import type { ErrorCode } from './error-catalogue.js';
import { addShortcut } from './joi-shortcut.js';
import {
  acceptByType,
  BLANK_RULE,
  dateTime,
  decimalText,
  int32,
  namedObject,
  nullIsAbsent,
  PLAIN_TEXT,
  safeMessages,
  stateOfField,
  strictTypes,
} from './joi-types.js';
import { acceptMetadata, jsonMetadata as jsonMetadataType, metadata as metadataType } from './metadata-types.js';

/** A 32-bit integer: a JSON integer or a string of digits in, a number out. */
export interface Int32Schema extends AnySchema<number> {
  min(limit: number): this;
  max(limit: number): this;
}

export interface GatewayJoi extends Base.Root {
  int32(): Int32Schema;
  /** A decimal that is not negative: JSON number or decimal string in, always the decimal text out ("10.10" stays). */
  decimalText(): AnySchema<string>;
  /** ISO 8601 in (no offset = UTC), `Date` out. */
  dateTime(): AnySchema<Date>;
}

const extended = Base.extend(safeMessages)
  .extend(nullIsAbsent)
  .extend(namedObject, int32, decimalText, dateTime)
  .extend(metadataType, jsonMetadataType)
  // Extended again, because the types added just now have their own texts but not the shared ones.
  .extend({ ...safeMessages, type: /^(object|int32|decimalText|dateTime|metadata|jsonMetadata)$/ }) as GatewayJoi & {
  metadata(): AnySchema<Record<string, string>>;
  jsonMetadata(): AnySchema<JsonMetadata>;
};

addShortcut(
  [
    extended.object(),
    extended.array(),
    extended.string(),
    extended.int32(),
    extended.metadata(),
    extended.jsonMetadata(),
  ],
  { types: { ...acceptByType, ...acceptMetadata }, strictTypes },
);

export const Joi: GatewayJoi = extended;

/** Options for validating every request: report all errors at once. The texts are part of the types (joi-types.ts), not of the options. */
export const validationOptions = { abortEarly: false } as const satisfies ValidationOptions;

/** Makes a field optional: an explicit null is accepted, and the handler sees the field as absent. */
export function nullable<S extends Schema>(schema: S): S {
  // Booleans are strict: Joi does not convert them, and `orNull` is a conversion.
  if (schema.type === 'boolean') return schema.empty(null).allow(null) as S;
  return (schema as S & { orNull(): S }).orNull().allow(null) as S;
}

/** Text of 1 to `lengthMax` characters (UTF-16 units): not blank, no control characters, no broken Unicode. Not trimmed. */
export function text(lengthMax: number): StringSchema {
  return Joi.string()
    .max(lengthMax)
    .pattern(PLAIN_TEXT, 'text without control characters or broken Unicode')
    .pattern(/\S/, BLANK_RULE);
}

/** A code of an open list: any text of at most 64 characters, kept as it was sent. */
export const openCode = () => nullable(text(limits.openCodeLengthMax));

/** A map of texts, bounded and with safe keys only (docs/api.md#conventions). Numbers and booleans become text. */
export const metadata = (): AnySchema<Record<string, string>> => extended.metadata();

/** An open object: like {@link metadata}, but values may also be objects and arrays, which stay JSON. */
export const jsonMetadata = (): AnySchema<JsonMetadata> => extended.jsonMetadata();

/** The same in answers, which callers send back in a `PUT`. */
export const shownJsonMetadata = () =>
  Joi.object().pattern(
    Joi.string(),
    Joi.alternatives(Joi.string().allow(''), Joi.object().unknown(), Joi.array().items(Joi.any())),
  );

/** A schema for each field of a type: the compiler finds one that is missing, and one that the type does not have. */
type FieldSchemas<T> = { readonly [K in keyof T]-?: Schema };

/**
 * Builds the schema of an object in a body: a field that is not listed is refused by name.
 * @param ignored fields that callers may send and that no handler sees: their schemas strip them
 */
export function body<T extends object = Record<string, unknown>>(
  fields: FieldSchemas<T>,
  ignored: SchemaMap = {},
): ObjectSchema<T> {
  return Joi.object({ ...fields, ...ignored }) as unknown as ObjectSchema<T>;
}

/** Builds the schema of query parameters: a parameter that is not listed is ignored, and the handler does not see it. */
export function query<T extends object = Record<string, unknown>>(fields: FieldSchemas<T>): ObjectSchema<T> {
  return Joi.object(fields).options({ stripUnknown: { objects: true } }) as unknown as ObjectSchema<T>;
}

/** Names a shape that several schemas share: it is published once, under this name. */
export function named<S extends Schema>(name: string, schema: S): S {
  return schema.meta({ component: name }) as S;
}

/** Sets the error code of the answer when this field, or a field below it, is the only one that fails (docs/decisions.md, "Errors"). */
export function withErrorCode<S extends Schema>(code: ErrorCode, schema: S): S {
  return schema.meta({ errorCode: code }) as S;
}

/**
 * Builds the error of one field, for custom rules of an object.
 * @param reason continues the field's name ("is in the past") and must not contain the value that was sent.
 * @param errorCode takes precedence over the codes of the schema.
 */
export function fieldError(helpers: CustomHelpers, field: string, reason: string, errorCode?: ErrorCode): ErrorReport {
  return helpers.error('field.invalid', { reason, ...(errorCode && { errorCode }) }, stateOfField(helpers, field));
}

/** Builds the errors of several fields, for custom rules of an object: every wrong field is named. */
export function fieldErrors(
  helpers: CustomHelpers,
  problems: readonly { field: string; reason: string; code: ErrorCode }[],
): ErrorReport[] {
  // Joi marks lists of errors with its own symbol. Its types leave out the function that makes such a list.
  const errors = (helpers as CustomHelpers & { errorsArray(): ErrorReport[] }).errorsArray();
  errors.push(...problems.map(({ field, reason, code }) => fieldError(helpers, field, reason, code)));
  return errors;
}
