import { boundsInWords } from '../../api/pages/bounds-in-words.js';

const bounds = { minAmount: '5', maxAmount: '5000', allowedCurrencies: ['UYU', 'USD'] };

test.each([
  [['USD'], 'From USD 5.00 to USD 5,000.00'],
  [['CLP'], 'From CLP 5 to CLP 5,000'],
  [['UYU', 'USD'], 'From 5.00 to 5,000.00'],
  [['CLP', 'USD'], 'From 5 to 5,000'],
])('in %s: %s', (currencies, words) => {
  expect(boundsInWords(bounds, currencies, 'en')).toBe(words);
});

test('a bound that is not an amount of the first currency has the decimals of another', () => {
  expect(boundsInWords({ ...bounds, minAmount: '0.5' }, ['CLP', 'USD'], 'es')).toBe('De 0,50 a 5000');
});

test('after a refused amount the bounds are in its currency', () => {
  const more = { ...bounds, minAmount: '10.5', allowedCurrencies: ['USD', 'JPY', 'KWD'] };
  const inWords = (given?: string) => boundsInWords(more, more.allowedCurrencies, 'en', given);
  expect([inWords('USD'), inWords('KWD')]).toEqual([
    'From USD 10.50 to USD 5,000.00',
    'From KWD 10.500 to KWD 5,000.000',
  ]);
  expect([inWords('EUR'), inWords()]).toEqual(['From 10.50 to 5,000.00', 'From 10.50 to 5,000.00']);
});

test('in one currency the bounds are the smallest and largest amounts that can be paid', () => {
  const between = { minAmount: '10.5', maxAmount: '99.9', allowedCurrencies: ['JPY'] };
  expect(boundsInWords(between, ['JPY'], 'en')).toBe('From JPY 11 to JPY 99');
  expect(boundsInWords({ maxAmount: '999999999999999', allowedCurrencies: ['USD'] }, ['USD'], 'en')).toBeUndefined();
});

test('one bound alone, and no bounds', () => {
  expect(boundsInWords({ minAmount: '5', allowedCurrencies: ['USD'] }, ['USD'], 'en')).toBe('At least USD 5.00');
  expect(boundsInWords({ maxAmount: '5', allowedCurrencies: ['USD'] }, ['USD'], 'en')).toBe('At most USD 5.00');
  expect(boundsInWords({ allowedCurrencies: ['USD'] }, ['USD'], 'en')).toBeUndefined();
});
