/**
 * The same document as OpenAPI 3.0, for tools that do not read 3.1 yet. What 3.0 cannot express is described more widely, never more
 * narrowly: this document accepts everything that the document of 3.1 accepts.
 */
import type { JsonSchema } from './json-schema.js';
import type { OpenApiDocument } from './to-openapi.js';

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNull = (schema: unknown): boolean => isObject(schema) && schema['type'] === 'null';

/** Keywords of JSON Schema 2020-12 that 3.0 does not have. Each of them only narrows what is accepted. */
const DROPPED: ReadonlySet<string> = new Set(['propertyNames', 'patternProperties', '$schema', '$id', '$comment']);

/** 3.0 has one type with `nullable` beside it; several types become a choice. */
function convertType(type: unknown): JsonSchema {
  if (!Array.isArray(type)) return type === undefined ? {} : { type };
  const types = type.filter((name) => name !== 'null');
  const nullable = types.length < type.length ? { nullable: true } : {};
  if (types.length === 1) return { type: types[0], ...nullable };
  return { anyOf: types.map((name) => (name === 'array' ? { type: name, items: {} } : { type: name })), ...nullable };
}

/** Converts a choice between a schema and null to a nullable schema. */
function convertChoice(choices: readonly unknown[]): JsonSchema {
  const others = choices.filter((choice) => !isNull(choice)).map(convertSchema);
  return { anyOf: others, ...(others.length < choices.length && { nullable: true }) };
}

function convertMembers(members: unknown): unknown {
  if (!isObject(members)) return members;
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, convertSchema(schema)]));
}

/** Converts one schema with everything below it. */
function convertSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { type, anyOf, properties, items, additionalProperties, examples, const: only, ...rest } = schema;
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !DROPPED.has(name)));
  const example = Array.isArray(examples) ? examples[0] : undefined;
  return {
    ...kept,
    ...convertType(type),
    ...(Array.isArray(anyOf) && convertChoice(anyOf)),
    ...(only !== undefined && { enum: [only] }),
    ...(properties !== undefined && { properties: convertMembers(properties) }),
    ...(items !== undefined && { items: convertSchema(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: convertSchema(additionalProperties) }),
    ...(type === 'array' && items === undefined && { items: {} }),
    ...(example !== undefined && { example }),
  };
}

/** Converts a part of the document. Only schemas differ between the versions; they are under `schema` and under `components.schemas`. */
function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      if (name === 'schema') return [name, convertSchema(value)];
      // The SPDX identifier of a license is new in 3.1; both versions have its name.
      if (name === 'license' && isObject(value)) return [name, { name: value['name'] }];
      // Values of examples are payloads of callers: nothing in them is a schema.
      if (name === 'example' || name === 'examples') return [name, value];
      return [name, convert(value)];
    }),
  );
}

export function toOpenApi30(document: OpenApiDocument): object {
  // Webhooks are new in 3.1. The bodies of callbacks stay among the schemas.
  const { components, webhooks: _webhooks, ...rest } = document;
  const { schemas, ...others } = components;
  const converted = convert({ ...rest, components: others }) as JsonSchema & { components: JsonSchema };
  return {
    ...converted,
    openapi: '3.0.3',
    components: { ...converted.components, schemas: convertMembers(schemas) },
  };
}
