import type { Payment } from '../../../shared/domain/payment/payment.js';
import { cardToAuthenticate, isSoftDeclined } from '../../../shared/domain/threeds/step-up.js';
import { createdPayment } from '../payment/a-payment.js';

function ended(errorCode: string | undefined, threeDs: Partial<Payment['threeDs']> | undefined): Payment {
  const payment = createdPayment();
  const transactions = payment.transactions.map((tx) => ({
    ...tx,
    status: 'denied' as const,
    ...(errorCode && { errorCode }),
  }));
  return { ...payment, transactions, ...(threeDs && { threeDs: { required: false, ...threeDs } as never }) };
}

test.each([
  ['authentication-required', 'amount-below-threshold', true],
  ['authentication-required', 'no-threshold-for-currency', true],
  ['authentication-required', 'disabled-for-session', false],
  ['authentication-required', undefined, false],
  ['declined-by-acquirer', 'amount-below-threshold', false],
  [undefined, 'amount-below-threshold', false],
] as const)(
  'a payment that ends with %s, unauthenticated for %s, is to be authenticated next: %s',
  (code, reason, next) => {
    const payment = ended(code, reason && { reason });
    expect(isSoftDeclined(payment)).toBe(next);
    expect(cardToAuthenticate(payment)).toEqual(next ? payment.paymentMethod.card : undefined);
  },
);

test('a card that its issuer wants authenticated is authenticated with each further try', () => {
  const payment = ended('declined-by-acquirer', { required: true, reason: 'issuer-required', status: 'frictionless' });
  expect(isSoftDeclined(payment)).toBe(false);
  expect(cardToAuthenticate(payment)).toEqual(payment.paymentMethod.card);
});
