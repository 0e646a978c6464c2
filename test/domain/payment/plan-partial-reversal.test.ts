/** An issuer that approves less than requested, and a processor that approved an operation that was reported as failed. */

import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planLateApproval, planPartialReversal } from '../../../shared/domain/payment/plan-reversal.js';
import { planApprovedAfterFailure } from '../../../shared/domain/payment/plan-unresolved.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import {
  approved,
  approvedPayment,
  createdPayment,
  failed,
  firstTx,
  lastTx,
  later,
  moneyProblems,
  settleContext,
  start,
  stateProblems,
  unresolvedContext,
} from './a-payment.js';

const now = later(3_000);

describe('a partial approval that is not wanted', () => {
  const said = { ticket: 'T-4', processorReference: 'p-4', retrievalReference: 'r-4' };
  const plan = (payment: Payment) =>
    planPartialReversal(payment, firstTx(payment).id, 700, said, unresolvedContext(now));

  test('is reversed by exactly its amount, with the references of the processor; the original stays open', () => {
    const payment = createdPayment();
    const taken = plan(payment);
    const txId = firstTx(payment).id;
    expect(taken.transactions).toEqual([
      { ...firstTx(payment), ...said, approvedMinor: 700 },
      {
        ...{ id: `${txId}-reverse`, kind: 'reversal', referenceId: txId, amountMinor: 700, status: 'created' },
        ...{ createdAt: now, reason: 'system-error' },
      },
    ]);
    expect(taken).toMatchObject({ status: 'pending', updatedAt: now });
    expect(taken.work).toMatchObject({ kind: 'reverse', txId, dueAt: now, tries: 0, gen: 2 });
    expect([taken.authorizedMinor, taken.capturedMinor, stateProblems(taken)]).toEqual([0, 0, []]);
  });

  test('has the same reversal when it is planned a second time', () => {
    const once = plan(createdPayment());
    expect(plan(once).transactions).toEqual(once.transactions);
  });

  test('keeps the attempt of its own work, and replaces work of another transaction', () => {
    const payment = createdPayment();
    const attempt = { token: 'token-1', startedAt: start };
    const own = { ...newWork('inquire', firstTx(payment).id, later(9_000)), attempt, gen: 6, tries: 3 };
    expect(plan({ ...payment, work: own }).work).toMatchObject({ kind: 'reverse', attempt, gen: 7, tries: 0 });
    const other = { ...own, txId: 'txn_other' };
    const replaced = plan({ ...payment, work: other }).work;
    expect(replaced).toMatchObject({ queue: 'processor', kind: 'reverse', txId: firstTx(payment).id, tries: 0 });
    expect(replaced?.attempt).toBeUndefined();
    expect(plan({ ...payment, work: undefined }).work).toMatchObject({ kind: 'reverse', txId: firstTx(payment).id });
  });

  test('does not change the references of other transactions', () => {
    const payment = createdPayment();
    const other = { ...firstTx(payment), id: 'txn_other' };
    expect(plan({ ...payment, transactions: [firstTx(payment), other] }).transactions[1]).toEqual(other);
  });
});

describe('an approval after a failure', () => {
  const failedRefund = (): Payment => {
    const payment = approvedPayment();
    const refund = {
      ...firstTx(payment),
      id: 'txn_refund',
      kind: 'refund',
      amountMinor: 400,
      status: 'failed',
    } as const;
    return { ...payment, transactions: [...payment.transactions, refund] };
  };

  test('of an operation is flagged once, and no money moves', () => {
    const payment = failedRefund();
    const plan = planApprovedAfterFailure(payment, 'txn_refund', now) as Payment;
    const text = 'refund txn_refund was approved after it had failed; nothing was moved by it';
    expect(plan).toEqual({
      ...payment,
      updatedAt: now,
      alerts: [{ at: now, text }],
      transactions: [firstTx(payment), { ...lastTx(payment), flagged: 'approved after it had failed' }],
    });
    expect(moneyProblems(plan)).toEqual([]);
    expect(planApprovedAfterFailure(plan, 'txn_refund', later(1, now))).toBeUndefined();
    expect(planApprovedAfterFailure(payment, 'txn_none', now)).toBeUndefined();
  });

  test('of a part of a failed payment reverses that part', () => {
    const before = createdPayment();
    const payment = settle(before, firstTx(before).id, failed, settleContext());
    const late = planLateApproval(payment, firstTx(payment).id, now, { ...approved, approvedMinor: 700 });
    expect(late.transactions).toMatchObject([
      { amountMinor: 1050, approvedMinor: 700, flagged: 'approved after the payment had failed' },
      { kind: 'reversal', amountMinor: 700, status: 'created' },
    ]);
    expect(moneyProblems(late)).toEqual([]);
  });

  test('of a failed payment reverses its full amount and does not change other transactions', () => {
    const before = createdPayment();
    const payment = settle(before, firstTx(before).id, failed, settleContext());
    const other = { ...firstTx(payment), id: 'txn_other', amountMinor: 1 };
    const late = planLateApproval({ ...payment, transactions: [other, firstTx(payment)] }, firstTx(payment).id, now);
    expect(late.transactions).toMatchObject([
      other,
      { id: firstTx(payment).id, flagged: 'approved after the payment had failed' },
      {
        ...{ id: `${firstTx(payment).id}-reverse`, referenceId: firstTx(payment).id, kind: 'reversal' },
        ...{ amountMinor: 1050, status: 'created', createdAt: now, reason: 'system-error' },
      },
    ]);
    expect(late.transactions[0]).not.toHaveProperty('flagged');
    expect(late.activeOp).toEqual({ txId: firstTx(payment).id, kind: 'authorize' });
    expect(late.alerts?.[0]?.text).toContain(firstTx(payment).id);
  });
});
