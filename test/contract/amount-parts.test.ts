/** Validation errors of the parts of an amount. */
import { errorCodesOf, validationError } from '../../api/http/validation-error.js';
import { amountSchema } from '../../shared/contract/amount.schema.js';
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
