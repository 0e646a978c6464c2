import fc from 'fast-check';
import type { Schema } from 'joi';
import { errorCodesIn, errorCodesOf, validationError } from '../../api/http/validation-error.js';
import { body, fieldError, Joi, text, validationOptions, withErrorCode } from '../../shared/contract/joi.js';

const refusal = (schema: Schema, value: unknown) => {
  const { error } = schema.validate(value, validationOptions);
  return error && validationError(error.details, errorCodesOf(schema));
};

describe('validationError', () => {
  const schema = body({
    card: withErrorCode(
      'invalid-card-number',
      body({
        number: Joi.string().pattern(/^\d+$/).max(3).required(),
        cvc: withErrorCode('invalid-card-cvc', text(4)),
        year: Joi.int32(),
      }).custom((card, helpers) =>
        card.year === 1 ? fieldError(helpers, 'year', 'is in the past', 'invalid-card-expiration-date') : card,
      ),
    ),
    items: Joi.array().items(body({ name: withErrorCode('invalid-cardholder', text(3)) })),
    brands: Joi.array()
      .items(withErrorCode('invalid-card-payment-method', text(4)))
      .unique(),
    // biome-ignore lint/suspicious/noThenProperty: Joi's own word.
    chosen: Joi.when('items', { is: Joi.exist(), then: withErrorCode('currency-not-found', Joi.string().valid('a')) }),
  });
  test.each([
    [{ card: { number: 'x' } }, 'invalid-card-number', 'card.number'],
    [{ card: { number: 'xxxx' } }, 'invalid-card-number', 'card.number'],
    [{ card: { number: '1', cvc: 'xxxxx' } }, 'invalid-card-cvc', 'card.cvc'],
    [{ card: { number: '1', year: 1 } }, 'invalid-card-expiration-date', 'card.year'],
    [{ card: { number: '1', year: 'x' } }, 'invalid-card-number', 'card.year'],
    [{ items: [{ name: 'a' }, { name: 'long' }] }, 'invalid-cardholder', 'items.1.name'],
    [{ brands: ['visas'] }, 'invalid-card-payment-method', 'brands.0'],
    [{ brands: ['visa', 'visa'] }, 'request-validation-errors', 'brands.1'],
    [{ items: [], chosen: 'b' }, 'currency-not-found', 'chosen'],
    [{ unknown: 1 }, 'request-validation-errors', 'unknown'],
    [{ card: {} }, 'request-validation-errors', 'card.number'],
    [{ card: { number: null } }, 'request-validation-errors', 'card.number'],
    [{ card: { number: '' } }, 'request-validation-errors', 'card.number'],
    [{ card: { number: '1', cvc: '  ' } }, 'request-validation-errors', 'card.cvc'],
  ])('%j answers %s for %s', (sent, code, field) => {
    const error = refusal(schema, sent);
    expect([error?.code, Object.keys(error?.params ?? {})]).toEqual([code, [field]]);
    expect(error?.params?.[field]?.[0]).toMatch(new RegExp(`^"${field.replaceAll('.', '\\.')}"`));
  });
  test('two fields are request-validation-errors even if each has its own code', () => {
    const error = refusal(schema, { card: { number: 'x', cvc: 'xxxxx' } });
    expect([error?.code, Object.keys(error?.params ?? {})]).toEqual([
      'request-validation-errors',
      ['card.number', 'card.cvc'],
    ]);
  });
  test('lists all codes of a schema', () => {
    expect(errorCodesIn(schema).sort()).toEqual([
      'currency-not-found',
      'invalid-card-cvc',
      'invalid-card-number',
      'invalid-card-payment-method',
      'invalid-cardholder',
    ]);
  });
  test('a field name that may be a card number or is very long is not repeated, and the answer is bounded', () => {
    expect(Object.keys(refusal(schema, { '4242 4242 4242 4242': 1 })?.params ?? {})).toEqual(['(unprintable)']);
    expect(JSON.stringify(refusal(schema, { ['k'.repeat(9_000)]: 1 })?.params).length).toBeLessThan(300);
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`f${n}`, 1]));
    expect(Object.keys(refusal(schema, many)?.params ?? {})).toHaveLength(50);
  });
  test('no value of a refused request is repeated in the answer', () => {
    const canary = 'CANARY';
    const salted = fc.oneof(
      fc.constant(canary),
      fc.constant([canary]),
      fc.constant({ number: canary, cvc: `${canary}\u0000`, year: canary }),
    );
    fc.assert(
      fc.property(
        fc.record({ card: salted, items: salted, chosen: salted }),
        (sent) =>
          !JSON.stringify([refusal(schema, sent)?.params, refusal(schema, sent)?.publicMessage]).includes(canary),
      ),
    );
  });
  test('50 kB of hostile text is refused quickly', () => {
    const hostile = [' '.repeat(50_000), '1'.repeat(50_000), `${'0'.repeat(50_000)}x`, '-'.repeat(50_000)];
    const started = performance.now();
    for (const sent of hostile)
      for (const type of [Joi.int32(), Joi.decimalText(), Joi.dateTime(), text(10)]) refusal(type, sent);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
