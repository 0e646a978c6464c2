/** The OpenAPI 3.1 document, derived from the same endpoint objects as the routes. */
import type { Schema } from 'joi';
import { limits } from '../../config/limits.js';
import { type ErrorCode, errorCatalogue, errorTypes } from '../../shared/contract/error-catalogue.js';
import type { CallbackDefinition } from './define-callback.js';
import { type Endpoint, type Examples, successStatus, type Upload } from './define-endpoint.js';
import { Components, type JsonSchema, toJsonSchema } from './json-schema.js';
import { tagTexts } from './tag-texts.js';
import { errorCodesIn } from './validation-error.js';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: JsonSchema;
  readonly servers: readonly JsonSchema[];
  readonly tags: readonly JsonSchema[];
  readonly paths: Record<string, Record<string, JsonSchema>>;
  /** Callbacks by name; absent when there are none, and in OpenAPI 3.0, which cannot describe them. */
  readonly webhooks?: Record<string, Record<string, JsonSchema>>;
  readonly components: JsonSchema;
}

/** The interface is published as version v2; its paths stay under /v1 (docs/api.md#versions). */
const DOCUMENT_VERSION = '2.0.0';
const EXAMPLE_TRACE_ID = '5f0c9d3a1b7e4c6d8a2f0e1b3c5d7f90';

const errorSchema: JsonSchema = {
  type: 'object',
  description: 'Every answer other than success. Branch on `code`; `message` is for people and may change.',
  required: ['code', 'message', 'type', 'status', 'traceId'],
  properties: {
    code: {
      type: 'string',
      enum: Object.keys(errorCatalogue).sort(),
      description:
        'Stable machine-readable code. Handle a code that is not listed by its status: later versions may add codes.',
      examples: ['request-validation-errors'],
    },
    message: { type: 'string' },
    type: { type: 'string', enum: errorTypes },
    status: { type: 'integer', description: 'The HTTP status.' },
    traceId: { type: 'string', description: 'Quote it to the operator; also in the header X-Trace-Id.' },
    params: {
      type: 'object',
      description: 'Field path to the problems of the field.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    declineCode: { type: 'string', description: 'Only for some declines of the processor.' },
  },
};

const idempotencyKey: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to repeat the request for 24 hours: the same key with the same body returns the first response, with ' +
    'the header `Idempotent-Replayed: true`, and changes nothing. A different body with the same key, or a call while the first is still in progress, answers 409 `conflict`. A refusal that changed nothing (400, 403, 404) releases the key.',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLengthMax },
};

const traceHeader = { 'X-Trace-Id': { $ref: '#/components/headers/X-Trace-Id' } };

const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/** Which credentials are accepted: a key, and usually a token that was issued for a key. */
const securityOf = ({ auth, keyOnly }: Endpoint) =>
  auth === 'none' ? [] : [{ basic: [] }, ...(keyOnly ? [] : [{ bearer: [] }])];

const isField = (scope: Endpoint['merchantScope']) => typeof scope === 'object';

/** Returns the codes that an endpoint declares and those that follow from its definition, sorted by status, then by name. */
export function errorCodesOfEndpoint(endpoint: Endpoint): ErrorCode[] {
  const { auth, request, merchantScope, addressLimit, errors, quiet } = endpoint;
  const { params, query, body, upload } = request ?? {};
  const schemas = [params, query, body].filter((schema) => schema !== undefined);
  const codes = new Set<ErrorCode>([
    ...errors,
    ...(auth === 'basic' ? (['unauthorized', 'too-many-requests', 'timeout'] as const) : []),
    ...(addressLimit ? (['too-many-requests'] as const) : []),
    ...(endpoint.idempotent ? (['conflict', 'request-validation-errors'] as const) : []),
    ...(isField(merchantScope) ? (['merchant-not-found', 'forbidden'] as const) : []),
    ...(schemas.length > 0 ? (['request-validation-errors'] as const) : []),
    ...(body || upload ? (['payload-too-large', 'unsupported-media-type'] as const) : []),
    ...(upload ? (['request-validation-errors', 'service-unavailable'] as const) : []),
    ...(quiet ? [] : (['internal-error'] as const)),
    ...schemas.flatMap(errorCodesIn),
  ]);
  return [...codes].sort((a, b) => errorCatalogue[a].status - errorCatalogue[b].status || (a < b ? -1 : 1));
}

function errorExample(code: ErrorCode): JsonSchema {
  const { status, type, message } = errorCatalogue[code];
  const params = code === 'request-validation-errors' ? { params: { referenceId: ['"referenceId" is required'] } } : {};
  return { summary: message, value: { code, message, type, status, traceId: EXAMPLE_TRACE_ID, ...params } };
}

function errorResponses(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const responses: Record<string, JsonSchema> = {};
  for (const status of new Set(codes.map((code) => errorCatalogue[code].status))) {
    const own = codes.filter((code) => errorCatalogue[code].status === status);
    const examples = Object.fromEntries(own.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
    responses[status] = {
      description: own.map((code) => `\`${code}\``).join(', '),
      headers: traceHeader,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
    };
  }
  return responses;
}

const toExamples = (values: Readonly<Record<string, unknown>> | undefined) =>
  values && { examples: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])) };

/** Headers of this endpoint in addition to the trace id. */
function successHeaders({ idempotent, responseHeaders }: Endpoint): JsonSchema {
  const replayed = { description: 'On a repeated response.', schema: { type: 'string', enum: ['true'] } };
  return { ...responseHeaders, ...(idempotent && { 'Idempotent-Replayed': replayed }) };
}

const contentOf = (types: readonly string[], content: JsonSchema) =>
  Object.fromEntries(types.map((type) => [type, content]));

function uploadBody({ part, contentTypes }: Upload): JsonSchema {
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: { type: 'object', required: [part], properties: { [part]: { type: 'string', format: 'binary' } } },
        encoding: { [part]: { contentType: contentTypes.join(', ') } },
      },
    },
  };
}

function successResponses(endpoint: Endpoint, components: Components): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(endpoint.responses).map(([status, schema]) => [
      status,
      {
        description: Number(status) === successStatus(endpoint) ? 'Success' : 'Answer',
        headers: { ...traceHeader, ...successHeaders(endpoint) },
        content: contentOf(endpoint.produces ?? [MEDIA_TYPES.json], {
          schema: toJsonSchema(schema, 'output', components),
          ...toExamples(endpoint.examples?.response?.[Number(status)]),
        }),
      },
    ]),
  );
}

function parametersIn(
  place: 'path' | 'query',
  schema: Schema | undefined,
  components: Components,
  examples: Examples = {},
) {
  if (!schema) return [];
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input', components) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const values = place === 'path' ? examples.params : examples.query;
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
    ...(values?.[name] !== undefined && { example: values[name] }),
  }));
}

function operationObjectOf(endpoint: Endpoint, components: Components): JsonSchema {
  const { operationId, summary, description, tags, request, bodyFormat = 'json', examples } = endpoint;
  const parameters = [
    ...parametersIn('path', request?.params, components, examples),
    ...parametersIn('query', request?.query, components, examples),
    ...(endpoint.idempotent ? [idempotencyKey] : []),
  ];
  const body = request?.body && {
    required: true,
    content: {
      [MEDIA_TYPES[bodyFormat]]: {
        schema: toJsonSchema(request.body, 'input', components),
        ...toExamples(examples?.request),
      },
    },
  };
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags,
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    ...(request?.upload && { requestBody: uploadBody(request.upload) }),
    // A status that the endpoint describes itself has its own shape, even when it is an error (OAuth).
    responses: { ...errorResponses(errorCodesOfEndpoint(endpoint)), ...successResponses(endpoint, components) },
  };
}

/** Headers of every callback (docs/integration.md#callbacks). */
const callbackHeaders: readonly JsonSchema[] = [
  ['Gateway-Event-Id', 'The same for all attempts and replays: use it to detect duplicates.', { type: 'string' }],
  ['Gateway-Delivery-Attempt', 'Number of the attempt, from 1.', { type: 'integer' }],
  ['Gateway-Event-Created-At', 'When the change happened.', { type: 'string', format: 'date-time' }],
  [
    'Gateway-Resource-Version',
    'Grows with each change: ignore a version older than one you know.',
    { type: 'integer' },
  ],
].map(([name, description, schema]) => ({ name, in: 'header', required: true, description, schema }));

/** What the answers of a receiver mean to the gateway. */
const callbackResponses: JsonSchema = {
  '2XX': { description: 'The callback is delivered.' },
  '410': { description: 'This callback is not sent again.' },
  default: { description: 'The callback is sent again, ten times at most; so is one without an answer within 10 s.' },
};

function webhookOf({ name, summary, description, tags, body }: CallbackDefinition, components: Components): JsonSchema {
  const schema = toJsonSchema(body, 'output', components);
  return {
    operationId: name,
    summary,
    description,
    tags,
    security: [],
    parameters: callbackHeaders,
    requestBody: { required: true, content: { [MEDIA_TYPES.json]: { schema } } },
    responses: callbackResponses,
  };
}

/** Converts `/v1/payments/:paymentId` to the form of OpenAPI. */
export const toOpenApiPath = (path: string) => path.replace(/:(\w+)/g, '{$1}');

/**
 * Builds the document.
 * @param callbacks what the gateway posts to integrators
 * @throws {Error} when two schemas share a name, or two endpoints an operationId.
 */
export function toOpenApi(
  endpoints: readonly Endpoint[],
  callbacks: readonly CallbackDefinition[] = [],
): OpenApiDocument {
  const components = new Components();
  const paths: OpenApiDocument['paths'] = {};
  const seen = new Set<string>();
  for (const endpoint of endpoints) {
    if (seen.has(endpoint.operationId)) throw new Error(`Two endpoints are called ${endpoint.operationId}`);
    seen.add(endpoint.operationId);
    const path = toOpenApiPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method]: operationObjectOf(endpoint, components) };
  }
  const webhooks = Object.fromEntries(callbacks.map((one) => [one.name, { post: webhookOf(one, components) }]));
  const codes = [...new Set(endpoints.flatMap(errorCodesOfEndpoint))].sort();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment gateway',
      version: DOCUMENT_VERSION,
      description:
        'Amounts are decimals in the currency of the payment, as JSON numbers or decimal strings. Integers may be sent as strings of digits. Date-times are ISO 8601; without an offset they are UTC.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.flatMap((endpoint) => endpoint.tags))].map((name) => ({
      name,
      ...(Object.hasOwn(tagTexts, name) && { description: tagTexts[name] }),
    })),
    paths,
    ...(callbacks.length > 0 && { webhooks }),
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'Client id as user name, API key as password.' },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A token of `POST /oauth/token`. It is valid for one hour and has the rights of its key.',
        },
      },
      headers: {
        'X-Trace-Id': { description: 'Id of this call in the log of the operator.', schema: { type: 'string' } },
      },
      schemas: {
        Error: errorSchema,
        ...Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      },
      examples: Object.fromEntries(codes.map((code) => [code, errorExample(code)])),
    },
  };
}
