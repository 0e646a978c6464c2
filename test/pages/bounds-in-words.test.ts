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

test('a bound that is no amount of the first currency has the digits of another', () => {
  expect(boundsInWords({ ...bounds, minAmount: '0.5' }, ['CLP', 'USD'], 'es')).toBe('De 0,50 a 5000');
});

test('one bound, and none', () => {
  expect(boundsInWords({ minAmount: '5', allowedCurrencies: ['USD'] }, ['USD'], 'en')).toBe('At least USD 5.00');
  expect(boundsInWords({ maxAmount: '5', allowedCurrencies: ['USD'] }, ['USD'], 'en')).toBe('At most USD 5.00');
  expect(boundsInWords({ allowedCurrencies: ['USD'] }, ['USD'], 'en')).toBeUndefined();
});
