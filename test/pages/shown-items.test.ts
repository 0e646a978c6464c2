/** Items of a link as payers read them: the decimals of each amount, and the lines before the total. */
import { shownItems } from '../../api/pages/shown-items.js';
import { en } from '../../api/pages/texts/en.js';

const set = { name: 'Set', quantity: 1, price: '100' };
const shown = (items: Parameters<typeof shownItems>[0], totalMinor: number, currency = 'USD') =>
  shownItems(items, { totalMinor, currency }, currency, 'en');

test.each([
  ['USD', 1_234_500, '12345', '12,345.00', '37,035.00', '10.00'],
  ['JPY', 12_345, '12345', '12,345', '37,035', '10'],
  ['KWD', 12_345_000, '12345', '12,345.000', '37,035.000', '10.000'],
])('%s amounts have the decimals of the currency', (currency, totalMinor, price, one, three, discount) => {
  expect(shown([{ ...set, quantity: 3, price, discount: '10' }], totalMinor * 3, currency)?.items[0]).toMatchObject({
    price: one,
    total: three,
    discount,
  });
});

test('more decimals than the currency has are kept, and a free item costs 0.00', () => {
  const { items = [] } =
    shown(
      [
        { ...set, quantity: 3, price: '0.333' },
        { ...set, price: '0' },
      ],
      100,
    ) ?? {};
  expect(items.map(({ price, total }) => [price, total])).toEqual([
    ['0.333', '0.999'],
    ['0.00', '0.00'],
  ]);
});

const vat = (amount: string, currency = 'USD') => ({ tax: { amount, currency } });
test.each([
  ['the items alone', [set], 10_000, []],
  [
    'less a discount, plus a tax',
    [{ ...set, discount: '5', ...vat('20.90') }],
    11_590,
    [
      [en.items, '100.00'],
      [en.discount, '−5.00'],
      [en.tax, '20.90'],
    ],
  ],
  [
    'plus what else is charged',
    [set],
    11_250,
    [
      [en.items, '100.00'],
      [en.otherCharges, '12.50'],
    ],
  ],
  [
    'less what else is deducted',
    [set],
    8_750,
    [
      [en.items, '100.00'],
      [en.otherDeductions, '−12.50'],
    ],
  ],
])('%s: the lines before the total', (_name, items, totalMinor, lines) => {
  expect(shown(items, totalMinor)?.lines).toEqual(lines);
});

test('a tax included in the prices is below the total', () => {
  expect(shown([{ ...set, ...vat('18.03') }], 10_000)).toMatchObject({
    lines: [],
    included: en.taxIncluded('18.03'),
    total: 'USD 100.00',
  });
});

test('the sums have the decimals of the currency too', () => {
  expect(shown([{ ...set, price: '1000' }], 1_100, 'JPY')?.lines).toEqual([
    [en.items, '1,000'],
    [en.otherCharges, '100'],
  ]);
  expect(shown([{ ...set, price: '1.250', discount: '0.125' }], 1_130, 'KWD')?.lines).toEqual([
    [en.items, '1.250'],
    [en.discount, '−0.125'],
    [en.otherCharges, '0.005'],
  ]);
});

test('a tax in another currency is at its item, with its own decimals', () => {
  const { items = [], lines } = shown([{ ...set, ...vat('880', 'JPY') }], 10_000) ?? {};
  expect([items[0]?.tax, lines]).toEqual(['JPY 880', []]);
});

test('if the payer chooses the amount, each amount has its currency and there is no total', () => {
  const open = shownItems([{ ...set, discount: '5', ...vat('1') }], undefined, 'UYU', 'es');
  expect(open).toEqual({
    items: [
      expect.objectContaining({ price: 'UYU 100,00', total: 'UYU 100,00', discount: 'UYU 5,00', tax: 'USD 1,00' }),
    ],
  });
});

test('without items there is no list', () => {
  for (const none of [undefined, []]) expect(shown(none, 10_000)).toBeUndefined();
});
