import { categoryCodeProblem, merchantCategoryRanges } from '../../api/merchants/merchant-category-code.js';

test.each([
  '0742',
  '0763',
  '1520',
  '3000',
  '3351',
  '3501',
  '4111',
  '4899',
  '5411',
  '5651',
  '5942',
  '5999',
  '7299',
  '7995',
  '8999',
  '9399',
  '9999',
])('%s is a category code', (code) => {
  expect(categoryCodeProblem(code)).toBeUndefined();
});

test.each(['0000', '0001', '0699'])('%s is in no range', (code) => {
  expect(categoryCodeProblem(code)).toBe('is not in a range of ISO 18245');
});

test.each(['', '541', '54111', '5 11', '5411 ', '+541', '54.1', 'abcd', '５４１１'])('%j is not 4 digits', (code) => {
  expect(categoryCodeProblem(code)).toBe('must have 4 digits');
});

test('the ranges are in order, without an overlap or a gap', () => {
  merchantCategoryRanges.forEach(({ from, to }, index) => {
    expect(to).toBeGreaterThan(from);
    const next = merchantCategoryRanges[index + 1];
    if (next) expect(next.from).toBe(to + 1);
  });
});
