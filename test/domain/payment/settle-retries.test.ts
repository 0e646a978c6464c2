/** Outcomes of payments with other transactions, partial approvals, and failed operations of the gateway itself. */

import type { Payment, Transaction } from '../../../shared/domain/payment/payment.js';
import { planOwnOperation } from '../../../shared/domain/payment/plan-operation.js';
import { type Outcome, settle } from '../../../shared/domain/payment/settle.js';
import { newWork } from '../../../shared/domain/payment/work.js';
import { responseCodes } from '../../../shared/domain/response-codes.js';
import {
  approved,
  approvedPayment,
  authorizedPayment,
  createdPayment,
  declined,
  failed,
  firstTx,
  lastTx,
  later,
  moneyProblems,
  operated,
  schedule,
  settleContext,
  stateProblems,
} from './a-payment.js';

const at = later(2_000);
const capture = { kind: 'capture', reason: 'delayed-capture' } as const;
const expiry = { kind: 'cancel', reason: 'authorization-expired', endsAs: 'expired' } as const;
/** Builds a payment with an operation of the gateway itself, after earlier operations that ended as given. */
function own(operation: typeof capture | typeof expiry, before: readonly Partial<Transaction>[] = []): Payment {
  const held = authorizedPayment();
  const kind = operation.kind === 'capture' ? 'capture' : 'cancellation';
  const ended = before.map(
    (more, index): Transaction => ({
      ...{ ...firstTx(held), id: `txn_${index}`, kind, reason: operation.reason, status: 'failed' },
      ...more,
    }),
  );
  const payment = { ...held, expiresAt: undefined, transactions: [...held.transactions, ...ended] };
  return planOwnOperation(payment, operation, { now: at, txId: 'txn_own' });
}
const settleOwn = (payment: Payment, outcome: Outcome) => settle(payment, 'txn_own', outcome, settleContext(at));
const times = (count: number, more: Partial<Transaction> = {}) => Array.from({ length: count }, () => more);

describe('an operation that the gateway retries', () => {
  const rows: readonly [string, readonly Partial<Transaction>[], number][] = [
    ['the first time', [], 1],
    ['after one that failed', times(1), 2],
    ['after one that was refused', times(1, { status: 'denied' }), 2],
    ['after two', [{ status: 'denied' }, {}], 4],
    ['after nine', times(9), 512],
    ['after twelve', times(12), 512],
    ['after others of a caller', times(2, { reason: 'mine' }), 1],
    ['after other operations', times(2, { kind: 'refund' }), 1],
    ['after some that did not fail', [{ status: 'approved' }, { status: 'pending' }, { status: 'expired' }], 1],
  ];

  test.each(rows)('waits twice as long for each try: %s', (_name, before, waits) => {
    const due = later(waits * schedule.ownRetryMs, at);
    expect(settleOwn(own(capture, before), failed).deadline).toEqual({ kind: 'capture', at: due });
    expect(settleOwn(own(capture, before), declined).deadline).toEqual({ kind: 'capture', at: due });
    expect(settleOwn(own(expiry, before), failed).deadline).toEqual({ kind: 'expire', at: due });
  });

  test('is given up, if a delayed capture, when the next try would not be before the end of the hold', () => {
    const end = later(schedule.ownRetryMs, at);
    const before = settleOwn({ ...own(capture), expiresAt: later(1, end) }, declined);
    expect([before.deadline, lastTx(before).status]).toEqual([{ kind: 'capture', at: end }, 'denied']);
    expect([lastTx(before).flagged, before.alerts]).toEqual([undefined, undefined]);
    const given = settleOwn({ ...own(capture), expiresAt: end }, declined);
    expect(lastTx(given)).toMatchObject({ status: 'failed', flagged: 'the delayed capture was given up' });
    expect(given.alerts).toMatchObject([{ at, text: expect.stringMatching(/txn_own .*51 Insufficient funds/) }]);
    expect([given.status, given.capturedMinor, given.heldMinor]).toEqual(['authorized', 0, 0]);
  });
});

describe('a hold that is not released', () => {
  const failedBefore = (count: number, outcome: Outcome = failed) => settleOwn(own(expiry, times(count)), outcome);

  test('raises one alert when its retries have become rare', () => {
    expect(failedBefore(8).alerts).toBeUndefined();
    const text = 'the hold is not released (91 Acquirer offline); retrying';
    const offline = { ...failed, resultCode: '91', resultMessage: 'Acquirer offline' } as const;
    const rare = failedBefore(9, offline);
    expect(rare).toMatchObject({ status: 'authorized', alerts: [{ at, text }], deadline: { kind: 'expire' } });
    const again = planOwnOperation(rare, expiry, { now: at, txId: 'txn_again' });
    expect(settle(again, 'txn_again', offline, settleContext(at)).alerts).toEqual(rare.alerts);
  });

  test('raises no alert when it is released after all', () => {
    expect(failedBefore(12, approved)).toMatchObject({ status: 'expired' });
    expect(failedBefore(12, approved).alerts).toBeUndefined();
  });
});

describe('an outcome', () => {
  const operations = ['capture', 'cancellation', 'refund'] as const;
  test.each(operations)('of a %s changes no other transaction', (kind) => {
    for (const outcome of [approved, declined, failed]) {
      const payment = kind === 'refund' ? approvedPayment() : authorizedPayment();
      const reserved = operated(payment, kind, { amountMinor: kind === 'cancellation' ? undefined : 400, now: at });
      const settled = settle(reserved, 'txn_op', outcome, settleContext(at));
      expect(settled.transactions.slice(0, -1)).toEqual(payment.transactions);
      expect(settled.processedAt).toEqual(outcome === approved ? at : payment.processedAt);
    }
  });

  test('of a partial approval counts with the approved amount', () => {
    const part = { ...approved, approvedMinor: 700 } as Outcome;
    for (const kind of ['purchase', 'authorization'] as const) {
      const payment = createdPayment({}, kind);
      const settled = settle(payment, firstTx(payment).id, part, settleContext(at));
      const capturedMinor = kind === 'purchase' ? 700 : 0;
      expect(settled).toMatchObject({ authorizedMinor: 700, capturedMinor, processedAt: at });
      expect([firstTx(settled).amountMinor, firstTx(settled).approvedMinor]).toEqual([1050, 700]);
      expect([moneyProblems(settled), stateProblems(settled)]).toEqual([[], []]);
    }
  });

  test('without authorization code or decline code has none stored', () => {
    const bare = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' } as const;
    const settled = (outcome: Outcome) => {
      const payment = createdPayment();
      return firstTx(settle(payment, firstTx(payment).id, outcome, settleContext(at)));
    };
    expect(settled(bare)).not.toHaveProperty('authorization');
    expect(settled(failed)).not.toHaveProperty('declineCode');
  });

  test('saves the card only of an approval, if the payment requests that', () => {
    const tokenization = { token: 'tok', type: 'persistent' } as const;
    const tokenizeAt = (outcome: Outcome, more: Partial<Payment>) => {
      const payment = createdPayment(more);
      return settle(payment, firstTx(payment).id, outcome, settleContext(at)).tokenizeAt;
    };
    expect(tokenizeAt(approved, { tokenization })).toEqual(at);
    expect([tokenizeAt(declined, { tokenization }), tokenizeAt(failed, { tokenization })]).toEqual([
      undefined,
      undefined,
    ]);
    expect(tokenizeAt(approved, {})).toBeUndefined();
  });

  test('keeps sealed card data longer if a refund needs it', () => {
    const traits = { dedupes: false, tombstones: false, refundNeedsPan: true };
    const payment = createdPayment();
    const settled = settle(payment, firstTx(payment).id, approved, settleContext(at, { traits }));
    expect(settled.cardDestroyAt).toEqual(later(schedule.cardDestroyWithRefundsMs, at));
    expect(schedule.cardDestroyWithRefundsMs).toBeGreaterThan(schedule.cardDestroyMs);
  });

  test('of a hold that ends with the capture delay lets the hold expire', () => {
    const payment = createdPayment({ captureMethod: 'automatic', captureDelaySeconds: 60 }, 'authorization');
    const hold = (holdMs: number) =>
      settle(payment, firstTx(payment).id, { ...approved, holdMs } as Outcome, settleContext(at)).deadline;
    expect(hold(60_000)).toEqual({ kind: 'expire', at: later(60_000, at) });
    expect(hold(60_001)).toEqual({ kind: 'capture', at: later(60_000, at) });
  });
});

describe('the cancellation of a bank transfer', () => {
  const paymentMethod = { id: 'qr', name: 'QR', type: 'bank-transfer', source: 'bank-transfer' } as const;
  const code = { value: '0002', url: 'https://bank.example/1', base64Image: 'AAAA' };
  function cancelling(status: 'pending' | 'approved'): Payment {
    const capturedMinor = status === 'approved' ? 1050 : 0;
    const payment = createdPayment({ paymentMethod, code, status, capturedMinor, authorizedMinor: capturedMinor });
    const surplus: Transaction = { ...firstTx(payment), id: 'txn_surplus', status: 'approved', reason: 'paid-twice' };
    const cancellation: Transaction = { ...firstTx(payment), id: 'txn_c', kind: 'cancellation' };
    return {
      ...payment,
      transactions: [{ ...firstTx(payment), status }, surplus, cancellation],
      activeOp: { txId: 'txn_c', kind: 'cancel' },
      work: newWork('cancel', 'txn_c', at),
    };
  }
  const settled = (payment: Payment, outcome: Outcome) => settle(payment, 'txn_c', outcome, settleContext(at));

  test('ends an open payment: its purchase fails, nothing is refunded, and the picture is removed', () => {
    const payment = cancelling('pending');
    const over = settled(payment, approved);
    expect(over).toMatchObject({ status: 'cancelled', refundedMinor: 0, work: undefined, processedAt: at });
    const answer = { resultCode: responseCodes.cancelled, resultMessage: 'Cancelled' };
    expect(over.transactions.slice(0, 2)).toEqual([
      { ...firstTx(payment), status: 'failed', processedAt: at, ...answer },
      payment.transactions[1],
    ]);
    expect(over.code).toEqual({ value: '0002', url: 'https://bank.example/1' });
  });

  test('returns the full amount of a paid payment, whose purchase stays approved', () => {
    const payment = cancelling('approved');
    const back = settled(payment, approved);
    expect(back).toMatchObject({ status: 'cancelled', capturedMinor: 1050, refundedMinor: 1050, processedAt: at });
    expect(back.transactions.slice(0, 2)).toEqual(payment.transactions.slice(0, 2));
  });

  test.each([declined, failed])('that does not succeed leaves the payment waiting or paid', (outcome) => {
    const open = settled(cancelling('pending'), outcome);
    expect(open.work).toMatchObject({ kind: 'await-transfer', dueAt: at, txId: firstTx(open).id });
    const codeless = settled({ ...cancelling('pending'), code: undefined }, outcome);
    expect(codeless.work).toMatchObject({ queue: 'qr', kind: 'issue-code', dueAt: at, txId: firstTx(codeless).id });
    const paid = settled(cancelling('approved'), outcome);
    expect([paid.status, paid.work, paid.refundedMinor]).toEqual(['approved', undefined, 0]);
  });
});
