/** The document is up to date, and its examples and schemas are true. */
import { readFileSync } from 'node:fs';
import { errorCodesOfEndpoint, toOpenApi, toOpenApiPath } from '../../api/http/to-openapi.js';
import { toOpenApi30 } from '../../api/http/to-openapi-30.js';
import { callbacks, endpoints } from '../../api/routes.js';
import { staleFiles } from '../../scripts/generate.js';
import { errorCatalogue } from '../../shared/contract/error-catalogue.js';
import { GatewayError, toEnvelope } from '../../shared/contract/gateway-error.js';
import { validationOptions } from '../../shared/contract/joi.js';
import { publishedSchemas } from '../contract/published-schema.js';
import { postEcho } from '../http/app-under-test.js';

const document = toOpenApi(endpoints, callbacks);
const published = publishedSchemas(document);

test('generated files are up to date: run `npm run generate`', () => {
  expect(staleFiles().map(({ path }) => path)).toEqual([]);
});

test('the committed document is the served one', () => {
  expect(JSON.parse(readFileSync('api/openapi.json', 'utf8'))).toEqual(JSON.parse(JSON.stringify(document)));
});

test('every reference points to something', () => {
  const references = JSON.stringify(document).match(/"#\/components\/[^"]+"/g) ?? [];
  const { components } = document as unknown as { components: Record<string, Record<string, unknown>> };

  for (const reference of new Set(references)) {
    const [, , kind = '', name = ''] = JSON.parse(reference).split('/');
    expect([reference, components[kind]?.[name] !== undefined]).toEqual([reference, true]);
  }
});

test('the errors that follow from the properties of an endpoint are added', () => {
  expect(errorCodesOfEndpoint(postEcho)).toEqual([
    ...[
      'invalid-card-number',
      'merchant-not-found',
      'request-validation-errors',
      'unauthorized',
      'forbidden',
      'conflict',
    ],
    ...['payload-too-large', 'unsupported-media-type', 'too-many-requests', 'internal-error', 'timeout'],
  ]);
});

test('no schema contains keywords that only the generator understands', () => {
  expect(JSON.stringify(document)).not.toMatch(/x-component|"\$defs"/);
});

/** Every schema inside of a value, with the way to it. */
function* schemasIn(value: unknown, way = ''): Generator<readonly [string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [way, value as Record<string, unknown>];
  for (const [name, item] of Object.entries(value)) if (name !== 'examples') yield* schemasIn(item, `${way}/${name}`);
}

/** What makes generators of typed clients write `unknown`, an object without members, or code that does not compile. */
const untyped: Record<string, (schema: Record<string, unknown>) => boolean> = {
  'a part of a choice without a type': (schema) =>
    ['anyOf', 'oneOf', 'allOf'].some((name) => {
      const parts = schema[name];
      return (
        Array.isArray(parts) && parts.some((part) => !['type', '$ref', 'anyOf'].some((key) => Object.hasOwn(part, key)))
      );
    }),
  'a choice with a type beside it': ({ type, anyOf }) => type !== undefined && Array.isArray(anyOf),
  'an object that does not say what it holds': ({ type, properties, additionalProperties }) =>
    [type].flat().includes('object') && properties === undefined && additionalProperties === undefined,
  'a map by `patternProperties`': ({ patternProperties }) => patternProperties !== undefined,
  'a list of texts and numbers': ({ enum: values }) =>
    Array.isArray(values) && new Set(values.filter((value) => value !== null).map((value) => typeof value)).size > 1,
  'a default in a body, which makes the field required in types of requests': (schema) =>
    Object.values(schema['properties'] ?? {}).some((one) => one?.default !== undefined),
};

test.each(Object.entries(untyped))('no schema has %s', (_name, has) => {
  const both = { v2: document, v1: toOpenApi30(document) };
  expect([...schemasIn(both)].filter(([, schema]) => has(schema)).map(([way]) => way)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: these ways lead into a document of no narrower type.
const shapes = (document.components as Record<string, any>)['schemas'];
const { PaymentRequest, PaymentResponse, Recurring, ThreeDSSettingsResponse, ThreeDSSettingsRequest } = shapes;

test.each([
  ['flow', PaymentRequest.properties, PaymentResponse.properties],
  ['exemption', PaymentRequest.properties, PaymentResponse.properties],
  ['frequency', Recurring.properties, PaymentResponse.properties.recurring.properties],
  ['reason', Recurring.properties, PaymentResponse.properties.recurring.properties],
])('%s has the same values in an answer as in a request', (name, sent, answered) => {
  expect(answered[name].enum).toEqual(sent[name].enum.filter((value: unknown) => value !== null));
});

test.each(['brands', 'origins'])('%s of a route have the same values in an answer as in a request', (name) => {
  const of = ({ routes }: typeof shapes) => routes.items.properties.conditions.properties[name].items.enum;
  const { PaymentMethodSettings, MerchantPaymentMethodResponse } = shapes;
  expect(of(MerchantPaymentMethodResponse.properties.settings.properties)).toEqual(
    of(PaymentMethodSettings.properties),
  );
});

test('metadata of 3D Secure settings has the type in which a `PUT` takes it back', () => {
  const taken = JSON.stringify(ThreeDSSettingsRequest.properties.metadata.additionalProperties.anyOf);
  const shown = ThreeDSSettingsResponse.properties.metadata.additionalProperties.anyOf;
  expect(shown).toHaveLength(3);
  for (const { type } of shown) expect(taken).toContain(`{"type":"${type}"`);
});

describe.each(endpoints.map((endpoint) => [endpoint.operationId, endpoint] as const))('%s', (_id, endpoint) => {
  const { request, examples, merchantScope } = endpoint;

  test('has parameters for each name in its path, and only those', () => {
    const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name).sort();
    const operation = document.paths[toOpenApiPath(endpoint.path)]?.[endpoint.method] as {
      parameters?: { in: string; name: string }[];
    };
    expect(
      (operation.parameters ?? [])
        .filter((one) => one.in === 'path')
        .map((one) => one.name)
        .sort(),
    ).toEqual(names);
  });

  test('its merchant field is in its schema', () => {
    if (typeof merchantScope !== 'object') return;
    expect(request?.[merchantScope.in]?.extract(merchantScope.field)).toBeDefined();
  });

  test('each request example is accepted by Joi and by the published schema', () => {
    if (request?.body) expect(Object.keys(examples?.request ?? {})).not.toHaveLength(0);
    for (const [name, sent] of Object.entries(examples?.request ?? {})) {
      expect([name, request?.body?.validate(sent, validationOptions).error?.message]).toEqual([name, undefined]);
      expect([name, published.requestBody(endpoint)(sent)]).toEqual([name, []]);
    }
    for (const place of ['params', 'query'] as const) {
      expect(request?.[place]?.validate(examples?.[place] ?? {}, validationOptions).error?.message).toBe(undefined);
    }
  });

  test('each answer example fits the published schema of its status', () => {
    for (const [status, answers] of Object.entries(examples?.response ?? {})) {
      for (const [name, body] of Object.entries(answers)) {
        expect([name, published.response(endpoint, Number(status))(body)]).toEqual([name, []]);
      }
    }
  });

  test('each declared error is published under its status, and its envelope fits', () => {
    for (const code of errorCodesOfEndpoint(endpoint)) {
      const error = new GatewayError(code, { params: { a: ['b'] } });
      const envelope = JSON.parse(JSON.stringify(endpoint.presentError?.(error) ?? toEnvelope(error, 'trace')));
      expect([code, published.response(endpoint, errorCatalogue[code].status)(envelope)]).toEqual([code, []]);
    }
  });
});
