/** Amounts in the units of Stripe: docs.stripe.com/currencies, "zero-decimal", "three-decimal" and "special cases". */
import { currencyCodes } from '../../../shared/domain/money/currency.js';
import { fromStripe, toStripe } from '../../../shared/processors/stripe/amounts.js';

test.each([
  ['USD', 1_050, 1_050],
  ['UYU', 1_050, 1_050],
  // ISO 4217 gives HUF two digits, and so does Stripe for charges.
  ['HUF', 1_050, 1_050],
  ['TWD', 1_050, 1_050],
  ['CLP', 1_050, 1_050],
  ['JPY', 500, 500],
  ['PYG', 12_000, 12_000],
  ['XOF', 655, 655],
  // No minor unit in ISO 4217, hundredths at Stripe.
  ['ISK', 5, 500],
  ['UGX', 5, 500],
  // Two digits in ISO 4217, none at Stripe.
  ['MGA', 500, 5],
  ['KWD', 5_120, 5_120],
  ['BHD', 10, 10],
  ['JOD', 10, 10],
  ['OMR', 10, 10],
  ['TND', 10, 10],
])('%s: our amount %i is %i at Stripe, and is converted back', (currency, ours, theirs) => {
  expect(toStripe(ours, currency)).toBe(theirs);
  expect(fromStripe(theirs, currency)).toBe(ours);
});

test.each([
  ['MGA', 501, 'has no fifths'],
  ['KWD', 5_123, 'the last digit must be 0'],
  ['CLF', 10_000, 'four digits, not known to Stripe'],
  ['UYI', 100, 'no digits, not known to Stripe'],
  ['IQD', 1_000, 'three digits, not known to Stripe'],
  ['LYD', 1_000, 'three digits, not known to Stripe'],
  ['XXX', 100, 'no currency'],
])('%s %i is not sent: %s', (currency, amount) => {
  expect(toStripe(amount, currency)).toBeUndefined();
});

test('an amount of Stripe that is a fraction of our minor unit is no amount', () => {
  expect(fromStripe(501, 'ISK')).toBeUndefined();
  expect(fromStripe(100, 'XXX')).toBeUndefined();
});

test('every amount in every currency is converted there and back unchanged, or is refused', () => {
  const tried = currencyCodes.flatMap((currency) =>
    [1, 10, 99, 100, 1_000, 123_450].map((amount) => [currency, amount] as const),
  );
  const wrong = tried.filter(([currency, amount]) => {
    const sent = toStripe(amount, currency);
    return sent !== undefined && (!Number.isSafeInteger(sent) || fromStripe(sent, currency) !== amount);
  });
  expect(wrong).toEqual([]);
  expect(tried.filter(([currency, amount]) => toStripe(amount, currency) !== undefined).length).toBeGreaterThan(800);
});
