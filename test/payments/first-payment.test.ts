import { type CardIdentity, firstPaymentProblem } from '../../api/payments/first-payment.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { approvedPayment, createdPayment } from '../domain/payment/a-payment.js';

const view = { last4: '4242', bin: '424242', expirationMonth: 12, expirationYear: 2034 };
const cardWithViewOnly: CardIdentity = { view };
const first = (more: Partial<Payment> = {}): Payment => ({ ...approvedPayment(), payerSecret: true, ...more });
const problem = (payment: Payment, later: CardIdentity = cardWithViewOnly, fingerprint?: string) =>
  firstPaymentProblem(payment, later, fingerprint);

test('an approved payment of this card with consent is a first payment', () => {
  expect(problem(first())).toBeUndefined();
});

test.each(['created', 'pending', 'denied', 'failed'] as const)('a payment that is %s was not approved', (status) => {
  expect(problem(first({ status }))).toMatch('not approved');
});

test.each(['approved', 'authorized', 'cancelled', 'expired', 'refunded', 'partially-refunded'] as const)(
  'a payment that is %s was approved once: a verification, hold or return takes no consent back',
  (status) => {
    expect(problem(first({ status }))).toBeUndefined();
  },
);

test('a payment whose charge never got an approval was not approved, whatever its status is', () => {
  expect(problem({ ...createdPayment({ status: 'cancelled', payerSecret: true }) })).toMatch('not approved');
});

describe('consent', () => {
  const threeDs = { required: true, reason: 'always' } as const;
  const shifted = { ...threeDs, liabilityShift: true } as const;
  test.each<[string, Partial<Payment>]>([
    ['the merchant says that it is the first', { payerSecret: undefined as never, recurring: { type: 'initial' } }],
    ['the payer was challenged', { payerSecret: undefined as never, threeDs: { ...shifted, status: 'authenticated' } }],
    ['the issuer knew the payer', { payerSecret: undefined as never, threeDs: { ...shifted, status: 'frictionless' } }],
  ])('is given when %s', (_name, more) => {
    expect(problem(first(more))).toBeUndefined();
  });

  test.each<[string, Partial<Payment>]>([
    ['the payer was not asked', { payerSecret: undefined as never }],
    ['it is a later one itself', { recurring: { type: 'subsequent' } }],
    [
      'the ECI proves no authentication',
      { payerSecret: undefined as never, threeDs: { ...threeDs, status: 'authenticated', liabilityShift: false } },
    ],
    ['3D Secure was not done', { payerSecret: undefined as never, threeDs: { required: false, reason: 'always' } }],
  ])('is missing when %s', (_name, more) => {
    expect(problem(first(more))).toMatch('consent');
  });
});

describe('the same card', () => {
  test('is recognized by the token with which it was charged or saved', () => {
    const other = { token: 'tok-1', view: { ...view, last4: '0000' } };
    expect(problem(first({ instrument: 'tok-1' }), other)).toBeUndefined();
    expect(problem(first({ tokenization: { token: 'tok-1', type: 'persistent' } }), other)).toBeUndefined();
    expect(problem(first({ instrument: 'tok-2' }), other)).toMatch('another card');
  });

  test('is recognized by fingerprint: a renewed card is the same, another number with the same ends is not', () => {
    const renewed = { fingerprint: 'f1', view: { ...view, expirationYear: 2035 } };
    expect(problem(first(), renewed, 'f1')).toBeUndefined();
    expect(problem(first(), { fingerprint: 'f2', view }, 'f1')).toMatch('another card');
  });

  test.each(['last4', 'bin', 'expirationMonth', 'expirationYear'] as const)(
    'without two fingerprints is another card if %s differs',
    (name) => {
      expect(problem(first(), { fingerprint: 'f1', view: { ...view, [name]: 1 } })).toMatch('another card');
    },
  );

  test('an unknown card does not count as the same card', () => {
    expect(problem(first(), {})).toMatch('another card');
  });
});
