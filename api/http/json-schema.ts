/**
 * The JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1) of a Joi schema. Joi emits it; this file repairs what Joi gets wrong and
 * moves the shapes that `named()` marked into one place.
 */
import type { Schema } from 'joi';
import { COMPONENT_KEY, FILLED_TEXT_PATTERN, PLAIN_TEXT } from '../../shared/contract/joi-types.js';

export type JsonSchema = { [key: string]: unknown };
/** `input` describes what is accepted, `output` what is answered (an int32 is answered as a number only). */
export type SchemaMode = 'input' | 'output';

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The pattern that Joi writes for any key. */
const EVERY_KEY = '.*';

const isEmptySchema = (value: unknown) => isObject(value) && Object.keys(value).length === 0;

/** Joi nests a list of types once more when null is allowed: `[['integer', 'string'], 'null']`. */
function flatTypes(schema: JsonSchema): void {
  if (Array.isArray(schema['type'])) schema['type'] = [...new Set(schema['type'].flat())];
}

const typesOf = ({ type }: JsonSchema): unknown[] => (Array.isArray(type) ? type : type === undefined ? [] : [type]);

/** Joi adds null to the `type` of a nullable enum only; a validator then refuses null because the list does not contain it. */
function nullInEnum(schema: JsonSchema): void {
  const { type, enum: values } = schema;
  if (!Array.isArray(values) || !Array.isArray(type) || !type.includes('null')) return;
  if (!values.includes(null)) schema['enum'] = [...values, null];
}

/** Formats that Joi writes and JSON Schema does not define; a strict validator would refuse them. */
const UNKNOWN_FORMATS: ReadonlySet<unknown> = new Set(['ip', 'hex', 'token', 'base64', 'data-uri']);

function knownFormats(schema: JsonSchema): void {
  if (!UNKNOWN_FORMATS.has(schema['format'])) return;
  // "IPv4 or IPv6" can be expressed. For the other formats the pattern or the description has to suffice.
  if (schema['format'] === 'ip' && schema['anyOf'] === undefined) {
    const versions = ['ipv4', 'ipv6'].map((format) => ({ type: 'string', format }));
    schema['anyOf'] = [...versions, ...(typesOf(schema).includes('null') ? [{ type: 'null' }] : [])];
    delete schema['type'];
  }
  delete schema['format'];
}

/**
 * Joi writes two patterns as parts of `allOf` that have no type, from which generators of clients make `unknown`. Text that is plain and
 * not blank is one pattern.
 */
function onePattern(schema: JsonSchema): void {
  const parts = [PLAIN_TEXT, /\S/].map(({ source }) => ({ pattern: source }));
  if (JSON.stringify(schema['allOf']) !== JSON.stringify(parts)) return;
  delete schema['allOf'];
  schema['pattern'] = FILLED_TEXT_PATTERN;
}

/**
 * Values of several types in one list become a choice: texts in a list, each number by itself. Generators of clients make a constant of
 * each listed value, with one name for the number 1 and the text "1".
 */
function enumOfOneType(schema: JsonSchema): void {
  const { enum: values } = schema;
  const types = typesOf(schema);
  if (!Array.isArray(values) || types.filter((type) => type !== 'null').length < 2) return;
  const others = values.filter((value) => typeof value !== 'string');
  schema['anyOf'] = [
    { type: 'string', enum: values.filter((value) => typeof value === 'string') },
    ...others.map((value) => (value === null ? { type: 'null' } : { type: typeof value, const: value })),
  ];
  delete schema['enum'];
  delete schema['type'];
}

/** A map of values of one kind is `additionalProperties`: many tools do not read `patternProperties`, and OpenAPI 3.0 does not have it. */
function plainMap(schema: JsonSchema): void {
  const { patternProperties, additionalProperties } = schema;
  const [entry, ...others] = Object.entries(isObject(patternProperties) ? patternProperties : {});
  if (!entry || others.length > 0 || schema['properties'] !== undefined) return;
  const [pattern, values] = entry;
  if (pattern !== EVERY_KEY && additionalProperties !== false) return;
  delete schema['patternProperties'];
  if (pattern !== EVERY_KEY) schema['propertyNames'] = { pattern };
  schema['additionalProperties'] = values;
}

/** An object whose members are not described holds anything: generators of clients read no word about it as "holds nothing". */
function openObject(schema: JsonSchema): void {
  const described = ['properties', 'patternProperties', 'additionalProperties'].some((name) =>
    Object.hasOwn(schema, name),
  );
  if (typesOf(schema).includes('object') && !described) schema['additionalProperties'] = {};
}

/**
 * Removes empty and repeated branches, which Joi writes for a `when` without `otherwise`. A single remaining branch replaces the
 * choice.
 */
function tidyBranches(schema: JsonSchema): void {
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const flat = branches.flatMap((branch) =>
      isObject(branch) && Object.keys(branch).length === 1 && Array.isArray(branch[keyword])
        ? branch[keyword]
        : [branch],
    );
    const seen = new Set<string>();
    const kept = flat.filter(
      (branch) => !isEmptySchema(branch) && !seen.has(JSON.stringify(branch)) && seen.add(JSON.stringify(branch)),
    );
    delete schema[keyword];
    if (kept.length === 1 && isObject(kept[0])) Object.assign(schema, kept[0]);
    else if (kept.length > 1) schema[keyword] = kept;
  }
}

/** Shared shapes collected so far. One collection serves one document. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /**
   * Stores a shape under its name and returns a reference to it.
   * @throws {Error} when another shape already has the name.
   */
  refer(name: string, schema: JsonSchema): JsonSchema {
    const known = this.schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas are named ${name}: rename one, or share one schema`);
    }
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Replaces a named shape by a reference. Description, default and null stay where the shape is used. */
function extract(schema: JsonSchema, components: Components | undefined, mode: SchemaMode): JsonSchema {
  const { [COMPONENT_KEY]: name, description, default: byDefault, ...shape } = schema;
  if (typeof name !== 'string') return schema;
  const outside = {
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: byDefault }),
  };
  if (!components) return { ...shape, ...outside };
  const types = Array.isArray(shape['type']) ? shape['type'] : [];
  const nullable = types.includes('null');
  const type = nullable ? types.filter((item) => item !== 'null') : shape['type'];
  const pure = { ...shape, type: Array.isArray(type) && type.length === 1 ? type[0] : type };
  // The same shape differs in an answer (no integer strings), so it has its own name there.
  const reference = components.refer(mode === 'output' && !name.endsWith('Response') ? `${name}Response` : name, pure);
  return nullable ? { anyOf: [reference, { type: 'null' }], ...outside } : { ...reference, ...outside };
}

/** Keywords whose value maps names to schemas: a property called `default` there is a field, not a keyword. */
const NAME_MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs']);
const PLAIN_VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);

function repair(node: unknown, components: Components | undefined, mode: SchemaMode): unknown {
  if (Array.isArray(node)) return node.map((item) => repair(item, components, mode));
  if (!isObject(node)) return node;
  const copy: JsonSchema = {};
  for (const [key, value] of Object.entries(node)) {
    if (PLAIN_VALUES.has(key)) copy[key] = value;
    else if (NAME_MAPS.has(key) && isObject(value)) {
      copy[key] = Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, repair(item, components, mode)]),
      );
    } else copy[key] = repair(value, components, mode);
  }
  flatTypes(copy);
  nullInEnum(copy);
  knownFormats(copy);
  onePattern(copy);
  enumOfOneType(copy);
  plainMap(copy);
  openObject(copy);
  tidyBranches(copy);
  // Within /v1 fields are added (docs/decisions.md), so readers of answers must accept unknown fields.
  if (mode === 'output' && copy['additionalProperties'] === false) delete copy['additionalProperties'];
  return extract(copy, components, mode);
}

/**
 * Returns the JSON schema of `schema`.
 * @param components collects the shapes that `named()` marked, which are replaced by references; without it they stay inline.
 */
export function toJsonSchema(schema: Schema, mode: SchemaMode, components?: Components): JsonSchema {
  const emitted = schema['~standard'].jsonSchema[mode]({ target: 'draft-2020-12' });
  return repair(emitted, components, mode) as JsonSchema;
}
