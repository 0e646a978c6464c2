/** The 3DS method, in which the issuer checks the browser: what each state allows, and the completion indicator for the issuer. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import {
  hasBrowser,
  methodCompletionOf,
  planMethod,
  planMethodDone,
  waitsForMethod,
} from '../../../shared/domain/threeds/plan-method.js';
import { createdPayment, later, schedule, settleContext, start } from '../payment/a-payment.js';

const METHOD_MS = 10_000;
const context = settleContext(start, { schedule: { ...schedule, threeDsMethodMs: METHOD_MS } });
const url = 'https://acs.example/method';

function asked(more: Partial<Payment> = {}): Payment {
  const payment = createdPayment();
  const threeDs = { required: true, reason: 'always', provider: 'sandbox', sessionId: 's', status: 'created' } as const;
  return { ...payment, threeDs, work: newWork('authenticate', payment.transactions[0]?.id ?? '', start), ...more };
}
const looking = (): Payment => {
  const payment = planMethod(asked(), { url }, context);
  if (!payment) throw new Error('no method was planned');
  return payment;
};
const claimed = (payment: Payment): Payment =>
  payment.work ? { ...payment, work: { ...payment.work, leaseToken: 'mine' } } : payment;

test('a method postpones the authentication in the write that stores it', () => {
  const payment = planMethod(claimed(asked()), { url }, context);
  expect(payment).toMatchObject({
    status: 'created',
    threeDs: { status: 'created', method: { url, endsAt: later(METHOD_MS) } },
    work: { queue: 'threeds', kind: 'authenticate', dueAt: later(METHOD_MS), gen: 2 },
  });
  expect([payment?.work?.leaseToken, payment && waitsForMethod(payment)]).toEqual([undefined, true]);
});

test.each([
  ['Y', 'Y'],
  ['N', 'N'],
] as const)(
  'a method done with %s is followed by the authentication at once, with completion indicator %s',
  (completion, indicator) => {
    const done = planMethodDone(looking(), completion, later(500));
    expect(done?.work).toMatchObject({ kind: 'authenticate', dueAt: later(500), gen: 3 });
    expect([done && waitsForMethod(done), done && methodCompletionOf(done)]).toEqual([false, indicator]);
  },
);

test('a method that does not end in time has indicator N, and no method has U', () => {
  expect([methodCompletionOf(looking()), methodCompletionOf(asked())]).toEqual(['N', 'U']);
});

test.each<[string, Payment, number]>([
  ['no method was requested', asked(), 500],
  ['the time is up', looking(), METHOD_MS],
  ['the issuer is being asked', claimed(looking()), 500],
  ['a second time', planMethodDone(looking(), 'Y', later(400)) ?? looking(), 500],
  ['the payment has ended', { ...looking(), work: undefined }, 500],
])('the end of a method changes nothing: %s', (_why, payment, afterMs) => {
  expect(planMethodDone(payment, 'Y', later(afterMs))).toBeUndefined();
});

test('only a payer at the checkout has a browser', () => {
  expect(hasBrowser(asked())).toBe(false);
  expect(hasBrowser(asked({ sessionId: 'session' }))).toBe(true);
});
