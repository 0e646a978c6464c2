import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { type AmountRange, amountRanges, boundProblem, isRange } from '../../../shared/domain/money/amount-range.js';
import { currencyCodes, findCurrency } from '../../../shared/domain/money/currency.js';

/** Whether the ranges contain an amount, as the database compares them. */
function isFound(ranges: readonly AmountRange[], currency: string, minor: number): boolean {
  return ranges.some(({ currencies, minMinor, maxMinor }) => {
    const meant = 'only' in currencies ? currencies.only.includes(currency) : !currencies.except.includes(currency);
    return meant && minor >= (minMinor ?? 0) && minor <= (maxMinor ?? Number.POSITIVE_INFINITY);
  });
}

const decimal = fc
  .tuple(fc.nat(2_000), fc.nat(999_999), fc.nat(6))
  .map(([whole, part, digits]) =>
    digits === 0 ? `${whole}` : `${whole}.${String(part).padStart(6, '0').slice(0, digits)}`,
  );

test('exactly the amounts between two decimals are found, in every currency', () => {
  const minorUnits = fc.nat(20_000_000);
  fc.assert(
    fc.property(
      fc.option(decimal, { nil: undefined }),
      fc.option(decimal, { nil: undefined }),
      fc.constantFrom(...currencyCodes),
      minorUnits,
      (min, max, currency, minor) => {
        const total = new Decimal(minor).div(new Decimal(10).pow(findCurrency(currency)?.exponent ?? 2));
        const inside = (min === undefined || total.gte(min)) && (max === undefined || total.lte(max));
        for (const ranges of [amountRanges(min, max), amountRanges(min, max, currency)]) {
          if (min === undefined && max === undefined) expect(ranges).toBeUndefined();
          else expect(isFound(ranges ?? [], currency, minor)).toBe(inside);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a decimal has different minor units in each currency', () => {
  const bounds = (currency: string) => amountRanges('10.5', '10.5', currency)?.[0];
  expect(bounds('USD')).toMatchObject({ minMinor: 1050, maxMinor: 1050 });
  expect(bounds('KWD')).toMatchObject({ minMinor: 10_500, maxMinor: 10_500 });
  expect(bounds('JPY')).toMatchObject({ minMinor: 11, maxMinor: 10 });
});

test('a range for one currency does not find amounts of another', () => {
  expect(amountRanges('1', undefined, 'USD')).toHaveLength(1);
  expect(isFound(amountRanges('1', undefined, 'USD') ?? [], 'UYU', 500)).toBe(false);
});

test('decimals are compared exactly', () => {
  expect(isRange('0.1', '0.10')).toBe(true);
  expect(isRange('999999999999999.999999', '999999999999999.999998')).toBe(false);
});

test.each([
  [{ maxAmount: '0' }, ['USD'], 'must be greater than 0'],
  [{ minAmount: '5', maxAmount: '4.99' }, ['USD'], 'must not be less than minAmount'],
  [{ maxAmount: '0.5' }, ['USD', 'JPY'], 'leaves no amount that can be paid in JPY'],
  [{ minAmount: '1.2', maxAmount: '1.8' }, ['JPY'], 'leaves no amount that can be paid in JPY'],
  [{ maxAmount: '0.001' }, ['KWD', 'USD'], 'leaves no amount that can be paid in USD'],
  [{ minAmount: '0', maxAmount: '1' }, ['JPY'], undefined],
  [{ minAmount: '0.5', maxAmount: '0.5' }, ['USD'], undefined],
  [{ maxAmount: '0.001' }, ['KWD'], undefined],
  [{ maxAmount: '0.5' }, [], undefined],
  [{ minAmount: '5' }, ['JPY'], undefined],
])('%j of %j: the upper bound %s', (bounds, currencies, problem) => {
  expect(boundProblem(bounds, currencies)).toEqual(problem && { bound: 'maxAmount', reason: problem });
});

test.each([
  [{}, ['USD'], undefined],
  [{ minAmount: '0' }, ['JPY'], undefined],
  [{ minAmount: '999999999999.99' }, ['USD', 'UYU'], undefined],
  [{ minAmount: '999999999999.991' }, ['KWD', 'USD'], 'leaves no amount that can be paid in USD'],
  [{ minAmount: '99999999999.9999' }, ['CLF'], undefined],
  [{ minAmount: '100000000000' }, ['JPY', 'CLF'], 'leaves no amount that can be paid in CLF'],
  [{ minAmount: '1000000000000' }, ['JPY'], 'leaves no amount that can be paid in JPY'],
  [{ minAmount: '999999999999999' }, [], undefined],
])('%j of %j: the lower bound %s', (bounds, currencies, problem) => {
  expect(boundProblem(bounds, currencies)).toEqual(problem && { bound: 'minAmount', reason: problem });
});
