import { limits } from '../../../config/limits.js';
import { submittedIfCreated } from '../../../shared/domain/payment/apply-moves.js';
import type { Payment, Work } from '../../../shared/domain/payment/payment.js';
import type { CallerOperation } from '../../../shared/domain/payment/plan-operation.js';
import {
  lateApprovalReversed,
  planLateApproval,
  planUnconfirmedReversal,
  withReversalApproved,
} from '../../../shared/domain/payment/plan-reversal.js';
import {
  planInquiry,
  planNoAnswer,
  planNotFound,
  planPending,
  planResend,
} from '../../../shared/domain/payment/plan-unresolved.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  failed,
  firstTx,
  lastTx,
  later,
  moment,
  operated,
  schedule,
  settleContext,
  start,
  stateProblems,
  unresolvedContext,
} from './a-payment.js';

const attempt = { token: 'token-1', startedAt: start };
const claimed = (payment: Payment): Payment => ({
  ...payment,
  work: { ...(payment.work as Work), leaseToken: 'token-1', leaseUntil: later(6_000), attempt },
});
const workOf = (payment: Payment) => payment.work as Work;
const sent = (kind: CallerOperation): Payment =>
  claimed(operated(kind === 'refund' ? approvedPayment() : authorizedPayment(), kind));
const everyOperation = () => [claimed(createdPayment()), sent('capture'), sent('cancellation'), sent('refund')];
const settlesAt = later(schedule.notFoundSettlesMs);

test('a created payment that the processor may have received becomes pending', () => {
  expect(submittedIfCreated(createdPayment(), moment()).status).toBe('pending');
  const held = authorizedPayment();
  expect(submittedIfCreated(held, moment())).toBe(held);
});

describe('an unknown outcome', () => {
  test('is inquired about after two seconds, and keeps the attempt that proves a possible send', () => {
    for (const payment of everyOperation()) {
      const next = planInquiry(payment, workOf(payment), unresolvedContext(later(500)));
      expect(next.work).toMatchObject({
        kind: 'inquire',
        dueAt: later(2_500),
        tries: 0,
        gen: 2,
        attempt,
        leaseUntil: new Date(0),
      });
      expect(next.work?.leaseToken).toBeUndefined();
      expect(stateProblems(next)).toEqual([]);
      expect(next.status).toBe(payment.status === 'created' ? 'pending' : payment.status);
    }
  });

  test('is inquired about by the schedule while there is no answer', () => {
    let payment = planInquiry(claimed(createdPayment()), workOf(claimed(createdPayment())), unresolvedContext(start));
    const dueAfterMs: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const work = workOf(payment);
      dueAfterMs.push(work.dueAt.getTime() - start.getTime());
      expect(work).toMatchObject({ kind: 'inquire', tries: n, attempt });
      payment = planNoAnswer(payment, work, unresolvedContext(work.dueAt));
    }
    const day = 24 * 3_600_000;
    expect(dueAfterMs).toEqual([...schedule.inquireAfterMs, 2 * day, 3 * day, 4 * day]);
    // There is one alert, at the end of the schedule, and the inquiries continue.
    expect(payment.alerts).toHaveLength(1);
  });

  test('waits no longer than the schedule since the attempt, even if sends by the key used up tries', () => {
    const made = claimed(createdPayment());
    const asked = { ...made, work: { ...workOf(made), kind: 'inquire' as const, tries: limits.sentByKeyMax + 1 } };
    const waitMs = (sinceMs: number, { work }: Payment = asked) => {
      const next = planNoAnswer({ ...asked, work }, work as Work, unresolvedContext(later(sinceMs)));
      expect(next.work?.tries).toBe(limits.sentByKeyMax + 2);
      return (next.work?.dueAt.getTime() ?? 0) - later(sinceMs).getTime();
    };
    const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = schedule.inquireAfterMs;
    expect([0, second, schedule.notFoundSettlesMs].map((ms) => waitMs(ms))).toEqual([
      first,
      third - second,
      third - second,
    ]);
    expect(waitMs(third)).toBe(fourth - third);
    // The wait never exceeds that of its number of tries.
    expect(waitMs(365 * 24 * 3_600_000)).toBe(sixth - fifth);
    const { attempt: _none, ...unproved } = workOf(asked);
    expect(waitMs(0, { ...asked, work: unproved })).toBe(sixth - fifth);
  });

  test('that was pending before raises one alert when there is no answer for more than a week', () => {
    const week = 7 * 24 * 3_600_000;
    const made = claimed(createdPayment());
    let payment = planInquiry(made, workOf(made), unresolvedContext(start));
    for (let n = 0; n < 2 * schedule.inquireAfterMs.length; n += 1) {
      payment = planPending(payment, workOf(payment), {}, unresolvedContext(later(n * 1_000)));
    }
    payment = planNoAnswer(payment, workOf(payment), unresolvedContext(later(week)));
    expect(payment.alerts).toBeUndefined();
    for (let n = 1; n < 4; n += 1) payment = planNoAnswer(payment, workOf(payment), unresolvedContext(later(week + n)));
    expect(payment.alerts).toMatchObject([{ text: expect.stringContaining('does not report the outcome of txn_') }]);
  });

  test('raises one alert when it has been pending for over a week', () => {
    const week = 7 * 24 * 3_600_000;
    const pendingAt = (payment: Payment, ms: number) =>
      planPending(payment, workOf(payment), {}, unresolvedContext(later(ms)));
    const still = pendingAt(claimed(createdPayment()), week);
    expect(still.alerts).toBeUndefined();
    const long = pendingAt(pendingAt(still, week + 1), week + 2);
    expect(long.alerts).toMatchObject([{ at: later(week + 1), text: expect.stringContaining('pending') }]);
  });

  test('is inquired about when the processor says that it can answer, never later than by the schedule', () => {
    const asked = planInquiry(claimed(createdPayment()), workOf(claimed(createdPayment())), unresolvedContext(start));
    const dueAt = (knowsOutcomeAt: Date) =>
      planNoAnswer(asked, workOf(asked), unresolvedContext(later(2_000)), knowsOutcomeAt).work?.dueAt;
    const scheduled = later(schedule.inquireAfterMs[1] ?? 0);
    expect(dueAt(later(30_000))).toEqual(later(30_000));
    expect(dueAt(later(3_600_000))).toEqual(scheduled);
    expect(dueAt(later(1_000))).toEqual(scheduled);
  });

  test('raises an alert at the end of the schedule, not before', () => {
    const made = claimed(createdPayment());
    const asked = (tries: number) => {
      const work = { ...workOf(made), kind: 'inquire' as const, tries: tries - 1 };
      return planNoAnswer({ ...made, work }, work, unresolvedContext(later(1)));
    };
    const all = schedule.inquireAfterMs.length;
    expect([asked(all - 1), asked(all), asked(all + 1)].map(({ alerts }) => alerts?.length)).toEqual([undefined, 1, 1]);
  });

  test('of an operation does not count as pending when another transaction of its payment is pending', () => {
    const refunding = sent('refund');
    const others = refunding.transactions.map((tx) =>
      tx.id === 'txn_op' ? tx : { ...tx, status: 'pending' as const },
    );
    const work = { ...workOf(refunding), kind: 'inquire' as const, tries: schedule.inquireAfterMs.length };
    const next = planNoAnswer({ ...refunding, transactions: others, work }, work, unresolvedContext(later(1)));
    expect(next.alerts).toHaveLength(1);
  });

  test('of a pending operation raises no alert when other transactions of its payment are done', () => {
    const refunding = sent('refund');
    const transactions = refunding.transactions.map((tx) =>
      tx.id === 'txn_op' ? { ...tx, status: 'pending' as const } : tx,
    );
    const work = { ...workOf(refunding), kind: 'inquire' as const, tries: schedule.inquireAfterMs.length };
    const next = planNoAnswer({ ...refunding, transactions, work }, work, unresolvedContext(later(1)));
    expect(next.alerts).toBeUndefined();
  });

  test('without references from the processor does not change the transactions', () => {
    const payment = claimed(createdPayment());
    expect(planInquiry(payment, workOf(payment), unresolvedContext(start), {}).transactions).toBe(payment.transactions);
    const named = planInquiry(payment, workOf(payment), unresolvedContext(start), { retrievalReference: 'RRN-1' });
    expect(named.transactions).toEqual([{ ...firstTx(payment), retrievalReference: 'RRN-1' }]);
  });

  test('that is pending at the processor keeps its ticket and is inquired about', () => {
    const payment = claimed(createdPayment());
    const next = planPending(payment, workOf(payment), { ticket: 'T-9' }, unresolvedContext(later(100)));
    expect(firstTx(next)).toMatchObject({ status: 'pending', ticket: 'T-9' });
    expect(next.work).toMatchObject({ kind: 'inquire', dueAt: later(2_100), tries: 0 });
    const asked = planPending(next, workOf(next), {}, unresolvedContext(later(2_100)));
    expect(asked.work).toMatchObject({ kind: 'inquire', dueAt: later(60_100), tries: 1 });
    expect(firstTx(asked).ticket).toBe('T-9');
    expect(stateProblems(asked)).toEqual([]);
  });

  test('that is pending at the processor does not delay a later outcome: its caller was answered', () => {
    for (const payment of everyOperation()) {
      const { txId } = workOf(payment);
      const waited: Payment = { ...payment, awaitedUntil: later(16_000) };
      const outcomeAt = (from: Payment) => settle(from, txId, failed, settleContext(later(2_000)));
      expect(outcomeAt(waited).events.at(-1)?.notBefore).toEqual(later(16_000));
      const next = planPending(waited, workOf(waited), {}, unresolvedContext(later(100)));
      expect(outcomeAt(next).events.at(-1)?.notBefore).toEqual(later(2_000));
    }
  });
});

describe('an operation that was certainly not sent', () => {
  test('is sent again every second up to a limit, and loses its attempt', () => {
    for (const payment of everyOperation()) {
      const { kind } = workOf(payment);
      let again = payment;
      for (let tries = 1; tries < limits.notSentTriesMax; tries += 1) {
        const now = later((tries - 1) * 1_000);
        again = planResend(again, workOf(again), unresolvedContext(now)) as Payment;
        expect(again.work).toMatchObject({ kind, tries, dueAt: later(tries * 1_000), gen: tries + 1 });
        expect(again.work?.attempt).toBeUndefined();
      }
      expect(planResend(again, workOf(again), unresolvedContext(later(60_000)))).toBeUndefined();
      expect(stateProblems(again)).toEqual([]);
    }
  });
});

describe('not found', () => {
  test('counts only after the window in which the attempt could still arrive', () => {
    for (const payment of everyOperation()) {
      for (const context of [{}, { dedupes: true }, { tombstones: true }]) {
        if (context.dedupes && payment.status === 'created') continue;
        const plan = planNotFound(payment, workOf(payment), unresolvedContext(later(-1, settlesAt), context));
        expect(plan).toMatchObject({ work: { kind: 'inquire', dueAt: settlesAt, attempt } });
      }
    }
    const early = planNotFound(sent('refund'), workOf(sent('refund')), unresolvedContext(start));
    expect(early).toMatchObject({ work: { dueAt: later(58_000), tries: 1 } });
  });

  test('an authorization is reversed after the window, with its own transaction', () => {
    const payment = claimed(createdPayment());
    const plan = planNotFound(payment, workOf(payment), unresolvedContext(settlesAt));
    if (plan === 'failed') throw new Error(plan);
    expect(plan.work).toMatchObject({ kind: 'reverse', txId: firstTx(payment).id, tries: 0, dueAt: settlesAt });
    expect(lastTx(plan)).toMatchObject({
      id: `${firstTx(payment).id}-reverse`,
      kind: 'reversal',
      amountMinor: 1050,
      status: 'created',
      reason: 'system-error',
    });
    expect(firstTx(plan).status).toBe('created');
    expect(stateProblems(plan)).toEqual([]);
  });

  test('an authorization is sent again at once by its key if the processor dedupes, while it may be authorized', () => {
    const payment = claimed(createdPayment());
    const at = (now: Date, traits: object) => planNotFound(payment, workOf(payment), unresolvedContext(now, traits));
    expect(at(start, { dedupes: true })).toMatchObject({
      status: 'created',
      work: { kind: 'authorize', txId: firstTx(payment).id, dueAt: start, tries: 1, attempt },
    });
    const tooLate = later(1, payment.authorizeBy);
    expect(at(tooLate, { dedupes: true })).toMatchObject({ work: { kind: 'reverse' } });
    // At a processor that is asked by sending, the inquiry was a send already.
    expect(at(settlesAt, { dedupes: true, inquiresBySending: true })).toMatchObject({ work: { kind: 'reverse' } });
  });

  test('an authorization without an outcome after a second send is inquired about soon, and sends are limited', () => {
    const payment = claimed(createdPayment());
    const work = { ...workOf(payment), leaseToken: 'token-2', tries: 1 };
    const next = planInquiry({ ...payment, work }, work, unresolvedContext(start));
    expect(next.work).toMatchObject({ kind: 'inquire', tries: 1, dueAt: later(2_000), attempt });
    const spent = { ...workOf(payment), tries: limits.sentByKeyMax };
    expect(planNotFound(payment, spent, unresolvedContext(start, { dedupes: true }))).toMatchObject({
      work: { kind: 'inquire' },
    });
    expect(planNotFound(payment, spent, unresolvedContext(settlesAt, { dedupes: true }))).toMatchObject({
      work: { kind: 'reverse' },
    });
    // Tries of sends that certainly did not happen do not count.
    const first = planInquiry(payment, { ...workOf(payment), tries: 1 }, unresolvedContext(start));
    expect(first.work).toMatchObject({ tries: 0, dueAt: later(2_000) });
  });

  test('an operation is sent again with the same key if the processor dedupes', () => {
    for (const kind of ['capture', 'cancellation', 'refund'] as const) {
      const payment = sent(kind);
      const plan = planNotFound(payment, workOf(payment), unresolvedContext(settlesAt, { dedupes: true }));
      if (plan === 'failed') throw new Error(plan);
      expect(plan.work).toMatchObject({
        kind: workOf(payment).kind,
        txId: 'txn_op',
        dueAt: settlesAt,
        tries: 0,
      });
      expect(plan.work?.attempt).toBeUndefined();
    }
  });

  test('a refund that cannot be repeated safely fails, and its reserved amount is released', () => {
    const payment = sent('refund');
    expect(planNotFound(payment, workOf(payment), unresolvedContext(settlesAt))).toBe('failed');
    expect(settle(payment, 'txn_op', failed, settleContext(settlesAt))).toMatchObject({
      status: 'approved',
      heldMinor: 0,
    });
  });

  test('a capture or cancellation that cannot be repeated keeps its hold and raises one alert', () => {
    for (const kind of ['capture', 'cancellation'] as const) {
      const payment = sent(kind);
      const plan = planNotFound(payment, workOf(payment), unresolvedContext(settlesAt));
      if (plan === 'failed') throw new Error(plan);
      expect(plan).toMatchObject({
        heldMinor: payment.heldMinor,
        activeOp: payment.activeOp,
        status: 'authorized',
      });
      expect(plan.work).toMatchObject({ kind: 'inquire', dueAt: later(24 * 3_600_000, settlesAt) });
      expect(plan.alerts).toHaveLength(1);
      const again = planNotFound(plan, workOf(plan), unresolvedContext(later(1e9)));
      expect(again).toMatchObject({ alerts: plan.alerts });
    }
  });
});

describe('a reversal', () => {
  function reversing(): Payment {
    const payment = claimed(createdPayment());
    const plan = planNotFound(payment, workOf(payment), unresolvedContext(settlesAt));
    if (plan === 'failed') throw new Error(plan);
    return plan;
  }
  const tryAgain = (
    payment: Payment,
    answer: 'nothing-found' | 'no-answer',
    tombstones: boolean,
    now: Date = settlesAt,
  ) => planUnconfirmedReversal(payment, workOf(payment), { kind: answer }, unresolvedContext(now, { tombstones }));

  test('that finds nothing ends at once only at a processor where it prevents a late arrival', () => {
    expect(tryAgain(reversing(), 'nothing-found', true)).toBe('nothing-to-reverse');
    const first = tryAgain(reversing(), 'nothing-found', false) as Payment;
    expect(first.work).toMatchObject({ kind: 'reverse', tries: 1, dueAt: later(2_000, settlesAt) });
    const second = tryAgain(first, 'nothing-found', false) as Payment;
    expect(second.work).toMatchObject({ tries: 2, dueAt: later(58_000, settlesAt) });
    const over = later(schedule.notFoundSettlesMs, settlesAt);
    const third = tryAgain(second, 'nothing-found', false, later(60_000, settlesAt)) as Payment;
    expect(third.work).toMatchObject({ tries: 3, dueAt: over });
    expect(tryAgain(third, 'nothing-found', false, new Date(over.getTime() - 1))).not.toBe('nothing-to-reverse');
    expect(tryAgain(third, 'no-answer', false, over)).not.toBe('nothing-to-reverse');
    expect(tryAgain(third, 'nothing-found', false, over)).toBe('nothing-to-reverse');
  });

  test('is tried again when the processor says that it can answer', () => {
    const knowsOutcomeAt = later(1_000, settlesAt);
    const answer = { kind: 'no-answer', knowsOutcomeAt } as const;
    const next = planUnconfirmedReversal(reversing(), workOf(reversing()), answer, unresolvedContext(settlesAt));
    expect(next).toMatchObject({ work: { kind: 'reverse', tries: 1, dueAt: knowsOutcomeAt } });
  });

  test('without an answer is retried by the schedule, then hourly, with one alert', () => {
    let payment = reversing();
    for (let n = 1; n <= 12; n += 1) {
      const next = tryAgain(payment, 'no-answer', true);
      if (next === 'nothing-to-reverse') throw new Error('over without an answer');
      expect(next.work).toMatchObject({ kind: 'reverse', tries: n });
      if (n >= schedule.inquireAfterMs.length) {
        expect(next.work?.dueAt).toEqual(later(schedule.reverseAgainMs, settlesAt));
      }
      payment = next;
    }
    expect(payment.alerts).toHaveLength(1);
    expect(payment.status).toBe('created');
  });

  test('raises an alert at the end of the schedule with the id of its transaction', () => {
    const payment = reversing();
    const txId = firstTx(payment).id;
    const triedBefore = (tries: number) =>
      tryAgain({ ...payment, work: { ...workOf(payment), tries: tries - 1 } }, 'no-answer', true) as Payment;
    const all = schedule.inquireAfterMs.length;
    expect(triedBefore(all - 1).alerts).toBeUndefined();
    const text = `the reversal of ${txId} is not confirmed; retrying`;
    expect(triedBefore(all).alerts).toMatchObject([{ at: settlesAt, text }]);
  });

  test('that is confirmed has its ticket, and its original fails', () => {
    const payment = reversing();
    const txId = firstTx(payment).id;
    const done = settle(withReversalApproved(payment, txId, settlesAt, 'T-2'), txId, failed, settleContext(settlesAt));
    expect(done).toMatchObject({
      status: 'failed',
      transactions: [{ status: 'failed' }, { status: 'approved', ticket: 'T-2' }],
    });
    expect(stateProblems(done)).toEqual([]);
  });

  test('that is confirmed changes no other transaction', () => {
    const payment = reversing();
    const txId = firstTx(payment).id;
    const [original, reversal] = payment.transactions;
    const done = withReversalApproved(payment, txId, later(9));
    expect(done.transactions).toStrictEqual([original, { ...reversal, status: 'approved', processedAt: later(9) }]);
  });
});

describe('an approval after the payer got a failure', () => {
  const failedPayment = () => {
    const payment = createdPayment();
    return settle(payment, firstTx(payment).id, failed, settleContext(later(1_000)));
  };

  test('is reversed and flagged with an alert, and the status stays', () => {
    const payment = failedPayment();
    const late = planLateApproval(payment, firstTx(payment).id, later(5_000));
    expect(late).toMatchObject({
      status: 'failed',
      eventSeq: payment.eventSeq,
      activeOp: { kind: 'authorize' },
      work: { kind: 'reverse', txId: firstTx(payment).id, dueAt: later(5_000) },
      alerts: [{ at: later(5_000) }],
      transactions: [
        { status: 'failed', flagged: expect.any(String) },
        { kind: 'reversal', status: 'created' },
      ],
    });
    const done = lateApprovalReversed(late, firstTx(payment).id, later(6_000), 'T-3');
    expect(done).toMatchObject({ status: 'failed', transactions: [{}, { status: 'approved', ticket: 'T-3' }] });
    expect([done.work, done.activeOp]).toEqual([undefined, undefined]);
  });

  test('reverses the amount of its transaction, and flags only that transaction', () => {
    const payment = failedPayment();
    const left = { ...firstTx(payment), id: 'txn_left', amountMinor: 700 };
    const both = { ...payment, transactions: [left, ...payment.transactions] };
    const reversalOf = (txId: string) => lastTx(planLateApproval(both, txId, start)).amountMinor;
    expect([reversalOf('txn_left'), reversalOf(firstTx(payment).id), reversalOf('txn_none')]).toEqual([
      700, 1050, 1050,
    ]);
    const flagged = planLateApproval(both, 'txn_left', start).transactions.map((tx) => tx.flagged !== undefined);
    expect(flagged).toEqual([true, false, false]);
  });

  test('has the same reversal when it is planned a second time', () => {
    const payment = failedPayment();
    const txId = firstTx(payment).id;
    const done = lateApprovalReversed(planLateApproval(payment, txId, later(5_000)), txId, later(6_000));
    const again = planLateApproval(done, txId, later(7_000));
    expect(again.transactions.map((tx) => tx.id)).toEqual([txId, `${txId}-reverse`]);
    expect(lastTx(again).status).toBe('created');
  });
});
