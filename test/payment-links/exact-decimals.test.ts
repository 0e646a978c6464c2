/** Decimals of a link that answers show as JSON numbers: a value that cannot be shown exactly is refused, and sums are exact. */
import { errorCodesOf, validationError } from '../../api/http/validation-error.js';
import { shownItems } from '../../api/pages/shown-items.js';
import { paymentLinkRequestSchema } from '../../api/payment-links/payment-link-request.schema.js';
import { validationOptions } from '../../shared/contract/joi.js';

const link = {
  merchantId: 1,
  type: 'regular',
  amount: { total: '10.50', currency: 'USD' },
  settings: { amountMode: 'fixed' },
};
const flexible = (bounds: object) => ({
  ...link,
  amount: null,
  settings: { amountMode: 'flexible', flexibleAmount: { allowedCurrencies: ['USD'], ...bounds } },
});
const item = (changed: object) => ({ ...link, items: [{ name: 'Set', quantity: 1, price: '1', ...changed }] });
const rule = (value: string) => ({
  ...link,
  splitDestinations: [{ destinationMerchantId: 2, amountRule: { type: 'fixed', value } }],
});
const refusal = (body: object) => {
  const { error } = paymentLinkRequestSchema.validate(body, validationOptions);
  return error && validationError(error.details, errorCodesOf(paymentLinkRequestSchema));
};

const LONG = '1234567890123.4567';
test.each([
  ['items.0.price', item({ price: LONG })],
  ['items.0.discount', item({ discount: LONG })],
  ['items.0.tax.amount', item({ tax: { amount: LONG, currency: 'UYU' } })],
  ['splitDestinations.0.amountRule.value', rule(LONG)],
  ['settings.flexibleAmount.maxAmount', flexible({ maxAmount: LONG })],
])('%s with more digits than a JSON number holds is refused by name', (field, body) => {
  expect(refusal(body)?.params).toEqual({ [field]: [`"${field}" must have at most 15 significant digits`] });
});

test.each([
  item({ price: '123456789012.500000' }),
  item({ price: '123456789.123456' }),
  item({ price: '100000000000000' }),
  rule('0.00'),
  flexible({ maxAmount: '999999999999.99' }),
])('a value that a JSON number holds is accepted: %j', (body) => {
  const { params = {} } = refusal(body) ?? {};
  expect(JSON.stringify(params)).not.toContain('significant');
});

test('the total of an item is shown to the last digit, however many there are', () => {
  const items = [{ name: 'Set', quantity: 2_147_483_647, price: '1234567890.12345' }];
  const total = { totalMinor: 100, currency: 'USD' };
  expect(shownItems(items, total, 'USD', 'en')?.items[0]?.total).toBe('2651214355151401686.22215');
});
