import fc from 'fast-check';
import { isCnpj, isRut, taxIdProblem } from '../../api/merchants/tax-id.js';

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((list) => list.join(''));

test.each(['211003420017', '211406340011', '214844360018'])('%s is a RUT', (text) => {
  expect([isRut(text), taxIdProblem(text)]).toEqual([true, undefined]);
});

test.each(['11222333000181', '33000167000101', '00000000000191'])('%s is a CNPJ', (text) => {
  expect([isCnpj(text), taxIdProblem(text)]).toEqual([true, undefined]);
});

test.each([
  ['210303670014', 'is not a RUT: its check digit does not fit'],
  ['000000000000', 'is not a RUT: its check digit does not fit'],
  ['11222333000180', 'is not a CNPJ: its check digits do not fit'],
  ['11222333000191', 'is not a CNPJ: its check digits do not fit'],
  ['00000000000000', 'is not a CNPJ: its check digits do not fit'],
  ['2110034200170', 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators'],
  ['21-100342-001-7', 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators'],
  ['11.222.333/0001-81', 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators'],
  ['12ABC34501DE35', 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators'],
  ['٢١١٠٠٣٤٢٠٠١٧', 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators'],
  ['211003420017\n', 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators'],
  ['', 'must have 12 digits (RUT) or 14 digits (CNPJ), without separators'],
])('%j is refused', (text, problem) => {
  expect(taxIdProblem(text)).toBe(problem);
});

test('11 digits have at most one check digit, and none only where modulus 11 wants 10', () => {
  const weights = [4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  fc.assert(
    fc.property(
      digits(11).filter((text) => new Set(text).size > 1),
      (text) => {
        const fitting = [...'0123456789'].filter((check) => isRut(text + check));
        const lacking = (11 - (weights.reduce((sum, weight, at) => sum + weight * Number(text[at]), 0) % 11)) % 11;
        expect(fitting).toEqual(lacking === 10 ? [] : [String(lacking)]);
      },
    ),
  );
});

test('12 digits have exactly one pair of check digits', () => {
  fc.assert(
    fc.property(
      digits(12).filter((text) => new Set(text).size > 1),
      (text) => {
        const pairs = Array.from({ length: 100 }, (_, pair) => String(pair).padStart(2, '0'));
        expect(pairs.filter((pair) => isCnpj(text + pair))).toHaveLength(1);
      },
    ),
    { numRuns: 50 },
  );
});

test('one wrong digit is always noticed in a RUT', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('211003420017', '211406340011', '214844360018'),
      fc.nat(11),
      fc.integer({ min: 1, max: 9 }),
      (text, at, shift) => {
        const wrong = text.slice(0, at) + ((Number(text[at]) + shift) % 10) + text.slice(at + 1);
        expect(isRut(wrong)).toBe(false);
      },
    ),
  );
});
