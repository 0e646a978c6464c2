/** Why the amount typed by a payer is refused, as an error of its field. */
import { withAmountProblem } from '../../api/pages/amount-problem.js';
import { en } from '../../api/pages/texts/en.js';

const refused = { total: 'refused', name: 'kept' };
const allowedCurrencies = ['USD', 'CLP', 'KWD'];
const bounds = { allowedCurrencies, minAmount: '5', maxAmount: '5000' };

test.each([
  ['', 'USD', en.missingAmount],
  ['  ', 'USD', en.missingAmount],
  ['1,000', 'USD', 'Enter an amount such as 1000.00.'],
  ['1,000.505', 'USD', 'Enter an amount such as 1000.00.'],
  ['10.50', 'CLP', 'Enter an amount such as 1000.'],
  ['1,220', 'KWD', 'Enter an amount such as 1000.000.'],
  ['ten', 'KWD', 'Enter an amount such as 1000.000.'],
  ['4.99', 'USD', en.wrongAmount],
  ['50.000', 'CLP', en.wrongAmount],
  ['50', 'USD', en.otherAmount],
])('“%s” %s is refused: %s', (total, currency, sentence) => {
  expect(withAmountProblem(refused, { total, currency }, bounds, 'en')).toEqual({ name: 'kept', total: sentence });
});

test('the sentence has no limits if the link has none', () => {
  const problem = withAmountProblem(refused, { total: '0', currency: 'USD' }, { allowedCurrencies }, 'en');
  expect(problem.total).toBe(en.otherAmount);
});

test.each([
  ['USD', '5', '400', '400.00'],
  ['JPY', undefined, '400.5', '400'],
  ['USD', '1500.5', undefined, '1500.50'],
  ['KWD', '5', '5000', '1000.000'],
])('an example in %s from %s to %s can be paid', (currency, minAmount, maxAmount, example) => {
  const within = { allowedCurrencies: [currency], ...(minAmount && { minAmount }), ...(maxAmount && { maxAmount }) };
  const problem = withAmountProblem(refused, { total: 'ten', currency }, within, 'en');
  expect(problem.total).toBe(en.unclearAmount(example));
});

test("the example is written in the payer's language", () => {
  const problem = withAmountProblem(refused, { total: '1.000', currency: 'USD' }, bounds, 'es');
  expect(problem.total).toBe('Escriba un importe como 1000,00.');
});

test('an accepted amount gets no error, and an amount that the payer cannot change has no field to correct', () => {
  expect(withAmountProblem({ name: 'kept' }, { total: '' }, bounds, 'en')).toEqual({ name: 'kept' });
  expect(withAmountProblem({ ...refused, currency: 'refused' }, { total: '' }, undefined, 'en')).toEqual({
    name: 'kept',
  });
});
