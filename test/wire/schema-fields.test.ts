/**
 * Each field of each request body, derived from the schemas: forms that must be equal (an integer as text, null for absent), values
 * that must be refused by name (missing, too long, wrong enum, wrong type, unknown), and no refusal repeats what was sent.
 */
import { readFile } from 'node:fs/promises';
import type { Schema } from 'joi';
import type { Endpoint } from '../../api/http/define-endpoint.js';
import { toOpenApi } from '../../api/http/to-openapi.js';
import { errorCodesOf, validationError } from '../../api/http/validation-error.js';
import { callbacks, endpoints } from '../../api/routes.js';
import { validationOptions } from '../../shared/contract/joi.js';
import { publishedSchemas } from '../contract/published-schema.js';
import { contract } from './contract-fields.js';
import { maximalBodies, refusedFields } from './maximal-bodies.js';
import { type Field, fieldsOf, ignoredFieldsOf, type Path, valueAt, withValue } from './schema-walk.js';

const published = publishedSchemas(toOpenApi(endpoints, callbacks));
// A form is read as OAuth prescribes (unknown parameters are ignored, empty ones left out): test/pipeline/bearer-tokens.test.ts.
const withBody = endpoints.filter(({ request, bodyFormat }) => request?.body && bodyFormat !== 'form');
/** A text that is in no valid value, so that every repetition of it is found. */
const SENTINEL = 'Zz-sentinel-Zz';
const NUMBER_SENTINEL = 731_731.731;

const schemaOf = (endpoint: Endpoint) => endpoint.request?.body as Schema;
/** Operations whose bodies have only nullable enumerations: no text, and no field that refuses null. */
const enumsOnly = new Set(['enableWalletBPay']);
/** Updates in which an absent field stays unchanged and null clears it. */
const mergingUpdates: ReadonlySet<string> = new Set(['updateCustomer']);
/** Whether the field takes only null: its source is not built yet. */
const isPlaceholder = (field: Field) => field.type === 'any' && field.values?.length === 0;

const codesOf = new Map(withBody.map((endpoint) => [schemaOf(endpoint), errorCodesOf(schemaOf(endpoint))]));

function check(schema: Schema, sent: unknown) {
  const { error, value } = schema.validate(sent, validationOptions);
  return { value, refused: error && validationError(error.details, codesOf.get(schema)) };
}

/** Returns the parts of the refusal that a caller reads. */
function refusalOf(schema: Schema, sent: unknown) {
  const { refused } = check(schema, sent);
  const text = JSON.stringify([refused?.publicMessage, refused?.params]);
  expect(text).not.toContain(SENTINEL);
  expect(text).not.toContain(String(NUMBER_SENTINEL));
  return { status: refused?.status, code: refused?.code, names: Object.keys(refused?.params ?? {}) };
}

/** Returns all cases not refused as `{ status: 400, params: { [name]: … } }`, so that one failing test lists every such field. */
function notRefusedByName(endpoint: Endpoint, cases: readonly (readonly [name: string, sent: unknown])[]) {
  expect(cases.length).toBeGreaterThan(0);
  return cases
    .map(([name, sent]) => ({ name, ...refusalOf(schemaOf(endpoint), sent) }))
    .filter(({ name, status, names }) => status !== 400 || !names.includes(name || 'body'));
}

/** Returns one value of each JSON type that this type of field does not take. */
function wrongTypes({ type, values }: Field): unknown[] {
  const text = type === 'string' && !values ? [] : [SENTINEL];
  const list = type === 'array' ? [] : [[SENTINEL]];
  const object = ['object', 'metadata', 'jsonMetadata'].includes(type) ? [] : [{ [SENTINEL]: SENTINEL }];
  const number = type === 'decimalText' ? [] : [NUMBER_SENTINEL];
  const boolean = type === 'boolean' ? ['true', 'false', 1, 0] : [true, false];
  return [...boolean, ...text, ...list, ...object, ...number];
}

test('every operation with a body has a maximal one in test/wire/maximal-bodies.ts', () => {
  expect(Object.keys(maximalBodies).sort()).toEqual(
    endpoints
      .filter(({ request }) => request?.body)
      .map(({ operationId }) => operationId)
      .sort(),
  );
});

test('docs/api.md names every optional field that refuses null', async () => {
  const page = await readFile('docs/api.md', 'utf8');
  const [sentence = ''] = /^- No `null` is taken .*$/m.exec(page) ?? [];
  const named = [...sentence.matchAll(/`([\w.]+)`/g)].map(([, name]) => name);
  const isItem = ({ path }: Field) => path.length === 0 || typeof path.at(-1) === 'number';
  const refusesNull = withBody
    .flatMap((endpoint) => fieldsOf(schemaOf(endpoint)))
    .filter((field) => !field.required && !field.nullable && !isItem(field))
    .map(({ name }) => name);
  expect(refusesNull).toContain('installments');
  expect(refusesNull.filter((name) => !named.some((part) => `.${name}.`.includes(`.${part}.`)))).toEqual([]);
});

test.each(Object.entries(contract))(
  '%s requires the fields and accepts the nulls that the API promises',
  (operationId, said) => {
    const endpoint = withBody.find((one) => one.operationId === operationId);
    const fields = endpoint ? fieldsOf(schemaOf(endpoint)) : [];
    const having = (property: 'required' | 'nullable') =>
      new Set(fields.filter((field) => field[property]).map(({ name }) => name));
    expect(said.required.split(' ').filter((name) => !having('required').has(name))).toEqual([]);
    expect(said.nullable.split(' ').filter((name) => name && !having('nullable').has(name))).toEqual([]);
  },
);

describe.each(withBody.map((endpoint) => [endpoint.operationId, endpoint] as const))('%s', (_id, endpoint) => {
  const schema = schemaOf(endpoint);
  const all = fieldsOf(schema);
  // If the maximal body is missing, the first test fails and the others still run.
  const maximal = maximalBodies[endpoint.operationId]?.[0] ?? {};
  const placeholders = all.filter(isPlaceholder);
  const bodies = (maximalBodies[endpoint.operationId] ?? []).filter((body) =>
    placeholders.every(({ path }) => valueAt(body, path) === undefined),
  );
  const fields = all.filter(
    (field) => !isPlaceholder(field) && field.path.length > 0 && !refusedFields[endpoint.operationId]?.test(field.name),
  );
  /** Returns the body that has the field, or at least a place for it. */
  const bodyFor = (path: Path) =>
    bodies.find((body) => valueAt(body, path) !== undefined) ??
    bodies.find((body) => valueAt(body, path.slice(0, -1)) !== undefined) ??
    maximal;
  const replaced = (field: Field, value: unknown) => withValue(bodyFor(field.path), field.path, value);

  test('its maximal bodies set every field and are accepted by Joi and by the published schema', () => {
    const unset = fields.filter(({ path }) => bodies.every((body) => valueAt(body, path) === undefined));
    expect(
      unset.map(
        ({ name }) => `${name}: give it a value in test/wire/maximal-bodies.ts, one of a payment in payment-fields.ts`,
      ),
    ).toEqual([]);
    for (const body of bodies) {
      expect(check(schema, body).refused?.params).toBeUndefined();
      expect(published.requestBody(endpoint)(body)).toEqual([]);
    }
  });

  test('an integer as text is the same as the integer', () => {
    const publishedBody = published.requestBody(endpoint);
    for (const field of fields.filter(({ type }) => type === 'int32')) {
      const sent = replaced(field, String(valueAt(bodyFor(field.path), field.path)));
      expect([field.name, check(schema, sent).value]).toEqual([field.name, check(schema, bodyFor(field.path)).value]);
      expect([field.name, publishedBody(sent)]).toEqual([field.name, []]);
    }
  });

  test('a decimal as text and as a number are the same', () => {
    for (const field of fields.filter(({ type }) => type === 'decimalText')) {
      const number = Number(valueAt(bodyFor(field.path), field.path));
      const [asNumber, asText] = [number, number.toFixed(2)].map((value) => check(schema, replaced(field, value)));
      expect([field.name, asNumber?.refused, asText?.refused]).toEqual([field.name, undefined, undefined]);
      const normal = (value: unknown) =>
        JSON.stringify(value).replace(/"(\d+\.\d+?)0*"/g, (_, text) => `${Number(text)}`);
      expect(normal(asText?.value).replaceAll('"', '')).toBe(normal(asNumber?.value).replaceAll('"', ''));
    }
  });

  test('an explicit null of a nullable field is the same as leaving it out', () => {
    // In an update that merges, null clears a field that would otherwise stay unchanged.
    const cleared = (field: Field) => mergingUpdates.has(endpoint.operationId) && field.path.length === 1;
    const publishedBody = published.requestBody(endpoint);
    // For a field below a member that this operation refuses, no body has a place.
    const inBodies = ({ path }: Field) => bodies.some((body) => valueAt(body, path.slice(0, -1)) !== undefined);
    for (const field of all.filter((one) => one.nullable && (inBodies(one) || fields.includes(one)))) {
      const [nulled, absent] = [null, undefined].map((value) => check(schema, replaced(field, value)));
      if (cleared(field)) {
        expect([field.name, valueAt(nulled?.value, field.path) ?? null, nulled?.refused]).toEqual([
          field.name,
          null,
          undefined,
        ]);
        continue;
      }
      // For a refused body only the refused parameters are compared.
      const seen = (checked: typeof nulled) => (checked?.refused ? checked.refused.params : checked?.value);
      expect([field.name, seen(nulled)]).toEqual([field.name, seen(absent)]);
      if (!nulled?.refused) expect([field.name, publishedBody(replaced(field, null))]).toEqual([field.name, []]);
    }
  });

  test('null for a field that is not nullable is refused by name', () => {
    const cases = fields
      .filter(({ nullable }) => !nullable)
      .map((field) => [field.name, replaced(field, null)] as const);
    if (enumsOnly.has(endpoint.operationId)) return expect(cases).toEqual([]);
    expect(notRefusedByName(endpoint, cases)).toEqual([]);
  });

  test('a required field that is missing, null or blank is named, under request-validation-errors', () => {
    // An element of an array is not a required field: an empty array is valid.
    const required = fields.filter((field) => field.required && typeof field.path.at(-1) === 'string');
    for (const field of required) {
      const blanks = field.type === 'string' ? ['', '   ', '\t'] : [];
      for (const value of [undefined, null, ...blanks]) {
        const { code, names } = refusalOf(schema, replaced(field, value));
        expect([field.name, value, names]).toEqual([field.name, value, [field.name]]);
        // A blank where digits are expected is a wrong number rather than a missing one.
        const missing = typeof value !== 'string' || value === '' || field.refusesBlank;
        if (missing) expect([field.name, value, code]).toEqual([field.name, value, 'request-validation-errors']);
      }
    }
  });

  test('a text of the maximum length is accepted, and a longer one is refused by name', () => {
    const texts = fields.filter((field) => field.type === 'string' && field.lengthMax !== undefined && !field.values);
    if (enumsOnly.has(endpoint.operationId)) return expect(texts).toEqual([]);
    expect(texts.length).toBeGreaterThan(0);
    const longer = (field: Field) =>
      replaced(field, SENTINEL.repeat(field.lengthMax ?? 0).slice(0, (field.lengthMax ?? 0) + 1));
    expect(
      notRefusedByName(
        endpoint,
        texts.map((field) => [field.name, longer(field)] as const),
      ),
    ).toEqual([]);
    for (const field of texts.filter(({ plain }) => plain)) {
      expect([field.name, check(schema, replaced(field, 'x'.repeat(field.lengthMax ?? 0))).refused?.params]).toEqual([
        field.name,
        undefined,
      ]);
    }
  });

  test('every text has a maximum length', () => {
    const endless = fields.filter(
      (field) =>
        field.type === 'string' &&
        refusalOf(schema, replaced(field, 'x'.repeat(5_000))).names.includes(field.name) === false,
    );
    expect(endless.map(({ name }) => name)).toEqual([]);
  });

  test('a text with a control character or half a surrogate pair is refused by name', () => {
    const texts = fields.filter(({ type }) => type === 'string');
    const cases = texts.flatMap((field) =>
      ['\u0000', '\n', '\u001b[31m', '\ud800', '\udc00', '\u0085'].map(
        (bad) => [field.name, replaced(field, `${SENTINEL}${bad}b`)] as const,
      ),
    );
    expect(notRefusedByName(endpoint, cases)).toEqual([]);
  });

  test('a wrong value of an enumeration is refused by name', () => {
    const enums = fields.filter(({ values }) => values && values.length > 0);
    const cases = enums.flatMap((field) => [
      [field.name, replaced(field, SENTINEL)] as const,
      [field.name, replaced(field, String(field.values?.[0]).toUpperCase())] as const,
      [field.name, replaced(field, ` ${field.values?.[0]}`)] as const,
    ]);
    const wrong = cases.filter(
      ([name, sent]) => !fields.find((field) => field.name === name)?.values?.includes(valueAt(sent, name.split('.'))),
    );
    if (enums.length > 0) expect(notRefusedByName(endpoint, wrong)).toEqual([]);
  });

  test('each wrong JSON type is refused by name', () => {
    const cases = fields.flatMap((field) =>
      wrongTypes(field).map((value) => [field.name, replaced(field, value)] as const),
    );
    expect(notRefusedByName(endpoint, cases)).toEqual([]);
  });

  test('an object or a list in a string is not parsed', () => {
    const nested = fields.filter(({ type }) => type === 'object' || type === 'array' || type === 'metadata');
    const cases = nested.map(
      (field) => [field.name, replaced(field, JSON.stringify(valueAt(bodyFor(field.path), field.path)))] as const,
    );
    if (cases.length > 0) expect(notRefusedByName(endpoint, cases)).toEqual([]);
    expect(refusalOf(schema, JSON.stringify(maximal)).names).toEqual(['body']);
  });

  test('an integer in any other form is refused by name', () => {
    const shapes = [
      '1e3',
      '1.0',
      '+5',
      ' 5',
      '5 ',
      '0x10',
      '',
      '١',
      '1_000',
      '5n',
      1.5,
      2 ** 31,
      -(2 ** 31) - 1,
      '2147483648',
    ];
    const integers = fields.filter(({ type }) => type === 'int32');
    const cases = integers.flatMap((field) => shapes.map((value) => [field.name, replaced(field, value)] as const));
    if (cases.length > 0) expect(notRefusedByName(endpoint, cases)).toEqual([]);
  });

  test('the bounds of integers hold', () => {
    const cases = fields.flatMap((field) => [
      ...(field.min === undefined ? [] : [[field.name, replaced(field, field.min - 1)] as const]),
      ...(field.max === undefined ? [] : [[field.name, replaced(field, field.max + 1)] as const]),
    ]);
    if (cases.length > 0) expect(notRefusedByName(endpoint, cases)).toEqual([]);
  });

  test('an unknown field is refused by name in every object', () => {
    const objects = all.filter(
      ({ type, name }) => type === 'object' && (name === '' || fields.some((field) => field.name === name)),
    );
    const names = ['unknownField', 'constructor', 'toString', 'id', 'status', 'clientId', '$where', 'a.b'];
    // The schema also knows the fields that it ignores by name.
    const known = new Set([...all.map(({ name }) => name), ...ignoredFieldsOf(schemaOf(endpoint))]);
    const cases = objects.flatMap(({ path }) =>
      names
        .map((name) => [...path, name])
        .filter((inner) => !known.has(inner.join('.')))
        .map((inner) => [inner.join('.'), withValue(bodyFor(inner), inner, SENTINEL)] as const),
    );
    expect(notRefusedByName(endpoint, cases)).toEqual([]);
  });

  test('a metadata map has a maximum of keys, key length and value length, and refuses dangerous keys', () => {
    const maps = fields.filter(({ type }) => type === 'metadata');
    for (const field of maps) {
      const at = (key: string) => `${field.name}.${key}`;
      const of = (map: Record<string, unknown>) => replaced(field, map);
      const many = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
      expect(check(schema, of(many(50))).refused).toBeUndefined();
      expect(refusalOf(schema, of(many(51))).names).toEqual([field.name]);
      expect(check(schema, of({ ['k'.repeat(40)]: 'v'.repeat(500) })).refused).toBeUndefined();
      expect(refusalOf(schema, of({ ['k'.repeat(41)]: 'v' })).status).toBe(400);
      expect(refusalOf(schema, of({ key: 'v'.repeat(501) })).names).toEqual([at('key')]);
      // An unambiguous value is taken as text; a value that would have to be guessed is refused.
      for (const [value, text] of [
        [1, '1'],
        [true, 'true'],
      ]) {
        expect(valueAt(check(schema, of({ key: value })).value, [...field.path, 'key'])).toBe(text);
      }
      for (const value of [null, {}, [], 'a\u0000b', '\ud800']) {
        expect([value, refusalOf(schema, of({ key: value })).names]).toEqual([value, [at('key')]]);
      }
      for (const key of ['constructor', 'prototype', '$gt', '$', 'a.b', '.', 'a\u0000b', '']) {
        expect([key, refusalOf(schema, of({ [key]: 'v' })).status]).toEqual([key, 400]);
      }
      expect(refusalOf(schema, of(JSON.parse('{"__proto__":"v"}'))).status).toBe(400);
    }
  });
});
