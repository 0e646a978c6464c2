/** Evaluation of the 3D Secure rules for a payment that was just accepted, once. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planEvaluated } from '../../../shared/domain/threeds/evaluate-payment.js';
import { createdPayment, later } from '../payment/a-payment.js';

const facts = {
  ...{ channel: 'api', source: 'card', amountMinor: 5000, currency: 'USD', purpose: 'payment' },
  ...{ disabledForSession: false, external: false },
} as const;
const settings = {
  ...{ provider: 'sandbox', metadata: [], enabled: true },
  rules: { enabled: true, tier: 'basic', thresholds: { api: { USD: 5000 }, checkout: {} } },
} as const;
const accepted = (more: object = {}, by: object | null = settings): Payment =>
  createdPayment({
    threeDsFacts: { ...facts, ...more },
    ...(by && { threeDsSettings: by }),
  } as Partial<Payment>);
const evaluated = (payment: Payment) => planEvaluated(payment, later(7), 'session');

test('if the payer has to be authenticated a session begins, and the settings of its provider are kept', () => {
  const payment = accepted();
  const { threeDsFacts, ...rest } = payment;
  expect(evaluated(payment)).toEqual({
    ...{ ...rest, threeDsFacts: undefined, updatedAt: later(7) },
    threeDs: {
      ...{
        required: true,
        reason: 'amount-at-threshold',
        provider: 'sandbox',
        sessionId: 'session',
        status: 'created',
      },
      ...{ createdAt: later(7), updatedAt: later(7) },
    },
  });
});

test('if the payer is not asked the payment has the reason, and the settings are removed', () => {
  const after = evaluated(accepted({ amountMinor: 4999 }));
  expect(after.threeDs).toEqual({ required: false, reason: 'amount-below-threshold' });
  expect(after).toMatchObject({ threeDsFacts: undefined, threeDsSettings: undefined, updatedAt: later(7) });
});

test('an external authentication of the merchant counts with and without settings', () => {
  for (const by of [settings, null]) {
    const after = evaluated(accepted({ external: true }, by));
    expect(after.threeDs).toEqual({ required: false, reason: 'external-authentication' });
    expect(after.threeDsSettings).toBeUndefined();
  }
});

test('without enabled settings the payment has no 3DS result', () => {
  for (const by of [null, { ...settings, enabled: false }]) {
    const after = evaluated(accepted({}, by));
    expect(after).not.toHaveProperty('threeDs');
    expect(after).toMatchObject({ threeDsFacts: undefined, threeDsSettings: undefined, updatedAt: later(7) });
  }
});

test('evaluating a payment again or without facts does not change it', () => {
  const once = evaluated(accepted());
  expect(planEvaluated(once, later(9), 'another')).toBe(once);
  const without = createdPayment();
  expect(evaluated(without)).toBe(without);
});
