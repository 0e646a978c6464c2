/** Checks values against the schemas that the OpenAPI document publishes: what an integrator's validator would say. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Endpoint } from '../../api/http/define-endpoint.js';
import type { JsonSchema } from '../../api/http/json-schema.js';
import { type OpenApiDocument, toOpenApiPath } from '../../api/http/to-openapi.js';

type Content = { content: { 'application/json': { schema: JsonSchema } } };
type Operation = { requestBody?: Content; responses: Record<string, Content> };
export type Check = (value: unknown) => string[];

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The published schema forbids no new fields in an answer; a test does, so that an undocumented field is noticed. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (!isObject(node)) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  if (isObject(copy['properties']) && copy['additionalProperties'] === undefined) copy['additionalProperties'] = false;
  return copy;
}

/** Name of the document inside of a validator: what it refers to is compiled once, whatever refers to it. */
const DOCUMENT = 'openapi';

function validatorOf(schemas: Record<string, JsonSchema>) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat('int32', { type: 'number', validate: (n: number) => Number.isInteger(n) && Math.abs(n) <= 2 ** 31 });
  ajv.addSchema({ components: { schemas } }, DOCUMENT);
  return ajv;
}

/** References that lead to the components of the document, from wherever the schema is. */
const pointed = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${DOCUMENT}#/components/`));

/** The committed document, which a guard compares with the code: making it takes longer than most suites need to start. */
export const publishedDocument = (): OpenApiDocument => JSON.parse(readFileSync('api/openapi.json', 'utf8'));

/** Validators of one document. */
export function publishedSchemas(document: OpenApiDocument) {
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> };
  const open = validatorOf(schemas);
  const strict = validatorOf(closed(schemas) as Record<string, JsonSchema>);
  const compile = (ajv: Ajv2020, schema: JsonSchema): Check => {
    const validate: ValidateFunction = ajv.compile(pointed(schema));
    return (value) =>
      validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
  const operation = (endpoint: Endpoint): Operation => {
    const found = document.paths[toOpenApiPath(endpoint.path)]?.[endpoint.method];
    if (!found) throw new Error(`${endpoint.operationId} is not published: run \`npm run generate\``);
    return found as unknown as Operation;
  };
  return {
    /** What is wrong with a request body; empty when nothing is. */
    requestBody(endpoint: Endpoint): Check {
      const schema = Object.values(operation(endpoint).requestBody?.content ?? {})[0]?.schema;
      if (!schema) throw new Error(`${endpoint.operationId} takes no body`);
      return compile(open, schema);
    },
    /** What is wrong with an answer of this status; a field that is not published counts as wrong. */
    response(endpoint: Endpoint, status: number): Check {
      const response = operation(endpoint).responses[status];
      if (!response) return () => [`${endpoint.operationId} publishes no status ${status}`];
      return compile(strict, closed(response.content['application/json'].schema) as JsonSchema);
    },
    /** What is wrong with the body of a callback; a field that is not published counts as wrong. */
    callback(name: string): Check {
      const webhook = document.webhooks?.[name]?.['post'] as Operation | undefined;
      if (!webhook?.requestBody) throw new Error(`the callback ${name} is not published`);
      return compile(strict, closed(webhook.requestBody.content['application/json'].schema) as JsonSchema);
    },
  };
}
