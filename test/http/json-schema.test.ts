import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Schema } from 'joi';
import { Components, type JsonSchema, type SchemaMode, toJsonSchema } from '../../api/http/json-schema.js';
import { endpoints } from '../../api/routes.js';
import {
  body,
  Joi,
  jsonMetadata,
  metadata,
  named,
  nullable,
  text,
  validationOptions,
} from '../../shared/contract/joi.js';

function checker(schema: Schema, mode: SchemaMode = 'input') {
  const components = new Components();
  const json = toJsonSchema(schema, mode, components);
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addFormat('int32', true);
  const validate = ajv.compile({ ...json, components: { schemas: components.schemas } });
  return { json, components, accepts: (value: unknown) => validate(value) === true };
}

/** Each type with values that Joi accepts. The published schema must accept them too, and both refuse the values after them. */
const types: [string, Schema, unknown[], unknown[]][] = [
  ['int32', Joi.int32().min(1), [1, '1', 2147483647], ['1e3', 1.5, 0, true, null]],
  ['nullable int32', nullable(Joi.int32()), [1, '1', null], ['x', 1.5]],
  ['decimalText', Joi.decimalText(), [1.5, '1.50', 0], [-1, '1e3', '', null]],
  ['nullable decimalText', nullable(Joi.decimalText()), [1.5, '1.50', null], ['x']],
  ['dateTime', Joi.dateTime(), ['2030-01-31T12:00:00Z'], ['2026-02-30T00:00:00Z', 'now', 5]],
  ['nullable dateTime', nullable(Joi.dateTime()), ['2030-01-31T12:00:00+02:00', null], ['now']],
  ['text', text(3), ['abc'], ['', '  ', 'abcd', 'a\u0000', null]],
  ['nullable text', nullable(text(3)), ['abc', null], ['']],
  ['nullable enum', nullable(Joi.string().valid('a', 'b')), ['a', null], ['c', '']],
  [
    'metadata',
    metadata(),
    [{ a: 'b' }, {}, { a: 1, b: true }],
    [{ $a: 'b' }, { 'a.b': 'c' }, { a: {} }, { a: null }, [], null],
  ],
  ['nullable metadata', nullable(metadata()), [{ a: 'b' }, null], ['x']],
  [
    'nullable named',
    nullable(named('Shape', body({ a: Joi.int32().required() }))),
    [{ a: 1 }, null],
    [{}, { a: 1, b: 2 }],
  ],
  [
    'array',
    nullable(
      Joi.array()
        .items(named('Item', body({ n: text(3) })))
        .max(1),
    ),
    [[], [{ n: 'a' }], null],
    [[{}, {}], [{ m: 1 }]],
  ],
  ['ip', Joi.string().ip(), ['127.0.0.1', '::1'], ['localhost', '1.2.3', null]],
  ['nullable ip', nullable(Joi.string().ip()), ['127.0.0.1', '::1', null], ['localhost', '']],
  ['text and numbers', Joi.any().valid('1', 'a', 1), ['1', 'a', 1], ['b', 2, null]],
  ['nullable text and numbers', Joi.any().valid('a', 1, null), ['a', 1, null], ['b', 2]],
  [
    'map',
    Joi.object()
      .pattern(/^[A-Z]{3}$/, Joi.decimalText())
      .max(1),
    [{ USD: 1 }, {}],
    [{ usd: 1 }, { USD: 'a' }, { USD: 1, UYU: 1 }],
  ],
  ['json metadata', jsonMetadata(), [{ a: { b: [1] } }, { a: ['b'] }, { a: 1 }], [{ $a: 'b' }, { a: null }, 'x']],
  ['boolean', Joi.boolean().strict(), [true, false], ['true', 1]],
];

describe.each(types)('%s', (_name, schema, good, bad) => {
  test('is published as it is validated', () => {
    const { accepts } = checker(schema);
    const joi = (value: unknown) => schema.validate(value, validationOptions).error === undefined;
    for (const value of good) expect([value, joi(value), accepts(value)]).toEqual([value, true, true]);
    for (const value of bad) expect([value, joi(value), accepts(value)]).toEqual([value, false, false]);
  });
});

test('an answer has a stricter schema for numbers, and is open to new fields', () => {
  const schema = body({ n: Joi.int32().required(), d: Joi.decimalText(), at: Joi.dateTime() });
  const { accepts, json } = checker(schema, 'output');
  expect(accepts({ n: 1, d: 1.5, at: '2030-01-31T12:00:00.000Z', later: 1 })).toBe(true);
  expect(accepts({ n: '1' })).toBe(false);
  expect(accepts({ n: 1, d: '1.5' })).toBe(false);
  expect(json).not.toHaveProperty('additionalProperties');
});

test('a shared shape is published once per direction, and its uses keep description and null', () => {
  const address = named('Address', body({ line1: text(5).required() }));
  const { components, json } = checker(body({ a: address, b: nullable(address).description('Second') }));
  expect(Object.keys(components.schemas)).toEqual(['Address']);
  expect(json['properties']).toEqual({
    a: { $ref: '#/components/schemas/Address' },
    b: { anyOf: [{ $ref: '#/components/schemas/Address' }, { type: 'null' }], description: 'Second' },
  });
  toJsonSchema(address, 'output', components);
  expect(Object.keys(components.schemas)).toEqual(['Address', 'AddressResponse']);
});

test('two different schemas with one name throw', () => {
  const components = new Components();
  toJsonSchema(named('Same', body({ a: text(5) })), 'input', components);
  expect(() => toJsonSchema(named('Same', body({ b: text(5) })), 'input', components)).toThrow('named Same');
});

test('branches of a condition without information are dropped', () => {
  const schema = body({
    source: Joi.string().valid('card', 'token').required(),
    // biome-ignore lint/suspicious/noThenProperty: Joi's own word.
    card: Joi.when('source', { is: 'card', then: body({ number: text(5) }).required(), otherwise: Joi.forbidden() }),
  });
  const properties = checker(schema).json['properties'] as Record<string, JsonSchema>;
  expect(properties['card']).toMatchObject({ type: 'object', properties: { number: { type: 'string' } } });
  expect(properties['card']).not.toHaveProperty('anyOf');
});

test('a field with the name of a keyword stays a field', () => {
  const { json } = checker(body({ type: text(5), default: text(5), enum: nullable(text(5)), properties: text(5) }));
  expect(Object.keys(json['properties'] as object)).toEqual(['type', 'default', 'enum', 'properties']);
});

test('no pattern of a request has a flag: the published pattern would refuse what the API takes', () => {
  const patterns = new Set<string>();
  const note = (key: string, value: unknown) => {
    if (key === 'regex') patterns.add(String(value));
    return value;
  };
  for (const { request } of endpoints)
    for (const schema of [request?.params, request?.query, request?.body]) JSON.stringify(schema?.describe(), note);
  expect(patterns.size).toBeGreaterThan(10);
  // `u` makes no difference to these patterns: validators of JSON Schema set it themselves.
  expect([...patterns].filter((pattern) => !/\/u?$/.test(pattern))).toEqual([]);
});
