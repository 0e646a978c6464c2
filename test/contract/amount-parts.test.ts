/** The parts of an amount: what is stored of them, what is shown, and what is refused. */
import { errorCodesOf, validationError } from '../../api/http/validation-error.js';
import { amountSchema, presentParts } from '../../shared/contract/amount.schema.js';
import { body, validationOptions } from '../../shared/contract/joi.js';

const schema = body({ amount: amountSchema });

test('the error of a wrong tax type names each type once, and a type may be a number or text', () => {
  const tax = (type: unknown) => ({ amount: { total: 10, currency: 'USD', details: { tax: { type } } } });
  for (const type of ['17934', 17934, 'none']) {
    expect(schema.validate(tax(type), validationOptions)).toMatchObject({
      value: { amount: { details: { tax: { type: String(type) } } } },
    });
  }
  for (const type of ['17935', 17935, {}]) {
    const { error } = schema.validate(tax(type), validationOptions);
    expect(error && validationError(error.details, errorCodesOf(schema)).params).toEqual({
      'amount.details.tax.type': ['"amount.details.tax.type" must be one of [17934, 19210, none]'],
    });
  }
});

const reasonsOf = (parts: object) => {
  const { error } = schema.validate({ amount: { total: '10.50', currency: 'USD', ...parts } }, validationOptions);
  return error && validationError(error.details, errorCodesOf(schema)).params;
};

test('the rate of a tax is a fraction from 0 to 1, and a percentage is refused', () => {
  const at = (rate: unknown) => reasonsOf({ details: { tax: { type: '17934', rate } } });
  for (const rate of [0, 0.22, '0.220', 1, '1.00']) expect([rate, at(rate)]).toEqual([rate, undefined]);
  const refused = { 'amount.details.tax.rate': ['"amount.details.tax.rate" must be a fraction from 0 to 1'] };
  for (const rate of [22, '22', 1.01]) expect([rate, at(rate)]).toEqual([rate, refused]);
});

describe.each(['10.49', '10.50', '10.51'])('a part of %s of a total of 10.50', (amount) => {
  const parts: Record<string, [parts: object, isPart: boolean]> = {
    'amount.tip': [{ tip: amount }, true],
    'amount.tax': [{ tax: amount }, true],
    'amount.taxedAmount': [{ taxedAmount: amount }, true],
    'amount.details.tip.amount': [{ details: { tip: { amount } } }, true],
    'amount.details.tax.amount': [{ details: { tax: { type: 'none', amount } } }, true],
    'amount.details.taxedAmount': [{ details: { taxedAmount: amount } }, true],
    'amount.details.surcharge.amount': [{ details: { surcharge: { amount } } }, true],
    // The total is what remains after a discount, which may be more than that.
    'amount.details.discount.amount': [{ details: { discount: { amount } } }, false],
  };
  test.each(Object.entries(parts))('as %s', (field, [more, isPart]) => {
    const reason = `"${field}" must not be more than amount.total`;
    expect(reasonsOf(more)).toEqual(isPart && amount === '10.51' ? { [field]: [reason] } : undefined);
  });
});

test.each<[field: string, first: object, second: object]>([
  ['amount.tip', { tip: 1, details: { tip: { amount: 2 } } }, { tip: 2, details: { tip: { amount: 1 } } }],
  [
    'amount.tax',
    { tax: 1, details: { tax: { type: 'none', amount: 2 } } },
    { tax: 2, details: { tax: { type: 'none', amount: 1 } } },
  ],
  [
    'amount.taxedAmount',
    { taxedAmount: 1, details: { taxedAmount: 2 } },
    { taxedAmount: 2, details: { taxedAmount: 1 } },
  ],
])('%s is refused if it is less or more than the same part in the details', (field, first, second) => {
  for (const parts of [first, second]) expect(Object.keys(reasonsOf(parts) ?? {})).toEqual([field]);
});

test('each part is stored in minor units of the currency, and shown as it was sent', () => {
  const details = {
    tax: { type: '19210', amount: 0.002, rate: 0.22 },
    taxedAmount: 0.003,
    tip: { amount: 0.001, description: 'tip' },
    discount: { amount: 0.005, description: 'discount' },
    shipping: { amount: 0.006 },
    surcharge: { amount: 0.007, description: 'surcharge' },
  };
  const parts = { tip: 0.001, tax: 0.002, taxedAmount: 0.003, details };
  const { value, error } = schema.validate({ amount: { total: 1, currency: 'KWD', ...parts } }, validationOptions);
  expect(error).toBeUndefined();
  expect(value.amount).toEqual({
    ...{ totalMinor: 1000, currency: 'KWD', tipMinor: 1, taxMinor: 2, taxedAmountMinor: 3 },
    details: {
      tax: { type: '19210', amountMinor: 2, rate: '0.22' },
      taxedAmountMinor: 3,
      tip: { amountMinor: 1, description: 'tip' },
      discount: { amountMinor: 5, description: 'discount' },
      shipping: { amountMinor: 6 },
      surcharge: { amountMinor: 7, description: 'surcharge' },
    },
  });
  expect(presentParts(value.amount)).toEqual(parts);
});

test('a total of zero is refused, and a part of zero is accepted', () => {
  expect(Object.keys(reasonsOf({ total: 0 }) ?? {})).toEqual(['amount.total']);
  expect(reasonsOf({ tip: 0, details: { surcharge: { amount: '0.00' } } })).toBeUndefined();
});
