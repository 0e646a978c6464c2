import { readCard, readExpiry } from '../../api/pages/read-card-form.js';

const NONE = { expMonth: 0, expYear: 0 };

test.each([
  '4242424242424242',
  ' 4242 4242  4242 4242 ',
  '4242 - 4242 - 4242 - 4242',
  '4242\u20134242\u20134242\u20134242',
  '4242.4242.4242.4242',
  // As a messenger copies it: marks of the direction around it, spaces that do not break.
  '\u202a4242\u00a04242\u00a04242\u00a04242\u202c',
])('%j is a card number', (number) => {
  expect(readCard({ number, cvc: ' 123 ' })).toMatchObject({ number: '4242424242424242', cvc: '123' });
});

test.each(['4242 4242 4242 424x', '4242/4242/4242/4242'])('%j is not a card number', (number) => {
  expect(readCard({ number }).number).toMatch(/\D/);
});

describe('the expiry date in the form', () => {
  test.each([
    ['12 / 34', 12, 2034],
    ['12/34', 12, 2034],
    ['12-34', 12, 2034],
    ['12.34', 12, 2034],
    ['12 34', 12, 2034],
    ['12//34', 12, 2034],
    [' 12 / 2034 ', 12, 2034],
    ['1/34', 1, 2034],
    ['3/27', 3, 2027],
    ['9/30', 9, 2030],
    ['9 / 2030', 9, 2030],
    ['2034-12', 12, 2034],
    ['2034/01', 1, 2034],
    ['1234', 12, 2034],
    ['0327', 3, 2027],
    ['122034', 12, 2034],
    ['327', 3, 2027],
    ['32027', 3, 2027],
    // An impossible month is treated like a date that cannot be read: both are refused.
    ['13 / 27', 13, 2027],
    ['00/27', 0, 2027],
  ])('%j is %d/%d', (text, expMonth, expYear) => {
    expect(readExpiry(text)).toEqual({ expMonth, expYear });
  });

  test.each([
    undefined,
    '',
    '12',
    '12 / ',
    '12 / 7',
    '12 / 203',
    '12 / 20345',
    '127',
    '12027',
    '2027',
    '3027',
    '1327',
    '202712',
    '2034-1',
    '12/12/34',
    '/34',
    'Dec 34',
    '12 / 3x',
    '١٢/٣٤',
  ])('%j is not a date', (text) => {
    expect(readExpiry(text)).toEqual(NONE);
  });
});
