import fc from 'fast-check';
import { cvcLength, detectBrand, knownRanges, numberLengths, printedAs } from '../../shared/domain/card/brand.js';
import {
  binOf,
  expiryProblem,
  last4Of,
  luhnValid,
  validateCardNumber,
  validateCvc,
} from '../../shared/domain/card/card-checks.js';
import { cardBrands } from '../../shared/domain/payment-method-catalog.js';

/** Appends the check digit. */
const complete = (digits: string) => {
  const check = [...'0123456789'].find((digit) => luhnValid(digits + digit));
  return digits + check;
};

/** The test cards of docs/decisions.md. */
const testCards: Record<string, string> = {
  '4242424242424242': 'visa',
  '4111111111111111': 'visa',
  '5555555555554444': 'mastercard',
  '378282246310005': 'amex',
  '6011111111111117': 'discover',
  '38000000000006': 'diners',
  ...Object.fromEntries(
    (
      '4507990000004905 4000056655665556 4000160000000004 4000000000000002 4000000000009995 4000000000009987 ' +
      '4000000000009979 4000000000000069 4000000000000127 4000000000000119 4000000000006975 4000002500003155 ' +
      '4000002760003184 4000000000003220 4000000000100141 4000008260003178 4000008400001629 4000008400001280 ' +
      '4000000000100018 4000000000007726 4000000000005126 4000000000100026 4000000000100034 4000000000100042 ' +
      '4000000000100059 4000000000100067 4000000000100075 4000000000100091 4000000000100117 4000000000100125 4000000000100133'
    )
      .split(' ')
      .map((number) => [number, 'visa']),
  ),
};

test.each(Object.entries(testCards))('test card %s is a valid %s', (number, brand) => {
  expect(validateCardNumber(number)).toEqual({ valid: true, brand });
});

test.each([
  ['OCA', '589892000000000', 'oca'],
  ['Cabal, Maestro’s 58', '589657000000000', 'cabal'],
  ['Cabal, Maestro’s 6', '604201123456789', 'cabal'],
  ['Cabal at the end of its range', '604400999999999', 'cabal'],
  ['Maestro beside it', '604401000000000', 'maestro'],
  ['Maestro', '675964982643845', 'maestro'],
  ['JCB', '353011133330000', 'jcb'],
  ['Mastercard of the 2 series', '222300000000000', 'mastercard'],
])('%s is distinguished from its neighbours', (_name, digits, brand) => {
  expect(detectBrand(complete(digits))).toBe(brand);
});

test.each([
  ['Elo inside Maestro’s range', '506699111111111'],
  ['Elo under 636', '636297000045701'],
  ['UnionPay', '620000000000000'],
  ['Mir', '220000000000000'],
  ['no brand', '900000000000000'],
])('%s is a valid number without a brand of the catalog', (_name, digits) => {
  expect(validateCardNumber(complete(digits))).toEqual({ valid: true, brand: undefined });
});

test('every card brand of the catalog has number lengths and a CVC length', () => {
  expect([...new Set(cardBrands.map((brand) => cvcLength(brand)))]).toEqual([3, 4]);
  for (const brand of cardBrands) expect(numberLengths(brand).length).toBeGreaterThan(0);
});

test('a number is refused for letters, a wrong length or a wrong check digit', () => {
  expect(validateCardNumber('4242 4242 4242 4242')).toEqual({ valid: false, reason: 'digits' });
  expect(validateCardNumber('')).toEqual({ valid: false, reason: 'digits' });
  expect(validateCardNumber('٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢')).toEqual({ valid: false, reason: 'digits' });
  expect(validateCardNumber('4242424242424241')).toEqual({ valid: false, reason: 'check-digit' });
  expect(validateCardNumber(complete('42424242424242'))).toEqual({ valid: false, reason: 'length' });
  expect(validateCardNumber(complete('3782822463100'))).toEqual({ valid: false, reason: 'length' });
  expect(validateCardNumber(complete('90000'))).toEqual({ valid: false, reason: 'length' });
  expect(validateCardNumber(complete('9'.repeat(19)))).toEqual({ valid: false, reason: 'length' });
});

const digits = (minLength: number, maxLength: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength }).map((list) => list.join(''));

test('property: exactly one check digit fits, and any single wrong digit is detected', () => {
  fc.assert(
    fc.property(digits(11, 18), fc.nat(), fc.integer({ min: 1, max: 9 }), (body, at, shift) => {
      expect([...'0123456789'].filter((digit) => luhnValid(body + digit))).toHaveLength(1);
      const number = complete(body);
      const place = at % number.length;
      const wrong = (Number(number[place]) + shift) % 10;
      expect(luhnValid(number.slice(0, place) + wrong + number.slice(place + 1))).toBe(false);
    }),
  );
});

test('property: brand detection is deterministic and never throws for any text', () => {
  fc.assert(
    fc.property(fc.oneof(digits(0, 25), fc.string()), (text) => {
      expect(detectBrand(text)).toBe(detectBrand(text));
    }),
  );
});

test('the CVC has three digits, four for American Express, and either for an unknown brand', () => {
  expect(validateCvc('123', 'visa')).toBe(true);
  expect(validateCvc('1234', 'visa')).toBe(false);
  expect(validateCvc('1234', 'amex')).toBe(true);
  expect(validateCvc('123', 'amex')).toBe(false);
  expect(validateCvc('12a', 'visa')).toBe(false);
  expect(validateCvc('', undefined)).toBe(false);
  expect(validateCvc('1234', undefined)).toBe(true);
});

test('a card is valid through the last millisecond of its month, in UTC', () => {
  expect(expiryProblem(2, 2028, new Date('2028-02-29T23:59:59.999Z'))).toBeUndefined();
  expect(expiryProblem(2, 2028, new Date('2028-03-01T00:00:00.000Z'))).toBe('past');
  expect(expiryProblem(12, 2027, new Date('2027-12-31T23:59:59.999Z'))).toBeUndefined();
  expect(expiryProblem(12, 2027, new Date('2028-01-01T00:00:00Z'))).toBe('past');
  expect(expiryProblem(1, 2030, new Date('2027-06-01T00:00:00Z'))).toBeUndefined();
});

test('an impossible month or year is refused, and an expiry more than twenty years ahead', () => {
  const now = new Date('2027-06-01T00:00:00Z');
  for (const month of [0, 13, 1.5, Number.NaN]) expect(expiryProblem(month, 2030, now)).toBe('no-month');
  for (const year of [2030.5, Number.NaN]) expect(expiryProblem(6, year, now)).toBe('no-month');
  for (const year of [28, 99]) expect(expiryProblem(6, year, now)).toBe('past');
  expect([expiryProblem(6, 2047, now), expiryProblem(7, 2047, now)]).toEqual([undefined, 'too-far']);
});

test('the BIN has eight digits for numbers of sixteen or more digits, else six', () => {
  expect(binOf('4242424242424242')).toBe('42424242');
  expect(binOf('378282246310005')).toBe('378282');
  expect(binOf('38000000000006')).toBe('380000');
  expect(last4Of('378282246310005')).toBe('0005');
});

test.each(['', '42x4', ' 42', '42 ', '-42', '4.2', '٤٢'])(
  '%j is neither a card number nor a verification code',
  (text) => {
    expect(luhnValid(text)).toBe(false);
    expect(validateCardNumber(text)).toEqual({ valid: false, reason: 'digits' });
    expect(validateCvc(text, undefined)).toBe(false);
  },
);

test.each(['x123', '123x', '12', '12345', '1 23'])('%j is not a verification code', (text) => {
  expect(validateCvc(text, undefined)).toBe(false);
});

test('a number of an unknown brand has 12 to 19 digits', () => {
  const reasonOf = (length: number) => {
    const check = validateCardNumber(complete('9'.repeat(length - 1)));
    return check.valid ? 'valid' : check.reason;
  };
  expect([11, 12, 19, 20].map(reasonOf)).toEqual(['length', 'valid', 'valid', 'length']);
  for (const text of ['x424242424242', '424242424242x', '42424242424', '4'.repeat(20)])
    expect(detectBrand(text)).toBeUndefined();
});

test('a number is printed in groups of four, or as its brand prints it', () => {
  expect(printedAs('visa')).toEqual({ digits: 19, gaps: [4, 8, 12, 16] });
  expect(printedAs('mastercard')).toEqual({ digits: 16, gaps: [4, 8, 12] });
  expect(printedAs('amex')).toEqual({ digits: 15, gaps: [4, 10] });
});

test('the known ranges include those of catalog brands and of other brands', () => {
  const ranges = knownRanges();
  expect(ranges.length).toBeGreaterThan(50);
  for (const { from, to } of ranges) expect([from.length, Number(from) <= Number(to)]).toEqual([to.length, true]);
  expect(ranges).toContainEqual({ brand: 'amex', from: '34', to: '34' });
  expect(ranges).toContainEqual({ brand: 'mastercard', from: '51', to: '55' });
  expect(ranges.some(({ brand }) => brand === undefined)).toBe(true);
});
