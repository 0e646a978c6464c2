/** Unknown outcomes of payments with several transactions, and at the edges of each wait. */

import { limits } from '../../../config/limits.js';
import type { Payment, Work } from '../../../shared/domain/payment/payment.js';
import type { CallerOperation } from '../../../shared/domain/payment/plan-operation.js';
import {
  lateApprovalReversed,
  planLateApproval,
  planUnconfirmedReversal,
} from '../../../shared/domain/payment/plan-reversal.js';
import {
  planInquiry,
  planNoAnswer,
  planNotFound,
  planPending,
} from '../../../shared/domain/payment/plan-unresolved.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  failed,
  firstTx,
  lastTx,
  later,
  operated,
  schedule,
  settleContext,
  start,
  unresolvedContext,
} from './a-payment.js';

const workOf = (payment: Payment) => payment.work as Work;
/** Builds a payment with an operation that may have been sent. */
function sent(kind: CallerOperation): Payment {
  const payment = operated(kind === 'refund' ? approvedPayment() : authorizedPayment(), kind);
  return { ...payment, work: { ...workOf(payment), attempt: { token: 'token-1', startedAt: start } } };
}
const operations = ['capture', 'cancellation', 'refund'] as const;

test.each(operations)('a pending %s does not change its payment', (kind) => {
  const payment = sent(kind);
  const pending = planPending(payment, workOf(payment), { ticket: 'T-1' }, unresolvedContext(later(100)));
  expect(pending.transactions).toEqual([firstTx(payment), { ...lastTx(payment), status: 'pending', ticket: 'T-1' }]);
  expect([pending.status, pending.heldMinor, pending.eventSeq]).toEqual([
    payment.status,
    payment.heldMinor,
    payment.eventSeq,
  ]);
});

test("an inquiry of work that was never sent begins without tries and keeps the processor's references", () => {
  const payment = sent('refund');
  const { attempt: _none, ...work } = workOf(payment);
  const next = planInquiry(payment, { ...work, tries: 2 }, unresolvedContext(start), { ticket: 'T-2' });
  expect([next.work?.tries, next.work?.kind]).toEqual([0, 'inquire']);
  expect(next.transactions).toEqual([firstTx(payment), { ...lastTx(payment), ticket: 'T-2' }]);
});

test('a processor that says it can answer now is asked again by the schedule, not at once', () => {
  const payment = sent('refund');
  const next = planNoAnswer(payment, workOf(payment), unresolvedContext(start), start);
  expect(next.work?.dueAt.getTime()).toBeGreaterThan(start.getTime());
});

describe('not found, before the operation may be repeated', () => {
  const found = (payment: Payment, now: Date, traits: object, work = workOf(payment)) => {
    const plan = planNotFound(payment, work, unresolvedContext(now, traits));
    return plan === 'failed' ? plan : plan.work;
  };
  const attempt = { token: 'token-1', startedAt: start };
  const created = () => {
    const payment = createdPayment();
    return { ...payment, work: { ...workOf(payment), attempt } };
  };

  test.each([{}, { tombstones: true }, { inquiresBySending: true }, { dedupes: true, inquiresBySending: true }])(
    'an authorization is inquired about, not sent again, if the processor has the traits %j',
    (traits) => expect(found(created(), start, traits)).toMatchObject({ kind: 'inquire', tries: 1, attempt }),
  );

  test.each(operations)('a %s is never sent as an authorization', (kind) => {
    expect(found(sent(kind), start, { dedupes: true })).toMatchObject({ kind: 'inquire', txId: 'txn_op' });
  });

  test('an authorization is sent again by its key only while it may be authorized, and up to the limit of tries', () => {
    const payment = created();
    const kindAt = (ms: number, tries: number) =>
      found(payment, later(ms, payment.authorizeBy), { dedupes: true }, { ...workOf(payment), tries });
    expect(kindAt(0, 0)).toMatchObject({ kind: 'authorize' });
    expect(kindAt(1, 0)).not.toMatchObject({ kind: 'authorize' });
    expect(kindAt(0, limits.sentByKeyMax - 1)).toMatchObject({ kind: 'authorize', tries: limits.sentByKeyMax });
    expect(kindAt(0, limits.sentByKeyMax)).not.toMatchObject({ kind: 'authorize' });
  });

  test('work without an attempt waits for the full window from now', () => {
    const payment = sent('refund');
    const { attempt: _none, ...work } = workOf(payment);
    const now = later(schedule.notFoundSettlesMs * 2);
    expect(found(payment, now, {}, work)).toMatchObject({ kind: 'inquire', tries: 1 });
  });
});

describe('work in progress in a restored backup, at a processor that knows keys only from the gateway’s database', () => {
  const outcomesKeptHere = { dedupes: true, tombstones: true, outcomesKeptHere: true } as const;
  const attempt = { token: 'restored', startedAt: start };
  const longAfter = later(schedule.notFoundSettlesMs * 100);

  test.each([createdPayment(), ...operations.map((kind) => sent(kind))])(
    'is neither sent again nor given up when it is not found, but flagged for a person once',
    (payment) => {
      const work = { ...workOf(payment), attempt };
      const asked = planNotFound(payment, work, unresolvedContext(longAfter, outcomesKeptHere)) as Payment;
      expect(asked).toMatchObject({
        work: { kind: 'inquire', attempt },
        alerts: [
          { at: longAfter, text: expect.stringMatching(/^the database was restored: .* txn_\S+ may have been/) },
        ],
      });
      expect(asked.status).not.toBe('created');
      expect([asked.heldMinor, asked.activeOp]).toEqual([payment.heldMinor, payment.activeOp]);
      const again = planNotFound(
        asked,
        workOf(asked),
        unresolvedContext(later(1, longAfter), outcomesKeptHere),
      ) as Payment;
      expect(again.alerts).toEqual(asked.alerts);
      // At another processor "not found" can be trusted, and so can it here for an attempt that was sent after the restore.
      const { outcomesKeptHere: _not, ...ownBooks } = outcomesKeptHere;
      const elsewhere = planNotFound(payment, work, unresolvedContext(longAfter, ownBooks));
      const since = { ...work, attempt: { ...attempt, token: 'token-1' } };
      const sentSince = planNotFound(payment, since, unresolvedContext(longAfter, outcomesKeptHere));
      expect(JSON.stringify([elsewhere, sentSince])).not.toMatch(/was restored|"inquire"/);
    },
  );

  test('does not end its reversal when nothing is found to reverse', () => {
    const payment = createdPayment();
    const work = { ...newWork('reverse', firstTx(payment).id, start), attempt };
    const reversalOf = (own: Work, traits: object) =>
      planUnconfirmedReversal(
        { ...payment, work: own },
        own,
        { kind: 'nothing-found' },
        unresolvedContext(start, traits),
      );
    expect(reversalOf(work, outcomesKeptHere)).toMatchObject({ work: { kind: 'reverse', tries: 1 } });
    expect(reversalOf({ ...work, attempt: { ...attempt, token: 'a' } }, outcomesKeptHere)).toBe('nothing-to-reverse');
  });
});

describe('an operation that is sent many times', () => {
  const hour = 3_600_000;
  const resent = (payment: Payment, ms: number) => {
    const plan = planNotFound(payment, workOf(payment), unresolvedContext(later(ms), { dedupes: true }));
    if (plan === 'failed') throw new Error(plan);
    return plan;
  };

  test('raises one alert after more than an hour, also if there are other alerts', () => {
    // The payment is an hour older than its operation.
    const payment = sent('refund');
    const older = { ...firstTx(payment), createdAt: later(-hour) };
    const aged = { ...payment, transactions: [older, lastTx(payment)], alerts: [{ at: start, text: 'another' }] };
    expect(resent(aged, hour).alerts).toEqual(aged.alerts);
    const late = resent(aged, hour + 1);
    expect(late.alerts).toMatchObject([{ text: 'another' }, { text: expect.stringContaining('refund txn_op') }]);
    expect(resent({ ...late, work: aged.work }, hour + 2).alerts).toEqual(late.alerts);
    expect(resent(payment, hour + 1).alerts).toHaveLength(1);
  });
});

test('an operation that is not found and not safe to repeat raises an alert, also beside another alert', () => {
  const payment = { ...sent('capture'), alerts: [{ at: start, text: 'another' }] };
  const plan = planNotFound(payment, workOf(payment), unresolvedContext(later(schedule.notFoundSettlesMs)));
  expect(plan).toMatchObject({ alerts: [{ text: 'another' }, { text: expect.stringContaining('txn_op') }] });
});

describe('a payment whose first route was left', () => {
  /** Builds a payment that left its first route: the attempt that counts is the second transaction, with another amount. */
  const routed = (): Payment => {
    const payment = createdPayment({ status: 'pending' });
    const left = { ...firstTx(payment), id: 'txn_left', amountMinor: 1, approvedMinor: 2, status: 'failed' } as const;
    const work = { ...newWork('inquire', firstTx(payment).id, start), attempt: { token: 'a', startedAt: start } };
    return { ...payment, transactions: [left, firstTx(payment)], work };
  };
  const settlesAt = later(schedule.notFoundSettlesMs);

  test('reverses the amount of the attempt that counts, once', () => {
    const payment = routed();
    const plan = planNotFound(payment, workOf(payment), unresolvedContext(settlesAt));
    if (plan === 'failed') throw new Error(plan);
    expect(lastTx(plan)).toMatchObject({
      kind: 'reversal',
      amountMinor: 1050,
      referenceId: lastTx(payment).id,
    });
    const again = planNotFound(plan, workOf(plan), unresolvedContext(later(1, settlesAt)));
    expect((again as Payment).transactions).toEqual(plan.transactions);
    const unknown = planNotFound(payment, { ...workOf(payment), txId: 'txn_none' }, unresolvedContext(settlesAt));
    if (unknown === 'failed') throw new Error(unknown);
    expect(lastTx(unknown)).toMatchObject({ id: 'txn_none-reverse', amountMinor: 1050 });
  });

  test('has a window for a late arrival that begins with the reversal, not with the payment', () => {
    const payment = routed();
    const plan = planNotFound(payment, workOf(payment), unresolvedContext(settlesAt));
    if (plan === 'failed') throw new Error(plan);
    const now = later(schedule.notFoundSettlesMs - 1, settlesAt);
    const answer = { kind: 'nothing-found' } as const;
    expect(planUnconfirmedReversal(plan, workOf(plan), answer, unresolvedContext(now))).not.toBe('nothing-to-reverse');
    expect(planUnconfirmedReversal(plan, workOf(plan), answer, unresolvedContext(later(1, now)))).toBe(
      'nothing-to-reverse',
    );
  });
});

test('the reversal of a late approval changes only the transaction of the reversal', () => {
  const before = createdPayment();
  const payment = settle(before, firstTx(before).id, failed, settleContext());
  const late = planLateApproval(payment, firstTx(payment).id, later(1));
  const done = lateApprovalReversed(late, firstTx(payment).id, later(2));
  expect(done.transactions).toEqual([firstTx(late), { ...lastTx(late), status: 'approved', processedAt: later(2) }]);
  expect(lastTx(done)).not.toHaveProperty('ticket');
  expect([done.status, done.updatedAt]).toEqual(['failed', later(2)]);
});
