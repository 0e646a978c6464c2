import fc from 'fast-check';
import { median, pairedRatio, percentile } from '../../bench/measure/statistics.mjs';

test('percentile takes the nearest rank', () => {
  const values = [5, 1, 4, 2, 3];
  expect([0, 0.2, 0.5, 0.95, 1].map((share) => percentile(values, share))).toEqual([1, 1, 3, 5, 5]);
  expect(percentile([], 0.5)).toBeNaN();
});

test('a percentile is one of the values, and at least the requested share of them does not exceed it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { minLength: 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, share) => {
        const found = percentile(values, share);
        const below = values.filter((value) => value <= found).length / values.length;
        return values.includes(found) && below >= share - 1e-9;
      },
    ),
  );
});

test('the median of an odd and of an even number of values does not depend on their order', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('ratios are paired by repetition before the median is taken', () => {
  // The machine was ten times slower in the second repetition, but the ratio is the same.
  expect(pairedRatio([100, 10, 120], [200, 20, 240])).toBe(0.5);
  // Medians first would give 100 / 200 above too, but 3 here.
  expect(pairedRatio([30, 1, 3], [10, 1, 3])).toBe(1);
});

test('a repetition that lacks one of the two values does not count', () => {
  expect(pairedRatio([undefined, 10, 30], [5, undefined, 10])).toBe(3);
  expect(pairedRatio([1], [0])).toBeNaN();
});
