/** The status of a session at a given time, its next try, and its end: each change is announced once. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planFailed, planSessionEnd } from '../../shared/domain/session/plan-session.js';
import {
  currenciesOf,
  hasFeature,
  leastAmountOf,
  nextAttempt,
  savesAs,
  sessionStatusAt,
  takesCardType,
  tryRefKey,
  tryState,
} from '../../shared/domain/session/rules.js';
import type { CheckoutSettings, Session } from '../../shared/domain/session/session.js';
import { sessionEvents, sessionStatuses } from '../../shared/domain/session/statuses.js';
import { approvedPayment, authorizedPayment, createdPayment, later, paymentIn, start } from './payment/a-payment.js';

const URL = 'https://shop.example/tokens';
const session = (more: Partial<Session> = {}): Session => ({
  ...{ _id: 'ses_1', clientId: 'cli_a', keyId: 'key_a', merchants: 'all', merchantId: 1, traceId: 't' },
  ...{ type: 'checkout', referenceId: 'r', requestDigest: 'd', status: 'pending', version: 3 },
  ...{ createdAt: start, updatedAt: start, expiresAt: later(60_000), removeAt: later(90_000), checkAt: later(1_000) },
  settings: {
    ...{ paymentMethodTypes: ['card'], tokenization: { type: 'temporal', features: ['create', 'list'] } },
    callbacks: { tokenizationCallbackUrl: URL },
  },
  ...{ tries: 1, events: [], eventSeq: 4 },
  ...more,
});
const quiet = (more: Partial<Session> = {}) =>
  session({ settings: { paymentMethodTypes: ['card'], tokenization: { type: 'temporal', features: [] } }, ...more });

describe('a try', () => {
  test.each<[string, Payment | undefined, string]>([
    ['nothing is stored of it', undefined, 'absent'],
    ['it was just accepted', createdPayment(), 'in-flight'],
    ['its outcome is not known', paymentIn('pending'), 'in-flight'],
    ['it was paid', approvedPayment(), 'succeeded'],
    ['its amount is held', authorizedPayment(), 'succeeded'],
    ['it was paid and refunded since', { ...approvedPayment(), status: 'refunded' }, 'succeeded'],
    ['it was declined', paymentIn('denied'), 'failed'],
    ['it failed', paymentIn('failed'), 'failed'],
  ])('has the right state when %s', (_name, payment, state) => {
    expect(tryState(payment)).toBe(state);
  });

  test('decides the next number: a new number only after a failed try', () => {
    expect(nextAttempt(session({ tries: 0 }), 'absent')).toBe(1);
    expect(nextAttempt(session({ tries: 0 }), 'failed')).toBe(1);
    expect(nextAttempt(session({ tries: 2 }), 'failed')).toBe(3);
    for (const newest of ['absent', 'in-flight', 'succeeded'] as const) {
      expect(nextAttempt(session({ tries: 2 }), newest)).toBe(2);
    }
  });

  test('is stored under a reference key of kind, number and reference', () => {
    const keys = [
      tryRefKey('payment', 1, 'a'),
      tryRefKey('session', 1, 'a'),
      tryRefKey('payment', 2, 'a'),
      tryRefKey('payment', 1, 'b'),
    ];
    expect(keys[0]).toBe('payment#1:a');
    expect(new Set(keys).size).toBe(4);
  });
});

describe('the status that is shown', () => {
  const end = later(60_000);
  const before = later(59_999);

  test('is expired from the end of its time, even before a sweep', () => {
    expect(sessionStatusAt(session(), before)).toBe('pending');
    expect(sessionStatusAt(session(), end)).toBe('expired');
    for (const status of ['completed', 'cancelled', 'expired'] as const) {
      expect(sessionStatusAt(session({ status }), before)).toBe(status);
      expect(sessionStatusAt(session({ status }), end)).toBe(status);
    }
  });

  test('is completed at any time after the newest try of a checkout succeeded', () => {
    for (const status of ['pending', 'expired'] as const) {
      expect(sessionStatusAt(session({ status }), end, 'succeeded')).toBe('completed');
      expect(sessionStatusAt(session({ status, type: 'tokenization' }), end, 'succeeded')).toBe('expired');
    }
    expect(sessionStatusAt(session({ status: 'cancelled' }), before, 'succeeded')).toBe('cancelled');
    for (const newest of ['failed', 'in-flight'] as const)
      expect(sessionStatusAt(session(), before, newest)).toBe('pending');
  });

  test('is pending after the end while a try that may still complete the session is in flight', () => {
    for (const type of ['checkout', 'tokenization'] as const)
      expect(sessionStatusAt(session({ type }), end, 'in-flight')).toBe('pending');
    expect(sessionStatusAt(session(), end, 'failed')).toBe('expired');
    expect(sessionStatusAt(session({ status: 'expired' }), end, 'in-flight')).toBe('expired');
  });
});

describe('what may be paid', () => {
  const flexibleAmount = { allowedCurrencies: ['USD', 'JPY'], minAmount: '5' };
  const { minAmount: _none, ...unbounded } = flexibleAmount;
  const paying = (
    amount: { totalMinor?: number; currency?: string } | undefined,
    checkout?: Partial<CheckoutSettings>,
  ) =>
    session({
      settings: {
        ...{ paymentMethodTypes: ['card'], tokenization: { features: [] } },
        ...(checkout && { checkout: { amountMode: 'fixed', disableThreeds: false, ...checkout } }),
      },
      ...(amount && { paymentRequest: { referenceId: 'r', invoiceNumber: 'i', amount } }),
    });
  const total = { field: 'paymentRequest.amount.total' };
  const least = { field: 'settings.checkout.flexibleAmount.minAmount', total: '5' };
  const dollars = { totalMinor: 1050, currency: 'USD' };
  test.each([
    ['a fixed amount', dollars, {}, ['USD'], { ...total, total: '10.50' }],
    ['one without decimals', { totalMinor: 1050, currency: 'JPY' }, {}, ['JPY'], { ...total, total: '1050' }],
    [
      'a fixed amount with bounds that do not count',
      dollars,
      { flexibleAmount },
      ['USD'],
      { ...total, total: '10.50' },
    ],
    ['a flexible amount', dollars, { amountMode: 'flexible', flexibleAmount }, ['USD', 'JPY'], least],
    ['one without a bound', {}, { amountMode: 'flexible', flexibleAmount: unbounded }, ['USD', 'JPY'], undefined],
    ['no amount', undefined, undefined, [], undefined],
  ] as const)('%s', (_name, amount, checkout, currencies, smallest) => {
    const paid = paying(amount, checkout);
    expect([currenciesOf(paid), leastAmountOf(paid)]).toEqual([currencies, smallest]);
  });
});

test('a session has only the features for saved cards that it lists', () => {
  expect(hasFeature(session(), 'list')).toBe(true);
  expect(hasFeature(session(), 'delete')).toBe(false);
});

test.each([
  [undefined, 'prepaid', true],
  [['credit'], undefined, true],
  [['credit'], 'credit', true],
  [['credit'], 'debit', false],
  [['credit', 'debit'], 'prepaid', false],
] as const)('whether card types %s accept %s: %s', (allowedCardTypes, cardType, taken) => {
  const tokenization = { type: 'temporal' as const, features: [], ...(allowedCardTypes && { allowedCardTypes }) };
  expect(takesCardType(session({ settings: { paymentMethodTypes: ['card'], tokenization } }), cardType)).toBe(taken);
});

test('a card is saved as the session requests; a session of an earlier release without a type stores it', () => {
  const of = (more: object) =>
    savesAs(session({ settings: { paymentMethodTypes: ['card'], tokenization: { features: [], ...more } } }));
  expect([of({ type: 'temporal' }), of({ type: 'store' }), of({})]).toEqual(['temporal', 'store', 'store']);
});

describe('the end', () => {
  const outcome = { now: later(5), body: 'body', instrument: 'tok_1' };
  const event = { seq: 5, at: later(5), url: URL, body: 'body' };

  test('is stored with its saved card and announced once', () => {
    const before = session({ events: [{ seq: 4, at: start, url: URL, body: 'earlier' }] });
    const ended = planSessionEnd(before, 'succeeded', outcome);
    expect(ended).toEqual({
      ...before,
      ...{ status: 'completed', updatedAt: later(5), checkAt: undefined, instrument: 'tok_1' },
      ...{ eventSeq: 5, events: [...before.events, event], announceAt: later(5) },
    });
  });

  test('is not announced without a subscriber or a body', () => {
    for (const ended of [
      planSessionEnd(quiet(), 'succeeded', outcome),
      planSessionEnd(session(), 'ran-out', { now: later(5) }),
    ]) {
      expect(ended).toMatchObject({ events: [], eventSeq: 4 });
      expect(ended).not.toHaveProperty('announceAt');
    }
    expect(planSessionEnd(session(), 'ran-out', { now: later(5) })).not.toHaveProperty('instrument');
  });

  test.each(sessionStatuses.flatMap((status) => sessionEvents.map((name) => [status, name] as const)))(
    'of a session that is %s by %s happens only if the table has that move',
    (status, name) => {
      const possible = status === 'pending' || (status === 'expired' && name === 'succeeded');
      expect(planSessionEnd(session({ status }), name, outcome) !== undefined).toBe(possible);
    },
  );

  test('of a session with an announced failure is announced only if it succeeds later', () => {
    const failed = session({ failedAt: later(1) });
    expect(planSessionEnd(failed, 'ran-out', outcome)).toMatchObject({ status: 'expired', events: [] });
    expect(planSessionEnd(failed, 'cancelled', outcome)).toMatchObject({ status: 'cancelled', events: [] });
    expect(planSessionEnd(failed, 'succeeded', outcome)).toMatchObject({ status: 'completed', events: [event] });
  });

  test('does not follow a failure at once: the failure is announced once, and the session runs out', () => {
    const failed = planFailed(session(), outcome);
    expect(failed).toMatchObject({
      status: 'pending',
      updatedAt: later(5),
      failedAt: later(5),
      checkAt: later(60_000),
    });
    expect(failed?.events).toEqual([event]);
    expect(planFailed(session({ failedAt: later(1) }), outcome)).toBeUndefined();
    for (const status of ['completed', 'expired', 'cancelled'] as const) {
      expect(planFailed(session({ status }), outcome)).toBeUndefined();
    }
  });
});
