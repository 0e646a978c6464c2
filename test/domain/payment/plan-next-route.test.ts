/** From one route of a payment to the next: only an attempt that is proved to have taken no money is followed by another route. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import {
  type Left,
  planAroundBreaker,
  planNextRoute,
  type RouteContext,
} from '../../../shared/domain/payment/plan-next-route.js';
import type { Candidate } from '../../../shared/domain/routing/payment-routing.js';
import type { RouteTarget } from '../../../shared/domain/routing/route.js';
import {
  approvedPayment,
  createdPayment,
  declined,
  failed,
  firstTx,
  lastTx,
  later,
  operated,
  settleContext,
} from './a-payment.js';

const route = (acquirer: string, reason: Candidate['reason'], more: Partial<Candidate> = {}): Candidate => ({
  ...{ processor: 'fake', acquirer, reason },
  ...more,
});
const first = route('acquirer-a', 'chosen');
const routed = (candidates: readonly Candidate[], more: Partial<Payment> = {}): Payment =>
  createdPayment({ merchantIdentificationNumber: 'mid-a', routing: { candidates: [first, ...candidates] }, ...more });
const context = (open: readonly string[] = [], now = later(1_000)): RouteContext => ({
  ...settleContext(now),
  isOpen: ({ acquirer }: RouteTarget) => open.includes(acquirer),
});
const notReached: Left = { reason: 'not-reached', outcome: failed };
const reversed: Left = { reason: 'reversed', outcome: failed };
const softDecline: Left = { reason: 'declined', outcome: { ...declined, advice: 'retry-later' } as Left['outcome'] };
const next = (payment: Payment, left: Left = notReached, around = context()) =>
  planNextRoute(payment, lastTx(payment).id, left, around);
const reasonsOf = (payment: Payment | undefined) => payment?.routing?.candidates.map(({ reason }) => reason);

describe('the next route', () => {
  test('gets its own transaction, key and work in the same write that ends the previous attempt', () => {
    const second = route('acquirer-b', 'next', { merchantIdentificationNumber: 'mid-b', terminalNumber: 'term-b' });
    const before = routed([second]);
    const tx = { ...firstTx(before), actorKeyId: 'key_a' };
    const after = next({
      ...before,
      transactions: [tx],
      work: { ...(before.work as NonNullable<Payment['work']>), gen: 4 },
    });
    expect(after).toMatchObject({
      ...{ processor: 'fake', acquirer: 'acquirer-b', merchantIdentificationNumber: 'mid-b', terminalNumber: 'term-b' },
      ...{ status: 'created', updatedAt: later(1_000) },
    });
    expect(reasonsOf(after)).toEqual(['not-reached', 'chosen']);
    const [ended, attempt] = after?.transactions ?? [];
    expect(ended).toMatchObject({
      ...{ id: tx.id, status: 'failed', resultCode: '91', processedAt: later(1_000) },
      leftRoute: { processor: 'fake', acquirer: 'acquirer-a', merchantIdentificationNumber: 'mid-a' },
    });
    const { kind, referenceId, amountMinor } = tx;
    expect(attempt).toEqual({
      ...{ id: expect.stringMatching(/^txn_next_/), kind, referenceId, amountMinor },
      ...{ status: 'created', createdAt: later(1_000), actorKeyId: 'key_a' },
    });
    expect(after?.work).toEqual({
      ...{ queue: 'processor', kind: 'authorize', txId: attempt?.id, dueAt: later(1_000), gen: 5, tries: 0 },
      leaseUntil: new Date(0),
    });
  });

  test('does not keep the numbers of the previous route, and has no key of a caller if there was none', () => {
    const after = next(routed([route('acquirer-b', 'next')], { terminalNumber: 'term-a' }));
    expect(after?.merchantIdentificationNumber).toBeUndefined();
    expect(after?.terminalNumber).toBeUndefined();
    expect(after && lastTx(after)).not.toHaveProperty('actorKeyId');
  });

  test('is the first without an open breaker, whether `share` or `next`; open ones come last', () => {
    const b = route('acquirer-b', 'next');
    const c = route('acquirer-c', 'share');
    const d = route('acquirer-d', 'breaker-open');
    const at = (open: readonly string[]) => next(routed([d, b, c]), notReached, context(open))?.acquirer;
    expect(at([])).toBe('acquirer-b');
    expect(at(['acquirer-b'])).toBe('acquirer-c');
    expect(at(['acquirer-b', 'acquirer-c'])).toBe('acquirer-d');
    // If all breakers are open a try is better than a lost sale.
    expect(at(['acquirer-b', 'acquirer-c', 'acquirer-d'])).toBe('acquirer-b');
  });

  test.each(['condition', 'unable', 'not-reached', 'reversed', 'declined'] as const)(
    'is never a route whose reason is %s',
    (reason) => {
      expect(next(routed([route('acquirer-b', reason)]))).toBeUndefined();
    },
  );

  test('needs a payment with routes, and the transaction of its work', () => {
    const payment = routed([route('acquirer-b', 'next')]);
    expect(next({ ...payment, routing: undefined } as never)).toBeUndefined();
    expect(next({ ...payment, work: undefined })).toBeUndefined();
    expect(planNextRoute(payment, 'txn_unknown', notReached, context())).toBeUndefined();
    expect(next({ ...payment, work: { ...payment.work, txId: 'txn_other' } as Payment['work'] })).toBeUndefined();
  });

  test.each([
    ['created', true],
    ['pending', true],
    ['approved', false],
    ['denied', false],
    ['authorized', false],
  ] as const)('whether it follows a payment that is %s: %s', (status, follows) => {
    expect(next(routed([route('acquirer-b', 'next')], { status })) !== undefined).toBe(follows);
  });

  test('follows only an authorization, no other operation', () => {
    const routing = { candidates: [first, route('acquirer-b', 'next')] };
    const refunding = operated({ ...approvedPayment(), routing }, 'refund');
    expect(next(refunding)).toBeUndefined();
    expect(next({ ...refunding, status: 'pending' })).toBeUndefined();
  });

  test('follows only while the payment may still be authorized', () => {
    const payment = routed([route('acquirer-b', 'next')]);
    expect(next(payment, notReached, context([], payment.authorizeBy))).toBeDefined();
    expect(next(payment, notReached, context([], later(1, payment.authorizeBy)))).toBeUndefined();
  });

  test(`is tried until there were ${limits.routeAttemptsMax} attempts`, () => {
    let payment: Payment | undefined = routed(
      Array.from({ length: limits.routeAttemptsMax }, (_, n) => route(`acquirer-${n}`, 'next')),
    );
    for (let attempts = 1; attempts < limits.routeAttemptsMax; attempts += 1) {
      payment = payment && next(payment);
      expect(payment).toBeDefined();
    }
    expect(payment && next(payment)).toBeUndefined();
  });

  test('keeps the CVC if the issuer cannot have seen it, and has no CVC if the issuer may have', () => {
    const payment = routed([route('acquirer-b', 'next')]);
    expect(next(payment)).toMatchObject({ cvc: payment.cvc, cvcDestroyAt: payment.cvcDestroyAt });
    const after = next(payment, reversed);
    expect(reasonsOf(after)).toEqual(['reversed', 'chosen']);
    expect(after?.cvc).toBeUndefined();
    expect(after?.cvcDestroyAt).toBeUndefined();
    expect(after?.card).toEqual(payment.card);
  });

  test.each([
    ['card', true, true],
    ['token', true, true],
    ['network-token', true, false],
    ['wallet-a-pay', true, false],
    ['network-token', false, true],
  ] as const)('whether it follows a reversal of %s, with a secret: %s, is: %s', (source, secret, follows) => {
    const payment = routed([route('acquirer-b', 'next')]);
    const paymentMethod = { ...payment.paymentMethod, source } as Payment['paymentMethod'];
    const { cvc, ...without } = payment;
    expect(next({ ...(secret ? payment : without), paymentMethod } as Payment, reversed) !== undefined).toBe(follows);
  });

  test('is not tried for a saved card with a cryptogram that the issuer may have seen', () => {
    const routing = { candidates: [first, route('acquirer-b', 'next')], retrySoftDeclines: true } as const;
    const { cvc, ...payment } = createdPayment({ routing, instrument: 'token' });
    const saved = { ...payment, paymentMethod: { ...payment.paymentMethod, source: 'token' } } as Payment;
    const follows = (of: Payment) => [notReached, reversed, softDecline].map((left) => next(of, left) !== undefined);
    expect(follows(saved)).toEqual([true, true, true]);
    expect(follows({ ...saved, savedCryptogram: true })).toEqual([true, false, false]);
  });

  test('follows a decline only if it advises to retry and the merchant wants it', () => {
    const wanted = (more: object = { retrySoftDeclines: true }) => {
      const payment = routed([route('acquirer-b', 'next')]);
      return { ...payment, routing: { candidates: payment.routing?.candidates ?? [], ...more } } as Payment;
    };
    expect(reasonsOf(next(wanted(), softDecline))).toEqual(['declined', 'chosen']);
    expect(next(wanted({}), softDecline)).toBeUndefined();
    expect(next(wanted(), { reason: 'declined', outcome: declined })).toBeUndefined();
    const hard = { ...declined, advice: 'do-not-retry' } as Left['outcome'];
    expect(next(wanted(), { reason: 'declined', outcome: hard })).toBeUndefined();
    const failedSoftly = { ...failed, advice: 'retry-later' } as Left['outcome'];
    expect(next(wanted(), { reason: 'declined', outcome: failedSoftly })).toBeUndefined();
  });
});

describe('around an open breaker', () => {
  const around = (payment: Payment, open: readonly string[] = ['acquirer-a']) =>
    planAroundBreaker(payment, payment.work as NonNullable<Payment['work']>, context(open));
  const startedAt = later(500);

  test('the same attempt goes to the next route and does not count as sent', () => {
    const payment = routed([route('acquirer-b', 'next', { terminalNumber: 'term-b' })]);
    const attempt = { token: 'token', startedAt };
    const work = { ...payment.work, leaseToken: 'token', leaseUntil: later(5_000), attempt } as NonNullable<
      Payment['work']
    >;
    const after = around({ ...payment, work });
    expect(after).toMatchObject({ acquirer: 'acquirer-b', terminalNumber: 'term-b', updatedAt: later(1_000) });
    expect(reasonsOf(after)).toEqual(['breaker-open', 'chosen']);
    expect(after?.transactions).toEqual(payment.transactions);
    expect(after?.work).toEqual({
      ...{ queue: 'processor', kind: 'authorize', txId: firstTx(payment).id, dueAt: later(1_000) },
      ...{ gen: work.gen + 1, leaseUntil: new Date(0), tries: 0 },
    });
  });

  test('without another route the route with the open breaker is tried', () => {
    const b = route('acquirer-b', 'next');
    expect(around(routed([b]), ['acquirer-a', 'acquirer-b'])).toBeUndefined();
    expect(around(routed([route('acquirer-b', 'breaker-open')]))).toBeUndefined();
    expect(around(routed([]))).toBeUndefined();
    expect(around(createdPayment())).toBeUndefined();
  });

  test('a route that was tried already is not left', () => {
    const payment = routed([route('acquirer-b', 'share')]);
    expect(around(payment)?.acquirer).toBe('acquirer-b');
    expect(around({ ...payment, work: { ...payment.work, tries: 1 } as Payment['work'] })).toBeUndefined();
  });
});
