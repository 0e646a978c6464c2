/** Choice of the row of the BIN table for a card. */
import {
  type BinRange,
  binNumber,
  chooseRange,
  rangeEnd,
  rangeStart,
} from '../../shared/domain/instrument/bin-range.js';

const range = (from: string, to = from, brand = 'visa'): BinRange => ({
  from: rangeStart(from),
  to: rangeEnd(to),
  brand,
});

test('a card number is looked up by its first eleven digits, a shorter number padded with zeros', () => {
  expect(binNumber('4242424242424242')).toBe(42_424_242_424);
  expect(binNumber('424242')).toBe(42_424_200_000);
});

test('six to eleven digits are a range that includes both ends', () => {
  expect([rangeStart('411111'), rangeEnd('411111')]).toEqual([41_111_100_000, 41_111_199_999]);
  expect([rangeStart('41111122222'), rangeEnd('41111122222')]).toEqual([41_111_122_222, 41_111_122_222]);
});

test('the narrowest range that contains the BIN is chosen, in any order of the rows', () => {
  const [wide, narrow, other] = [range('411110', '411119'), range('4111111'), range('42')];
  const bin = binNumber('4111111111111111');
  for (const rows of [
    [wide, narrow, other],
    [other, narrow, wide],
  ])
    expect(chooseRange(bin, rows)).toBe(narrow);
  expect(chooseRange(binNumber('4111191111111111'), [wide, narrow, other])).toBe(wide);
  expect(chooseRange(binNumber('5111111111111111'), [wide, narrow, other])).toBeUndefined();
  expect(chooseRange(wide.from, [wide])).toBe(wide);
  expect(chooseRange(wide.to, [wide])).toBe(wide);
  expect(chooseRange(wide.to + 1, [wide])).toBeUndefined();
  expect(chooseRange(wide.from - 1, [wide])).toBeUndefined();
});
