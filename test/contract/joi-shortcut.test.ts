/** Compares the shortcut of shared/contract/joi-shortcut.ts with Joi itself: both have the same result for every input. */
import { isDeepStrictEqual } from 'node:util';
import type { Request, Response } from 'express';
import fc from 'fast-check';
import Base, { type CustomHelpers, type Schema, type ValidationOptions } from 'joi';
import type { Endpoint } from '../../api/http/define-endpoint.js';
import { validateRequest } from '../../api/http/validate-request.js';
import { endpoints } from '../../api/routes.js';
import { UNSURE } from '../../shared/contract/accept-values.js';
import { body, Joi, nullable, text, validationOptions } from '../../shared/contract/joi.js';
import { Compiler } from '../../shared/contract/joi-shortcut.js';
import { acceptByType } from '../../shared/contract/joi-types.js';
import { acceptMetadata } from '../../shared/contract/metadata-types.js';
import { maximalBodies } from '../wire/maximal-bodies.js';
import { fieldsOf, type Path, valueAt, withValue } from '../wire/schema-walk.js';

const withBody = endpoints.flatMap(({ operationId, request }) => {
  const bodies = maximalBodies[operationId];
  return request?.body && bodies ? [{ operationId, schema: request.body, bodies }] : [];
});

function validate(schema: Schema, sent: unknown, more: ValidationOptions = {}) {
  const { value, error } = schema.validate(sent, { ...validationOptions, ...more });
  const found = error?.details.map(({ message, path, type }) => ({ message, path, type }));
  // The details name every error; a value beside an error is not used.
  return found ? { found } : { value };
}
const withShortcut = (schema: Schema, sent: unknown, more?: ValidationOptions) => validate(schema, sent, more);
/** Validates with Joi itself: the shortcut does not support the option `context`. */
const withJoi = (schema: Schema, sent: unknown, more?: ValidationOptions) =>
  validate(schema, sent, { ...more, context: {} });
/** Options with which requests, jobs and answers of others are validated. */
const optionSets: readonly ValidationOptions[] = [{}, { convert: false }, { convert: false, allowUnknown: true }];

/** Compares with Node first, which takes a tenth of the time of `expect`. Only a difference goes to `expect`, whose message shows it. */
function expectSame(schema: Schema, sent: unknown, more?: ValidationOptions): void {
  const [short, full] = [withShortcut(schema, sent, more), withJoi(schema, sent, more)];
  if (!isDeepStrictEqual(short, full)) expect(short).toStrictEqual(full);
}

/** Puts a value at a path, unless an earlier change removed its parent. */
function put(sent: unknown, path: Path, value: unknown): unknown {
  const parent = path.length === 0 ? {} : valueAt(sent, path.slice(0, -1));
  return parent !== null && typeof parent === 'object' ? withValue(sent, path, value) : sent;
}

/** Values near the edges of the rules for texts, numbers and shapes. */
const awkward: readonly unknown[] = [
  ...[undefined, null, '', ' ', 'x', 'x'.repeat(300), '\u0000', '\ud800', '12', '-0', '1.50', '1e3', 'USD', 'none'],
  ...[0, -0, 1, -1, 1.5, 2 ** 31, Number.NaN, true, false, [], [[]], {}, { a: 1 }, new Date(0), Object.create(null)],
];
const anything = fc.oneof(fc.constantFrom(...awkward), fc.jsonValue());

test('the shortcut accepts complete payments, and uses Joi only for single fields', () => {
  const [payment] = withBody.filter(({ operationId }) => operationId === 'createPayment');
  const compiler = new Compiler({
    types: { ...acceptByType, ...acceptMetadata },
    nullIsAbsent: true,
    allowUnknown: false,
    validate: (schema, value) => Base.object().validate.call(schema as never, value),
  });
  const accept = compiler.acceptOf(payment?.schema as never);
  for (const body of payment?.bodies ?? []) expect(accept(body, {})).not.toBe(UNSURE);
});

test('endpoints validate with the shortcut', async () => {
  const preferences: unknown[] = [];
  // Joi passes its preferences to a custom rule, the shortcut passes none.
  const seen = (value: unknown, helpers: CustomHelpers) => {
    preferences.push(helpers.prefs);
    return value;
  };
  const endpoint = {
    request: { body: body({ a: text(5).custom(seen), b: nullable(text(5)) }) },
  } as unknown as Endpoint;
  const request = { method: 'POST', body: { a: 'x', b: null } } as Request;
  await new Promise((next) => validateRequest(endpoint)?.(request, {} as Response, next));
  expect(request.body).toStrictEqual({ a: 'x' });
  expect(preferences).toEqual([undefined]);
});

test('the comparison covers more than 20 operations with a body', () => {
  expect(withBody.length).toBeGreaterThan(20);
});

describe.each(withBody)('$operationId', ({ schema, bodies }) => {
  test('has the same result for complete bodies', () => {
    for (const body of bodies) expect(withShortcut(schema, body)).toEqual(withJoi(schema, body));
  });

  test('has the same result for bodies with changed, missing or additional fields', () => {
    const places = fieldsOf(schema).map(({ path }) => path);
    const change = fc.record({
      at: fc.nat(places.length - 1),
      value: anything,
      name: fc.constantFrom('', 'unknown', 'toString'),
    });
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.array(change, { minLength: 1, maxLength: 3 }), (body, changes) => {
        const sent = changes.reduce<unknown>((sum, { at, value, name }) => {
          const path = places[at] ?? [];
          return put(sum, name ? [...path.slice(0, -1), name] : path, value);
        }, body);
        expectSame(schema, sent);
      }),
      { numRuns: 60 },
    );
  });
});

describe('schemas that the operations do not have', () => {
  const inner = body({ a: text(5).required(), b: nullable(text(5)) });
  const sameAsA = (value: unknown, helpers: CustomHelpers) => {
    const { a } = helpers.state.ancestors[0] ?? {};
    return a === undefined || a === value ? value : helpers.error('any.invalid');
  };
  const throwing = text(5).custom(() => {
    throw new Error('a rule that throws');
  });
  const schemas: Record<string, Schema> = {
    'a default': body({ a: Joi.string().valid('a', 'x').default('a'), b: body({ a: text(3).default('x') }).default() }),
    'a reference': body({ a: Joi.int32(), b: Joi.any().when('a', { is: Joi.exist(), otherwise: Joi.required() }) }),
    'a rule with a reference': body({ a: Joi.number(), b: Joi.string().max(Joi.ref('a')) }),
    'a reference to a value': body({ a: Joi.int32(), b: Joi.valid(Joi.ref('a')) }),
    peers: body({ a: text(3), b: text(3) }).or('a', 'b'),
    'a renamed field': body({ a: text(3) }).rename('b', 'a'),
    'a stripped field': body({ a: text(3), b: text(3).strip() }),
    'a forbidden text': body({ a: text(3).forbidden(), b: Joi.string().valid('x').forbidden() }),
    'a forbidden object': body({ a: inner.forbidden(), b: Joi.any().forbidden() }),
    'an empty text': body({ a: Joi.string().max(3), b: Joi.string().allow('') }),
    'an inverted pattern': body({ a: Joi.string().pattern(/x/, { invert: true }) }),
    'a trimmed text': body({ a: Joi.string().trim(), b: Joi.string().lowercase() }),
    'a value that is refused': body({ a: text(3).invalid('no'), b: Joi.int32().invalid(1) }),
    'unknown members': body({ a: inner.unknown(), b: inner }),
    'other preferences': body({
      a: inner.options({ stripUnknown: true }),
      b: text(3).options({ presence: 'required' }),
    }),
    'values as they are': body({ a: Joi.int32().options({ convert: false }), b: Joi.decimalText() }),
    'a list': body({ a: Joi.array().items(inner, text(3)).max(2), b: Joi.array().items(Joi.int32()) }),
    'a list without holes': body({ a: Joi.array().items(Joi.any()), b: Joi.array().items(Joi.int32().required()) }),
    'a rule of its own': body({ a: inner.custom((value) => ({ ...value, c: 1 })), b: text(3).custom(() => 'other') }),
    'a rule that looks around': body({ a: Joi.int32(), b: Joi.int32().custom(sameAsA) }),
    'one beside a value of any kind': body({ a: Joi.int32(), b: Joi.any().custom(sameAsA) }),
    'a rule that returns nothing': body({
      a: text(5).custom(() => undefined),
      b: Joi.array().items(text(5).custom(() => undefined)),
    }),
    'a rule that throws': body({ a: throwing }),
    numbers: body({ a: Joi.number(), b: Joi.number().integer().min(1).max(3) }),
    'positive numbers': body({ a: Joi.number().positive(), b: Joi.number().integer().negative() }),
    'rounded numbers': body({ a: Joi.number().precision(1), b: Joi.number().multiple(2) }),
    'a list of values': body({ a: Joi.valid('x', 'abc').required(), b: Joi.valid('x', 1, null) }),
    'a rule that only warns': body({ a: Joi.string().max(2).warn() }),
  };
  const values = fc.constantFrom(...awkward, 'abc', 'no', ' a ', 'X', ['x'], [1, undefined], [{ a: 'x' }]);
  const single = fc.oneof({ arbitrary: values, weight: 5 }, fc.jsonValue());
  const pair = fc.record({ a: single, b: single, c: single }, { requiredKeys: ['a'] });
  const member = fc.oneof({ arbitrary: single, weight: 3 }, pair);
  const sent = fc.oneof(
    { arbitrary: fc.oneof(fc.record({ a: member }), fc.record({ b: member })), weight: 3 },
    { arbitrary: fc.record({ a: member, b: member }), weight: 3 },
    single.map((value) => ({ a: value, b: value })),
    fc.record({ a: member, b: member, c: single }, { requiredKeys: [] }),
    single,
  );
  test('a member named __proto__ has the same result as with Joi', () => {
    const named: unknown = JSON.parse('{"__proto__":false}');
    for (const manner of optionSets) {
      const schema = body({ a: text(3) });
      expect(withShortcut(schema, named, manner)).toStrictEqual(withJoi(schema, named, manner));
    }
  });

  test.each(Object.entries(schemas))('%s has the same result', (_name, schema) => {
    fc.assert(
      fc.property(sent, fc.constantFrom(...optionSets), (one, manner) => expectSame(schema, one, manner)),
      { numRuns: 4_000 },
    );
  });
});
