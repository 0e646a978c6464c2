import { alerted } from '../../../shared/domain/payment/alerted.js';
import type { Payment, Work } from '../../../shared/domain/payment/payment.js';
import type { ProcessorContext } from '../../../shared/domain/payment/plan-context.js';
import { planDeadline } from '../../../shared/domain/payment/plan-deadline.js';
import type { CallerOperation } from '../../../shared/domain/payment/plan-operation.js';
import { type Outcome, settle } from '../../../shared/domain/payment/settle.js';
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
  operated,
  schedule,
  settleContext,
  stateProblems,
} from './a-payment.js';

const callbackUrl = 'https://shop.example/hook';
const at = later(2_000);
const context = (more: Partial<ProcessorContext> = {}) => settleContext(at, more);
const settleFirst = (payment: Payment, outcome: Outcome, more: Partial<ProcessorContext> = {}) =>
  settle(payment, firstTx(payment).id, outcome, context(more));
const settleLast = (payment: Payment, outcome: Outcome, more: Partial<ProcessorContext> = {}) =>
  settle(payment, lastTx(payment).id, outcome, context(more));

const operate = (payment: Payment, kind: CallerOperation, amountMinor?: number) =>
  operated(payment, kind, { amountMinor, now: at });
const expiring = () => {
  const held = authorizedPayment({ callbackUrl });
  const due = held.deadline?.at as Date;
  return planDeadline(held, { now: due, txId: 'txn_void' }) as Payment;
};
const verification = () => createdPayment({ purpose: 'verification', callbackUrl }, 'authorization');
const released = () => settleFirst(verification(), approved, { newTxId: () => 'txn_release' });

interface Row {
  readonly name: string;
  readonly payment: () => Payment;
  readonly outcome: Outcome;
  readonly status: string;
  readonly tx: string;
  readonly money: readonly [authorized: number, captured: number, refunded: number];
  readonly errorCode?: string;
}

const rows: readonly Row[] = [
  {
    name: 'purchase',
    payment: createdPayment,
    outcome: approved,
    status: 'approved',
    tx: 'approved',
    money: [1050, 1050, 0],
  },
  {
    name: 'purchase',
    payment: createdPayment,
    outcome: declined,
    status: 'denied',
    tx: 'denied',
    money: [0, 0, 0],
    errorCode: 'declined-by-acquirer',
  },
  {
    name: 'purchase',
    payment: createdPayment,
    outcome: failed,
    status: 'failed',
    tx: 'failed',
    money: [0, 0, 0],
    errorCode: 'acquirer-offline',
  },
  {
    name: 'authorization',
    payment: () => createdPayment({}, 'authorization'),
    outcome: approved,
    status: 'authorized',
    tx: 'approved',
    money: [1050, 0, 0],
  },
  {
    name: 'authorization',
    payment: () => createdPayment({}, 'authorization'),
    outcome: declined,
    status: 'denied',
    tx: 'denied',
    money: [0, 0, 0],
    errorCode: 'declined-by-acquirer',
  },
  {
    name: 'authorization',
    payment: () => createdPayment({}, 'authorization'),
    outcome: failed,
    status: 'failed',
    tx: 'failed',
    money: [0, 0, 0],
    errorCode: 'acquirer-offline',
  },
  {
    name: 'pending purchase',
    payment: () => createdPayment({ status: 'pending', eventSeq: 1 }),
    outcome: approved,
    status: 'approved',
    tx: 'approved',
    money: [1050, 1050, 0],
  },
  {
    name: 'full capture',
    payment: () => operate(authorizedPayment(), 'capture'),
    outcome: approved,
    status: 'approved',
    tx: 'approved',
    money: [1050, 1050, 0],
  },
  {
    name: 'partial capture',
    payment: () => operate(authorizedPayment(), 'capture', 400),
    outcome: approved,
    status: 'approved',
    tx: 'approved',
    money: [1050, 400, 0],
  },
  {
    name: 'capture',
    payment: () => operate(authorizedPayment(), 'capture'),
    outcome: declined,
    status: 'authorized',
    tx: 'denied',
    money: [1050, 0, 0],
    errorCode: 'declined-by-acquirer',
  },
  {
    name: 'capture',
    payment: () => operate(authorizedPayment(), 'capture'),
    outcome: failed,
    status: 'authorized',
    tx: 'failed',
    money: [1050, 0, 0],
    errorCode: 'acquirer-offline',
  },
  {
    name: 'cancellation',
    payment: () => operate(authorizedPayment(), 'cancellation'),
    outcome: approved,
    status: 'cancelled',
    tx: 'approved',
    money: [1050, 0, 0],
  },
  {
    name: 'cancellation',
    payment: () => operate(authorizedPayment(), 'cancellation'),
    outcome: declined,
    status: 'authorized',
    tx: 'denied',
    money: [1050, 0, 0],
    errorCode: 'declined-by-acquirer',
  },
  {
    name: 'cancellation',
    payment: () => operate(authorizedPayment(), 'cancellation'),
    outcome: failed,
    status: 'authorized',
    tx: 'failed',
    money: [1050, 0, 0],
    errorCode: 'acquirer-offline',
  },
  { name: 'expiry', payment: expiring, outcome: approved, status: 'expired', tx: 'approved', money: [1050, 0, 0] },
  {
    name: 'expiry',
    payment: expiring,
    outcome: declined,
    status: 'expired',
    tx: 'denied',
    money: [1050, 0, 0],
    errorCode: 'declined-by-acquirer',
  },
  {
    name: 'expiry',
    payment: expiring,
    outcome: failed,
    status: 'authorized',
    tx: 'failed',
    money: [1050, 0, 0],
    errorCode: 'acquirer-offline',
  },
  {
    name: 'verification',
    payment: verification,
    outcome: declined,
    status: 'denied',
    tx: 'denied',
    money: [0, 0, 0],
    errorCode: 'funds-verification-failed',
  },
  {
    name: 'verification',
    payment: verification,
    outcome: failed,
    status: 'failed',
    tx: 'failed',
    money: [0, 0, 0],
    errorCode: 'acquirer-offline',
  },
  {
    name: 'verification that the issuer wants authenticated',
    payment: verification,
    outcome: { ...declined, error: 'authentication-required' } as Outcome,
    status: 'denied',
    tx: 'denied',
    money: [0, 0, 0],
    errorCode: 'authentication-required',
  },
  {
    name: 'release of a verification',
    payment: released,
    outcome: approved,
    status: 'cancelled',
    tx: 'approved',
    money: [1050, 0, 0],
  },
  {
    name: 'release of a verification',
    payment: released,
    outcome: declined,
    status: 'cancelled',
    tx: 'denied',
    money: [1050, 0, 0],
    errorCode: 'declined-by-acquirer',
  },
  {
    name: 'release of a verification',
    payment: released,
    outcome: failed,
    status: 'authorized',
    tx: 'failed',
    money: [1050, 0, 0],
    errorCode: 'acquirer-offline',
  },
  {
    name: 'full refund',
    payment: () => operate(approvedPayment(), 'refund'),
    outcome: approved,
    status: 'refunded',
    tx: 'approved',
    money: [1050, 1050, 1050],
  },
  {
    name: 'full refund of a partial capture',
    payment: () => operate({ ...approvedPayment(), capturedMinor: 400 }, 'refund'),
    outcome: approved,
    status: 'refunded',
    tx: 'approved',
    money: [1050, 400, 400],
  },
  {
    name: 'partial refund',
    payment: () => operate(approvedPayment(), 'refund', 1),
    outcome: approved,
    status: 'partially-refunded',
    tx: 'approved',
    money: [1050, 1050, 1],
  },
  {
    name: 'refund',
    payment: () => operate(approvedPayment(), 'refund'),
    outcome: declined,
    status: 'approved',
    tx: 'denied',
    money: [1050, 1050, 0],
    errorCode: 'declined-by-acquirer',
  },
  {
    name: 'refund',
    payment: () => operate(approvedPayment(), 'refund'),
    outcome: failed,
    status: 'approved',
    tx: 'failed',
    money: [1050, 1050, 0],
    errorCode: 'acquirer-offline',
  },
];

test.each(rows.map((row) => [row.name, row.outcome.kind, row] as const))(
  'settling a payment after %s with the outcome %s',
  (_name, _kind, row) => {
    const payment = row.payment();
    const before = structuredClone(payment);
    const settled = settleLast(payment, row.outcome);
    expect(payment).toEqual(before);
    const { authorizedMinor, capturedMinor, refundedMinor } = settled;
    expect([settled.status, lastTx(settled).status]).toEqual([row.status, row.tx]);
    expect([authorizedMinor, capturedMinor, refundedMinor]).toEqual(row.money);
    expect(lastTx(settled)).toMatchObject({ resultCode: row.outcome.resultCode, processedAt: at });
    expect(lastTx(settled).errorCode).toBe(row.errorCode);
    // No reservation, work or CVC of the operation remains, and exactly one event is visible.
    expect(settled).toMatchObject({ heldMinor: 0 });
    expect([settled.activeOp, settled.work, settled.cvc, settled.cvcDestroyAt]).toEqual(Array(4).fill(undefined));
    expect(settled.eventSeq).toBeGreaterThan(payment.eventSeq);
    expect(settled.events.filter((event) => event.seq > payment.eventSeq && !event.passed)).toHaveLength(1);
    expect(stateProblems(settled)).toEqual([]);
  },
);

test('the answer of the processor is stored in the transaction, and a decline has no authorization code', () => {
  expect(firstTx(settleFirst(createdPayment(), approved))).toMatchObject({ authorization: 'A1B2C3', ticket: 'T-1' });
  const denied = firstTx(settleFirst(createdPayment(), declined));
  expect(denied).toMatchObject({ declineCode: 'insufficient_funds', resultMessage: 'Insufficient funds' });
  expect(denied.authorization).toBeUndefined();
  const soft = settleFirst(createdPayment(), { ...declined, error: 'authentication-required' } as Outcome);
  expect(firstTx(soft).errorCode).toBe('authentication-required');
});

test('a created payment passes through pending in the same write, and that event is not announced', () => {
  const settled = settleFirst(createdPayment({ callbackUrl }), approved);
  expect(settled.events).toMatchObject([
    { seq: 1, status: 'pending', passed: true },
    { seq: 2, status: 'approved', body: 'body of approved' },
  ]);
  const seen = settleFirst(createdPayment({ callbackUrl, status: 'pending', eventSeq: 1 }), approved);
  expect(seen.events).toMatchObject([{ seq: 2, status: 'approved' }]);
});

describe('a hold', () => {
  const hold = (outcome: Outcome, more: Partial<Payment> = {}) =>
    settleFirst(createdPayment(more, 'authorization'), outcome);

  test('lasts seven days, or the time of the processor if that is shorter', () => {
    expect(hold(approved).expiresAt).toEqual(later(schedule.authorizationExpiryMs, at));
    expect(hold({ ...approved, holdMs: 60_000 } as Outcome)).toMatchObject({
      expiresAt: later(60_000, at),
      deadline: { kind: 'expire', at: later(60_000, at) },
    });
    for (const holdMs of [1e12, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER * 1_000]) {
      expect(hold({ ...approved, holdMs } as Outcome).expiresAt).toEqual(later(schedule.authorizationExpiryMs, at));
    }
  });

  test('that the gateway learns of late is counted from its send, and so ends at the same time as at the processor', () => {
    const sent = { token: 't', startedAt: later(-50_000, at) };
    const found = createdPayment({}, 'authorization');
    const { work } = found;
    const inquired = { ...found, work: { ...(work as Work), kind: 'inquire', attempt: sent } } as Payment;
    expect(settleFirst(inquired, { ...approved, holdMs: 60_000 } as Outcome)).toMatchObject({
      expiresAt: later(10_000, at),
      deadline: { kind: 'expire', at: later(10_000, at) },
    });
    expect(settleFirst(inquired, approved).expiresAt).toEqual(later(schedule.authorizationExpiryMs, at));
  });

  test('with a capture delay is captured after it, or flagged if the hold ends before', () => {
    const delayed = { captureMethod: 'automatic', captureDelaySeconds: 90 } as const;
    expect(hold(approved, delayed).deadline).toEqual({ kind: 'capture', at: later(90_000, at) });
    expect(hold(approved, delayed).alerts).toBeUndefined();
    const short = { ...approved, holdMs: 60_000 } as Outcome;
    expect(hold(short, delayed).deadline).toEqual({ kind: 'expire', at: later(60_000, at) });
    expect(hold(short, delayed).alerts).toMatchObject([{ text: expect.stringContaining('delayed capture') }]);
    expect(hold(short).alerts).toBeUndefined();
  });

  test('has no end any more after its capture', () => {
    const captured = settleLast(operate(authorizedPayment(), 'capture'), approved);
    expect([captured.deadline, captured.expiresAt]).toEqual([undefined, undefined]);
  });

  test('keeps its deadline after a refused capture or a failed cancellation', () => {
    const held = authorizedPayment();
    expect(settleLast(operate(held, 'capture'), declined).deadline).toEqual(held.deadline);
    expect(settleLast(operate(held, 'cancellation'), failed).deadline).toEqual(held.deadline);
  });

  test('that could not be released is tried again a minute later', () => {
    expect(settleLast(expiring(), failed).deadline).toEqual({ kind: 'expire', at: later(60_000, at) });
  });

  test('that the acquirer refuses to release ends anyway, with an alert', () => {
    expect(settleLast(expiring(), declined)).toMatchObject({
      status: 'expired',
      alerts: [
        { at, text: expect.stringMatching(/51 .*lapses at the issuer, unless it was captured at the acquirer$/) },
      ],
    });
    expect(settleLast(released(), declined)).toMatchObject({ status: 'cancelled', alerts: [{ at }] });
  });
});

test('a verification is authorized, and the same write makes its release the next work', () => {
  expect(released()).toMatchObject({
    status: 'authorized',
    activeOp: { txId: 'txn_release', kind: 'cancel' },
    work: { kind: 'cancel', txId: 'txn_release', dueAt: at },
    transactions: [{ status: 'approved' }, { kind: 'cancellation', status: 'created', reason: 'card-verification' }],
  });
  expect(stateProblems(released())).toEqual([]);
});

describe('sealed card data', () => {
  test('of a hold is kept until the capture or the end; otherwise it is due for destruction a day later', () => {
    expect(authorizedPayment().cardDestroyAt).toBeUndefined();
    for (const outcome of [approved, declined, failed]) {
      expect(settleFirst(createdPayment(), outcome).cardDestroyAt).toEqual(later(schedule.cardDestroyMs, at));
    }
    expect(settleLast(operate(authorizedPayment(), 'capture'), approved).cardDestroyAt).toBeDefined();
  });

  test('is not kept longer after a later operation', () => {
    const paid = approvedPayment();
    expect(settleLast(operate(paid, 'refund', 1), approved).cardDestroyAt).toEqual(paid.cardDestroyAt);
  });

  test('that is already destroyed has no date', () => {
    expect(settleFirst(createdPayment({ card: undefined }), approved).cardDestroyAt).toBeUndefined();
  });
});

test('an unknown transaction throws', () => {
  expect(() => settle(createdPayment(), 'txn_none', approved, context())).toThrow('has no transaction txn_none');
});

test('only the newest twenty alerts are kept', () => {
  let payment = createdPayment();
  for (let n = 0; n < 25; n += 1) payment = alerted(payment, at, `alert ${n}`);
  expect(payment.alerts?.map((alert) => alert.text)).toEqual(Array.from({ length: 20 }, (_, n) => `alert ${n + 5}`));
});
