import fc from 'fast-check';
import { sumItems } from '../../api/payment-links/item-sums.js';

const plain = (sums: ReturnType<typeof sumItems>) =>
  Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, value.toFixed()]));
const vat = (amount: string, currency = 'USD') => ({ tax: { amount, currency } });

test.each([
  [
    'tax is added',
    [
      { name: 'Set', quantity: 1, price: '80' },
      { name: 'Bowl', quantity: 2, price: '12.50', discount: '5', ...vat('22') },
    ],
    '122',
    { items: '105', discount: '5', tax: '22', taxIncluded: '0', rest: '0' },
  ],
  [
    'prices hold the tax',
    [{ name: 'Set', quantity: 1, price: '122', ...vat('22') }],
    '122',
    { items: '122', discount: '0', tax: '0', taxIncluded: '22', rest: '0' },
  ],
  [
    'the total has more than its items',
    [{ name: 'Set', quantity: 1, price: '100', ...vat('10') }],
    '122',
    { items: '100', discount: '0', tax: '10', taxIncluded: '0', rest: '12' },
  ],
  [
    'the total is less',
    [{ name: 'Set', quantity: 2, price: '61' }],
    '120.50',
    { items: '122', discount: '0', tax: '0', taxIncluded: '0', rest: '-1.5' },
  ],
  [
    'a tax in another currency takes no part',
    [{ name: 'Set', quantity: 1, price: '100', ...vat('880', 'UYU') }],
    '100',
    { items: '100', discount: '0', tax: '0', taxIncluded: '0', rest: '0' },
  ],
  [
    'far decimals of a price are rounded once, in the sum',
    [{ name: 'Set', quantity: 3, price: '0.333' }],
    '1.00',
    { items: '1', discount: '0', tax: '0', taxIncluded: '0', rest: '0' },
  ],
])('%s', (_name, items, total, expected) => {
  expect(plain(sumItems(items, total, 'USD'))).toEqual(expected);
});

test('the parts of any items add up to the total', () => {
  const money = fc.integer({ min: 0, max: 99_999_999 }).map((minor) => (minor / 100).toFixed(2));
  const item = fc.record({
    name: fc.constant('x'),
    quantity: fc.integer({ min: 1, max: 999 }),
    price: money,
    discount: money,
    tax: fc.record({ amount: money, currency: fc.constantFrom('USD', 'UYU') }),
  });
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 20 }), money, (items, total) => {
      const { items: listed, discount, tax, rest } = sumItems(items, total, 'USD');
      expect(listed.minus(discount).plus(tax).plus(rest).toFixed(2)).toBe(total);
    }),
  );
});
