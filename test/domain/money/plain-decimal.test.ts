import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { plainDecimal } from '../../../shared/domain/money/plain-decimal.js';

test.each([
  ['10', '10'],
  ['10.0', '10'],
  ['100.00', '100'],
  ['010', '10'],
  ['10.50', '10.5'],
  ['0.05', '0.05'],
  ['000', '0'],
  ['0.00', '0'],
])('%p is %p', (written, plain) => expect(plainDecimal(written)).toBe(plain));

test('it is the same amount, in the text that its number has', () => {
  const Exact = Decimal.clone({ precision: 60 });
  const digits = (lengthMax: number) => fc.stringMatching(new RegExp(`^\\d{1,${lengthMax}}$`));
  fc.assert(
    fc.property(digits(15), fc.option(digits(6)), (whole, decimals) => {
      const written = decimals === null ? whole : `${whole}.${decimals}`;
      expect(plainDecimal(written)).toBe(new Exact(written).toFixed());
    }),
  );
});
