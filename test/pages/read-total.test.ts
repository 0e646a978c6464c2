import fc from 'fast-check';
import { formatAmountToType } from '../../api/pages/format.js';
import { languages } from '../../api/pages/language.js';
import { readTotal } from '../../api/pages/read-total.js';
import { parseAmount } from '../../shared/domain/money/amount.js';

test.each([
  ['42', '42'],
  ['42.50', '42.50'],
  ['42,50', '42.50'],
  [' 42,5 ', '42.5'],
  ['1,220.50', '1220.50'],
  ['1.220,50', '1220.50'],
  ['1 220,50', '1220.50'],
  ["1'220.50", '1220.50'],
  ['1.220.500', '1220500'],
  ['1,220,500.75', '1220500.75'],
])('%s is read as %s', (typed, expected) => {
  expect(readTotal(typed, 'USD', 'en')).toBe(expected);
});

test.each(['', 'ten', '-5', '1e3', '1,2.5', '1,22,0', '1.220,500.00', '12 34', '1,,5', '.5', '5.'])(
  '%p is refused as no amount',
  (typed) => {
    expect(parseAmount(readTotal(typed, 'USD', 'en'), 'USD').kind).toBe('problem');
  },
);

test('a single separator that could separate decimals or thousands is refused', () => {
  for (const typed of ['1.220', '1,220', '12.345']) {
    expect(parseAmount(readTotal(typed, 'USD', 'en'), 'USD')).toMatchObject({ kind: 'problem' });
  }
});

test('for a currency with three decimals a separator is the decimal point of the language, or is refused', () => {
  for (const currency of ['KWD', 'CLF']) {
    expect([readTotal('1.220', currency, 'en'), readTotal('1,220', currency, 'en')]).toEqual(['1.220', '']);
    for (const language of ['es', 'pt'] as const) {
      expect([readTotal('1,220', currency, language), readTotal('1.220', currency, language)]).toEqual(['1.220', '']);
    }
  }
  // In these the separator cannot be one of thousands.
  for (const [typed, read] of [
    ['0,500', '0.500'],
    ['1220,500', '1220.500'],
    ['1,22', '1.22'],
    ['1.220,500', '1220.500'],
  ] as const) {
    expect([typed, readTotal(typed, 'KWD', 'en')]).toEqual([typed, read]);
  }
});

test('for a currency without decimals a separator is one of thousands', () => {
  for (const typed of ['50.000', '50,000', '50 000', "50'000", '50000']) {
    expect([typed, readTotal(typed, 'CLP', 'en')]).toEqual([typed, '50000']);
  }
  for (const typed of ['0.500', '1.22', '1.2200', '1.220.5', '.00', '1.2.00', '1,22,00'])
    expect([typed, readTotal(typed, 'CLP', 'en')]).toEqual([typed, '']);
});

test('for a currency without decimals, decimals that are zero are accepted, because a page may prefill them', () => {
  for (const typed of ['2000.00', '2000,00', '2000.0', '2,000.00', '2.000,00'])
    expect([typed, readTotal(typed, 'JPY', 'en')]).toEqual([typed, '2000']);
});

test('an amount proposed by a page is read back unchanged, in every language and currency', () => {
  const currency = fc.constantFrom('USD', 'UYU', 'JPY', 'KWD');
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 12 - 1 }),
      currency,
      fc.constantFrom(...languages),
      (minor, code, language) => {
        const typed = formatAmountToType({ totalMinor: minor, currency: code }, language);
        expect(parseAmount(readTotal(typed, code, language), code)).toEqual({ kind: 'amount', minor });
      },
    ),
  );
});
