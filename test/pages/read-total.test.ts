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
])('%s is %s', (typed, expected) => {
  expect(readTotal(typed, 'USD')).toBe(expected);
});

test.each(['', 'ten', '-5', '1e3', '1,2.5', '1,22,0', '1.220,500.00', '12 34', '1,,5', '.5', '5.'])(
  '%p is no amount and is refused',
  (typed) => {
    expect(parseAmount(readTotal(typed, 'USD'), 'USD').kind).toBe('problem');
  },
);

test('a single separator is never taken for one of thousands: what could be either is refused', () => {
  for (const typed of ['1.220', '1,220', '12.345']) {
    expect(parseAmount(readTotal(typed, 'USD'), 'USD')).toMatchObject({ kind: 'problem' });
  }
  expect(parseAmount(readTotal('1.220', 'KWD'), 'KWD')).toEqual({ kind: 'amount', minor: 1220 });
  expect(parseAmount(readTotal('1,220', 'KWD'), 'KWD')).toEqual({ kind: 'amount', minor: 1220 });
});

test('a currency without decimals has thousands there: nothing else can be meant', () => {
  for (const typed of ['50.000', '50,000', '50 000', "50'000", '50000']) {
    expect([typed, readTotal(typed, 'CLP')]).toEqual([typed, '50000']);
  }
  for (const typed of ['0.500', '1.22', '1.2200', '1.220.5'])
    expect([typed, readTotal(typed, 'CLP')]).toEqual([typed, '']);
});

test('what a page proposes is read back as the same amount, in every language and currency', () => {
  const currency = fc.constantFrom('USD', 'UYU', 'JPY', 'KWD');
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 12 - 1 }),
      currency,
      fc.constantFrom(...languages),
      (minor, code, language) => {
        const typed = formatAmountToType({ totalMinor: minor, currency: code }, language);
        expect(parseAmount(readTotal(typed, code), code)).toEqual({ kind: 'amount', minor });
      },
    ),
  );
});
