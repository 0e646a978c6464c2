import fc from 'fast-check';
import type { Schema } from 'joi';
import { errorCodesOf, validationError } from '../../api/http/validation-error.js';
import { limits } from '../../config/limits.js';
import {
  body,
  Joi,
  jsonMetadata,
  metadata,
  nullable,
  query,
  text,
  validationOptions,
} from '../../shared/contract/joi.js';

const read = (schema: Schema, value: unknown) => schema.validate(value, validationOptions);
const accepts = (schema: Schema, value: unknown) => read(schema, value).error === undefined;
const refusal = (schema: Schema, value: unknown) => {
  const { error } = read(schema, value);
  return error && validationError(error.details, errorCodesOf(schema));
};

describe('int32', () => {
  test('accepts integers and strings of digits, nothing else', () => {
    for (const [sent, read32] of [
      [12, 12],
      ['12', 12],
      ['-0', 0],
      ['007', 7],
      ['-2147483648', -2147483648],
      [2147483647, 2147483647],
    ] as const) {
      expect(read(Joi.int32(), sent)).toEqual({ value: read32 });
    }
    for (const sent of [
      '1e3',
      '1.0',
      ' 12 ',
      '+5',
      '',
      '0x10',
      '١٢',
      12.5,
      Number.NaN,
      Infinity,
      2147483648,
      '2147483648',
      '999999999999',
      true,
      null,
      [],
      {},
    ]) {
      expect([sent, accepts(Joi.int32(), sent)]).toEqual([sent, false]);
    }
  });
  test('keeps its bounds for both forms', () => {
    const schema = Joi.int32().min(1).max(12);
    for (const sent of [0, '0', 13, '13']) expect(accepts(schema, sent)).toBe(false);
    for (const sent of [1, '1', 12, '12']) expect(accepts(schema, sent)).toBe(true);
  });
  test('property: every int32 is read from a number and from text', () => {
    fc.assert(
      fc.property(fc.integer(), (n) => read(Joi.int32(), n).value === n && read(Joi.int32(), String(n)).value === n),
    );
  });
});

describe('decimalText', () => {
  test.each([
    ['10.10', '10.10'],
    [10.1, '10.1'],
    ['0', '0'],
    [0, '0'],
    ['123456789012345.123456', '123456789012345.123456'],
    ['10.50000000', '10.50000000'],
    ['1.12345600000000000000', '1.12345600000000000000'],
    [99999999999999.9, '99999999999999.9'],
  ])('%p is the text %p', (sent, expected) => expect(read(Joi.decimalText(), sent)).toEqual({ value: expected }));
  test.each([
    -1,
    '-1',
    1e21,
    1e-7,
    '1e3',
    '+1',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '1,5',
    '',
    Number.NaN,
    Infinity,
    'NaN',
    0.1 + 0.2,
    2 ** 53,
    '1234567890123456',
    '1.1234567',
    '1.00000001',
    `1.${'0'.repeat(21)}`,
    true,
    null,
    '1\n',
  ])('%p is refused', (sent) => expect(accepts(Joi.decimalText(), sent)).toBe(false));
  test('property: a decimal text does not change', () => {
    const decimal = fc
      .tuple(fc.integer({ min: 0, max: 999_999_999_999 }), fc.stringMatching(/^(\.\d{1,6})?$/))
      .map(([n, rest]) => `${n}${rest}`);
    fc.assert(fc.property(decimal, (sent) => read(Joi.decimalText(), sent).value === sent));
  });
});

describe('dateTime', () => {
  test.each([
    ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31T12:00:00-03:00', '2030-01-31T15:00:00.000Z'],
    ['2030-01-31T12:00:00+0530', '2030-01-31T06:30:00.000Z'],
    ['2030-01-31T12:00', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T12:00:00.123456789Z', '2030-01-31T12:00:00.123Z'],
    ['2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
    ['0050-01-01T00:00:00Z', '0050-01-01T00:00:00.000Z'],
    ['2030-01-31T12:00:00+05', '2030-01-31T07:00:00.000Z'],
    ['2030-01-31T12:00:00,5Z', '2030-01-31T12:00:00.500Z'],
    ['20300131T120000Z', '2030-01-31T12:00:00.000Z'],
    ['20300131T120000', '2030-01-31T12:00:00.000Z'],
    ['20300131T120000.25-03', '2030-01-31T15:00:00.250Z'],
    ['20300131T120000-0330', '2030-01-31T15:30:00.000Z'],
    ['20300131T120000-03:30', '2030-01-31T15:30:00.000Z'],
  ])('%s is %s', (sent, expected) => expect(read(Joi.dateTime(), sent).value).toEqual(new Date(expected)));
  test.each([
    '2026-02-30',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-01T24:00:00Z',
    '2026-01-01T12:60:00Z',
    '2026-01-01T12:00:60Z',
    '2026-01-01T12:00:00+15:00',
    '2026-01-01T12:00:00+01:60',
    '2026-01-01 12:00:00',
    '1/2/2026',
    'now',
    '',
    1767225600000,
    null,
    '2026-01-01T12',
    '2026-01-01Z',
    '20260101',
    '20260101T1200',
    '20260101T12:00:00Z',
    '2026-01-01T120000Z',
    '20260230T120000Z',
    '2026-W01-1T12:00:00Z',
    '2026-001T12:00:00Z',
    '2026-01-01T12:00:00+3',
    '9999-12-31T23:59:59-14:00',
    '0000-01-01T00:00:00+14:00',
  ])('%p is refused', (sent) => expect(accepts(Joi.dateTime(), sent)).toBe(false));
  test('property: a date that the gateway writes is read back to the millisecond', () => {
    const dates = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => read(Joi.dateTime(), date.toISOString()).value.getTime() === date.getTime()),
    );
  });
});

describe('text', () => {
  test('is neither trimmed nor changed', () => expect(read(text(10), ' a b😀 ').value).toBe(' a b😀 '));
  test.each([
    '',
    ' ',
    '\u00a0',
    'a\u0000',
    'a\nb',
    '\u001b[31m',
    '\u0085',
    '\ud800',
    'a\udc00',
    'x'.repeat(11),
    1,
    null,
  ])('%j is refused', (sent) => expect(accepts(text(10), sent)).toBe(false));
});

describe('metadata', () => {
  const wrapped = body({ metadata: nullable(metadata()) });
  test('accepts a map of strings at its bounds', () => {
    const full = Object.fromEntries(
      Array.from({ length: limits.metadataKeysMax }, (_, n) => [
        `k${n}`.padEnd(limits.metadataKeyLengthMax, 'x'),
        'v'.repeat(limits.metadataValueLengthMax),
      ]),
    );
    expect(read(wrapped, { metadata: full }).value).toEqual({ metadata: full });
    expect(read(wrapped, { metadata: { a: '' } }).value).toEqual({ metadata: { a: '' } });
  });
  test.each(['__proto__', 'constructor', 'prototype', '$set', 'a.b', 'nul\u0000', ''])(
    'key %j is refused, with its name if it is printable',
    (key) => {
      const { params = {}, code } =
        refusal(wrapped, { metadata: JSON.parse(`{"ok":"1",${JSON.stringify(key)}:"x"}`) }) ?? {};
      expect(code).toBe('request-validation-errors');
      expect(Object.keys(params)).toEqual([key.includes('\u0000') ? 'metadata.(unprintable)' : `metadata.${key}`]);
    },
  );
  test('numbers and booleans become text', () => {
    const sent = { whole: 7, part: 1.5, yes: true, no: false, text: '07' };
    const kept = { whole: '7', part: '1.5', yes: 'true', no: 'false', text: '07' };
    expect(read(wrapped, { metadata: sent }).value).toEqual({ metadata: kept });
  });
  test.each([null, [], {}, { a: 1 }, Number.NaN, Number.POSITIVE_INFINITY])('the value %j is refused', (value) => {
    expect(Object.keys(refusal(wrapped, { metadata: { value } })?.params ?? {})).toEqual(['metadata.value']);
  });
  test.each(['12345678901234567890', '-9007199254740993', '9007199254740992', '1e21'])(
    'the integer %s, which would be stored with other digits, is refused',
    (json) => {
      const sent = { metadata: { order: JSON.parse(json) } };
      expect(refusal(wrapped, sent)?.params).toEqual({
        'metadata.order': ['"metadata.order" has more digits than a JSON number holds exactly; send it as text'],
      });
      expect(accepts(wrapped, { metadata: { order: json, largest: Number.MAX_SAFE_INTEGER, part: 0.1 + 0.2 } })).toBe(
        true,
      );
    },
  );
  test('each bad key has its own error', () => {
    const sent = { number: null, nested: {}, long: 'x'.repeat(501), ok: 'y', [`k${'x'.repeat(40)}`]: 'z' };
    expect(Object.keys(refusal(wrapped, { metadata: sent })?.params ?? {})).toEqual([
      'metadata.number',
      'metadata.nested',
      'metadata.long',
      `metadata.k${'x'.repeat(40)}`,
    ]);
  });
  test('too many keys and values other than an object are refused', () => {
    const many = Object.fromEntries(Array.from({ length: limits.metadataKeysMax + 1 }, (_, n) => [`k${n}`, 'v']));
    for (const sent of [many, [], 'x', 1])
      expect(Object.keys(refusal(wrapped, { metadata: sent })?.params ?? {})).toEqual(['metadata']);
  });
});

describe('jsonMetadata', () => {
  const wrapped = body({ metadata: nullable(jsonMetadata()) });
  test('values become text as in metadata, and objects and arrays are not changed', () => {
    const nested = { route: { bank: 17, open: true, none: null, list: ['a', { b: 1 }] }, days: [1, 2] };
    const sent = { ...nested, number: 7, yes: true, text: 'x' };
    expect(read(wrapped, { metadata: sent }).value).toEqual({
      metadata: { ...nested, number: '7', yes: 'true', text: 'x' },
    });
  });
  test.each<[string, string]>([
    ['an operator below', '{"a":{"$gt":1}}'],
    ['a path below', '{"a":[{"b.c":1}]}'],
    ['a prototype below', '{"a":{"__proto__":{"b":1}}}'],
    ['nothing', '{"a":null}'],
    ['a rounded integer', '{"a":12345678901234567890}'],
    ['a rounded integer below', '{"a":{"b":[12345678901234567890]}}'],
    ['too deep', `{"a":${'['.repeat(10)}${']'.repeat(10)}}`],
    ['a long text below', JSON.stringify({ a: { b: 'x'.repeat(501) } })],
  ])('%s is refused with its key', (_name, json) => {
    expect(Object.keys(refusal(wrapped, { metadata: JSON.parse(json) })?.params ?? {})).toEqual(['metadata.a']);
  });
  test('accepts 4 kB of JSON and no more', () => {
    const list = (length: number) => ({ a: Array.from({ length }, () => 'é'.repeat(100)) });
    expect(accepts(wrapped, { metadata: list(20) })).toBe(true);
    expect(Object.keys(refusal(wrapped, { metadata: list(21) })?.params ?? {})).toEqual(['metadata']);
  });
});

describe('nullable', () => {
  const schema = body({
    a: nullable(Joi.int32()),
    b: nullable(text(5)),
    c: nullable(Joi.string().valid('x')),
    d: nullable(body({ e: text(3).required() })),
  });
  test('an explicit null is absent to the handler', () =>
    expect(read(schema, { a: null, b: null, c: null, d: null })).toEqual({ value: {} }));
  test('other values are checked as usual', () =>
    expect(Object.keys(refusal(schema, { a: 'x', b: '', c: 'y', d: {} })?.params ?? {})).toEqual([
      'a',
      'b',
      'c',
      'd.e',
    ]));
});

describe('body and query', () => {
  test('a body names each unknown field, a query drops it', () => {
    expect(Object.keys(refusal(body({ a: Joi.any() }), { a: 1, b: 2, c: 3 })?.params ?? {})).toEqual(['b', 'c']);
    expect(read(query({ a: Joi.int32() }), { a: '1', b: '2' })).toEqual({ value: { a: 1 } });
  });
});

test('the error of a wrong IP address is understandable for a caller', () => {
  const address = Joi.string().ip({ version: ['ipv4', 'ipv6'], cidr: 'forbidden' });
  for (const sent of ['1.2.3', '10.0.0.0/8']) {
    expect(refusal(body({ address }), { address: sent })?.params).toEqual({
      address: ['"address" must be an IPv4 or IPv6 address, without a network mask'],
    });
  }
});
