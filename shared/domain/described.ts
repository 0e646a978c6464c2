/**
 * Describes stored documents once: the TypeScript type is derived from the description, and the description is the JSON schema by
 * which MongoDB checks writes (decision 37). It uses only keywords that MongoDB knows. An object has only the fields that it lists.
 */
import type { JsonValue } from './json-metadata.js';

/** A schema in the keywords of MongoDB's `$jsonSchema`. */
export interface StoredSchema {
  readonly bsonType?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly items?: StoredSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StoredSchema>>;
  readonly additionalProperties?: StoredSchema | false;
}

declare const type: unique symbol;
/** The description of a `T`. */
export interface Described<T> extends StoredSchema {
  readonly [type]: T;
}

interface Optional<T> {
  readonly optional: Described<T>;
}
interface Clearable<T> {
  readonly clearable: Described<T>;
}

type Fields = Readonly<Record<string, Described<unknown> | Optional<unknown> | Clearable<unknown>>>;

/** The object type with these fields. */
type Shape<F extends Fields> = {
  readonly [K in keyof F as F[K] extends Described<unknown> ? K : never]: F[K] extends Described<infer T> ? T : never;
} & {
  readonly [K in keyof F as F[K] extends Optional<unknown> ? K : never]?: F[K] extends Optional<infer T> ? T : never;
} & {
  readonly [K in keyof F as F[K] extends Clearable<unknown> ? K : never]?: F[K] extends Clearable<infer T>
    ? T | undefined
    : never;
};

/** The type that a description describes. */
export type Stored<D extends Described<unknown>> = D[typeof type];

const described = <T>(schema: StoredSchema) => schema as Described<T>;

export const text = described<string>({ bsonType: 'string' });
export const flag = described<boolean>({ bsonType: 'bool' });
export const time = described<Date>({ bsonType: 'date' });
export const bytes = described<Uint8Array>({ bsonType: 'binData' });
export const whole = described<number>({ bsonType: 'number', multipleOf: 1 });
/** A whole number that is never negative: amounts in minor units, counts. */
export const count = described<number>({
  bsonType: 'number',
  multipleOf: 1,
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
});
/** Any JSON. */
export const json = described<JsonValue>({});

export const oneOf = <const T extends string | number | boolean>(...values: readonly T[]) =>
  described<T>({ enum: values });

export const list = <T>(items: Described<T>) => described<readonly T[]>({ bsonType: 'array', items });

/** Describes an object whose keys are not known in advance. */
export const mapOf = <T>(values: Described<T>) =>
  described<Readonly<Record<string, T>>>({ bsonType: 'object', additionalProperties: values });

/** Makes a field optional: it may be absent, but is never set to `undefined`. */
export const optional = <T>(value: Described<T>): Optional<T> => ({ optional: value });

/** Makes a field clearable: it may be absent, and a later write may remove it by setting it to `undefined`. */
export const clearable = <T>(value: Described<T>): Clearable<T> => ({ clearable: value });

function schemaOf(field: Fields[string]): StoredSchema {
  if ('optional' in field) return field.optional;
  return 'clearable' in field ? field.clearable : field;
}

const isRequired = (field: Fields[string]) => !('optional' in field || 'clearable' in field);

export function record<F extends Fields>(fields: F): Described<Shape<F>> {
  const required = Object.entries(fields).flatMap(([name, field]) => (isRequired(field) ? [name] : []));
  return described({
    bsonType: 'object',
    additionalProperties: false,
    // MongoDB refuses an empty list.
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])),
  });
}
