import fc from 'fast-check';
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import {
  type CallerOperation,
  type OperationRequest,
  planOperation,
  planOwnOperation,
} from '../../../shared/domain/payment/plan-operation.js';
import { settle } from '../../../shared/domain/payment/settle.js';
import { paymentStatuses } from '../../../shared/domain/payment/statuses.js';
import {
  approved,
  approvedPayment,
  authorizedPayment,
  declined,
  failed,
  firstTx,
  later,
  moneyProblems,
  paymentIn,
  settleContext,
  start,
  stateProblems,
} from './a-payment.js';

const operations = ['capture', 'cancellation', 'refund'] as const satisfies readonly CallerOperation[];
const request = (more: Partial<OperationRequest> = {}): OperationRequest => ({
  referenceId: 'op-1',
  requestDigest: 'digest-1',
  ...more,
});
const context = (txId = 'txn_op') => ({ now: later(1_000), txId, awaitedUntil: later(17_000), bounds: limits });

const allowed: Record<CallerOperation, readonly string[]> = {
  capture: ['authorized'],
  cancellation: ['authorized'],
  refund: ['approved', 'partially-refunded'],
};
const cells = operations.flatMap((kind) => paymentStatuses.map((status) => [kind, status] as const));

test.each(cells)('whether a %s of a payment that is %s is planned', (kind, status) => {
  const payment = paymentIn(status);
  const before = structuredClone(payment);
  const plan = planOperation(payment, kind, request(), context());
  expect(payment).toEqual(before);
  if (allowed[kind].includes(status)) {
    expect(plan.kind).toBe('planned');
    if (plan.kind === 'planned') expect([plan.payment.status, moneyProblems(plan.payment)]).toEqual([status, []]);
  } else {
    expect(plan).toMatchObject({
      kind: 'wrong-state',
      message: expect.stringContaining(status === 'approved' && kind === 'cancellation' ? 'refund' : ''),
    });
  }
});

test('a plan reserves the money, the reference and the work in one write', () => {
  const payment = authorizedPayment();
  const plan = planOperation(
    payment,
    'capture',
    request({ amountMinor: 700, description: 'part', reason: 'return', metadata: [{ k: 'a', v: 'b' }] }),
    context(),
  );
  expect(plan).toMatchObject({ kind: 'planned', txId: 'txn_op' });
  const { payment: planned } = plan as Extract<typeof plan, { kind: 'planned' }>;
  expect(planned).toMatchObject({
    status: 'authorized',
    heldMinor: 700,
    capturedMinor: 0,
    activeOp: { txId: 'txn_op', kind: 'capture' },
    work: {
      queue: 'processor',
      kind: 'capture',
      txId: 'txn_op',
      dueAt: later(1_000),
      gen: 1,
      tries: 0,
      leaseUntil: new Date(0),
    },
    awaitedUntil: later(17_000),
    updatedAt: later(1_000),
    deadline: payment.deadline,
  });
  expect(planned.work?.attempt).toBeUndefined();
  expect(planned.refKeys).toEqual([...payment.refKeys, 'capture:op-1']);
  expect(planned.transactions.at(-1)).toEqual({
    id: 'txn_op',
    kind: 'capture',
    referenceId: 'op-1',
    amountMinor: 700,
    status: 'created',
    createdAt: later(1_000),
    requestDigest: 'digest-1',
    reason: 'return',
    description: 'part',
    metadata: [{ k: 'a', v: 'b' }],
  });
  expect(stateProblems(planned)).toEqual([]);
});

const amountOf = (kind: CallerOperation, payment: Payment, amountMinor?: number) => {
  const plan = planOperation(payment, kind, request({ amountMinor }), context());
  return plan.kind === 'planned' ? plan.payment.transactions.at(-1)?.amountMinor : plan.kind;
};

test('without an amount the largest possible amount is moved, and a larger amount is refused', () => {
  expect(amountOf('capture', authorizedPayment())).toBe(1050);
  expect(amountOf('capture', authorizedPayment(), 1050)).toBe(1050);
  expect(amountOf('capture', authorizedPayment(), 1051)).toBe('amount');
  expect(amountOf('cancellation', authorizedPayment())).toBe(1050);
  expect(amountOf('refund', approvedPayment())).toBe(1050);
  expect(amountOf('refund', paymentIn('partially-refunded'))).toBe(1000);
  expect(amountOf('refund', paymentIn('partially-refunded'), 1001)).toBe('amount');
  const partlyCaptured = paymentIn('approved', { capturedMinor: 300 });
  expect(amountOf('refund', partlyCaptured)).toBe(300);
  expect(amountOf('refund', partlyCaptured, 301)).toBe('amount');
  const partlyApproved = paymentIn('authorized', { authorizedMinor: 300 });
  expect(amountOf('capture', partlyApproved)).toBe(300);
  expect(amountOf('capture', partlyApproved, 301)).toBe('amount');
  expect(amountOf('cancellation', partlyApproved)).toBe(300);
});

test('a second operation of any kind is busy while one is at the processor', () => {
  const held = authorizedPayment();
  const capture = planOperation(held, 'capture', request(), context());
  if (capture.kind !== 'planned') throw new Error('not planned');
  for (const kind of operations) {
    expect(planOperation(capture.payment, kind, request({ referenceId: 'op-2' }), context())).toEqual({ kind: 'busy' });
  }
  const paid = approvedPayment();
  const refund = planOperation(paid, 'refund', request({ amountMinor: 1 }), context());
  if (refund.kind !== 'planned') throw new Error('not planned');
  expect(planOperation(refund.payment, 'refund', request({ referenceId: 'op-2' }), context())).toEqual({
    kind: 'busy',
  });
});

test('a repeated reference of the same kind of operation is a duplicate before any other check', () => {
  const captured = authorizedPayment();
  const plan = planOperation(captured, 'capture', request(), context());
  if (plan.kind !== 'planned') throw new Error('not planned');
  const again = planOperation(plan.payment, 'capture', request({ amountMinor: 99_999 }), context('txn_2'));
  expect(again).toMatchObject({ kind: 'duplicate', existing: { id: 'txn_op', requestDigest: 'digest-1' } });
  const done = settle(plan.payment, 'txn_op', approved, settleContext(later(2_000)));
  expect(planOperation(done, 'capture', request(), context())).toMatchObject({ kind: 'duplicate' });
  expect(planOperation(done, 'refund', request(), context())).toMatchObject({ kind: 'planned' });
});

test('a verification accepts no operation of a caller', () => {
  for (const kind of operations) {
    const verification = paymentIn(kind === 'refund' ? 'approved' : 'authorized', { purpose: 'verification' });
    expect(planOperation(verification, kind, request(), context()).kind).toBe('wrong-state');
  }
});

test('an operation of the gateway itself takes the full hold and uses no reference of the client', () => {
  const held = authorizedPayment();
  const capture = planOwnOperation(
    held,
    { kind: 'capture', reason: 'delayed-capture' },
    { now: start, txId: 'txn_own' },
  );
  expect(capture).toMatchObject({
    heldMinor: 1050,
    activeOp: { txId: 'txn_own', kind: 'capture' },
    refKeys: held.refKeys,
  });
  expect(capture.activeOp).not.toHaveProperty('endsAs');
  const cancel = planOwnOperation(
    held,
    { kind: 'cancel', reason: 'late', endsAs: 'expired' },
    { now: start, txId: 'txn_own' },
  );
  expect(cancel).toMatchObject({ heldMinor: 0, activeOp: { kind: 'cancel', endsAs: 'expired' } });
  expect(cancel.transactions.at(-1)).toMatchObject({
    kind: 'cancellation',
    referenceId: 'txn_own',
    reason: 'late',
    amountMinor: 1050,
  });
  expect([stateProblems(capture), stateProblems(cancel)]).toEqual([[], []]);
});

test('an operation of the gateway itself on a partial approval has the approved amount', () => {
  const held = { ...authorizedPayment(), authorizedMinor: 300 };
  const capture = planOwnOperation(held, { kind: 'capture', reason: 'delayed-capture' }, context());
  expect([capture.heldMinor, capture.transactions.at(-1)?.amountMinor]).toEqual([300, 300]);
  const cancel = planOwnOperation(held, { kind: 'cancel', reason: 'late' }, context());
  expect([cancel.heldMinor, cancel.transactions.at(-1)?.amountMinor]).toEqual([0, 300]);
  expect([stateProblems(capture), stateProblems(cancel)]).toEqual([[], []]);
});

test('property: I7, I2 and I8 are true after every step of any operations and outcomes', () => {
  const step = fc.record({
    kind: fc.constantFrom(...operations),
    amountMinor: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 1_200 })),
    reference: fc.nat(6),
    outcome: fc.constantFrom(approved, declined, failed, undefined),
  });
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 14 }), (manual, steps) => {
      let payment = manual ? authorizedPayment() : approvedPayment();
      let refunded = 0;
      for (const [index, { kind, amountMinor, reference, outcome }] of steps.entries()) {
        const { now, ...rest } = context(`txn_${index}`);
        const asked = request({ amountMinor, referenceId: `op-${reference}` });
        const plan = planOperation(payment, kind, asked, { ...rest, now });
        if (plan.kind === 'planned') {
          expect(payment.refKeys).not.toContain(`${kind}:op-${reference}`);
          payment = plan.payment;
        }
        expect(stateProblems(payment)).toEqual([]);
        const txId = payment.activeOp?.txId;
        if (!txId || !outcome) continue;
        const tx = payment.transactions.find(({ id }) => id === txId);
        payment = settle(payment, txId, outcome, settleContext(now));
        if (tx?.kind === 'refund' && outcome === approved) refunded += tx.amountMinor;
        expect(stateProblems(payment)).toEqual([]);
        expect(payment.heldMinor).toBe(0);
        expect(payment.refundedMinor).toBe(refunded);
      }
    }),
    { numRuns: 500 },
  );
});

describe('limits of a payment', () => {
  const refunded = (count: number, metadata: { k: string; v: string }[] = []) => {
    let payment = approvedPayment({ amount: { totalMinor: 100_000, currency: 'USD' } });
    for (let index = 0; index < count; index += 1) {
      const asked = request({ amountMinor: 1, referenceId: `part-${index}`, metadata });
      const plan = planOperation(payment, 'refund', asked, context(`txn_${index}`));
      if (plan.kind !== 'planned') throw new Error(`refund ${index}: ${plan.kind}`);
      payment = settle(plan.payment, plan.txId, approved, settleContext());
    }
    return payment;
  };

  test('a further operation over the limit is "full"; a known reference is still "duplicate"', () => {
    const payment = refunded(limits.operationsMax);
    const further = planOperation(payment, 'refund', request({ amountMinor: 1, referenceId: 'further' }), context());
    expect(further).toMatchObject({ kind: 'full', message: expect.stringContaining(String(limits.operationsMax)) });
    const known = planOperation(payment, 'refund', request({ amountMinor: 1, referenceId: 'part-0' }), context());
    expect(known.kind).toBe('duplicate');
  });

  test('transactions of payers, banks and the gateway itself do not count', () => {
    const payment = approvedPayment();
    const surplus = Array.from({ length: limits.operationsMax + 1 }, (_, at) => ({
      ...firstTx(payment),
      id: `txn_surplus_${at}`,
      reason: 'paid-twice',
      flagged: 'paid-twice: to be refunded',
    }));
    const paid = { ...payment, transactions: [...payment.transactions, ...surplus] };
    expect(planOperation(paid, 'refund', request({ amountMinor: 1 }), context()).kind).toBe('planned');
  });

  test('the text of all operations is limited; a further operation with little or no text is accepted', () => {
    const metadata = Array.from({ length: 50 }, (_, at) => ({ k: String(at).padEnd(40, 'k'), v: 'v'.repeat(500) }));
    const payment = refunded(2, metadata);
    const more = { amountMinor: 1, referenceId: 'more' };
    expect(planOperation(payment, 'refund', request({ ...more, metadata }), context()).kind).toBe('full');
    const described = request({ ...more, description: 'd'.repeat(500) });
    expect(planOperation(payment, 'refund', described, context()).kind).toBe('planned');
    expect(planOperation(payment, 'refund', request(more), context()).kind).toBe('planned');
  });
});

describe('the limit of text of operations', () => {
  const said = (k: string, v: string, description = '') => ({ metadata: [{ k, v }], description });
  const after = (first: Partial<OperationRequest>) => {
    const plan = planOperation(approvedPayment(), 'refund', request({ ...first, amountMinor: 1 }), context());
    if (plan.kind !== 'planned') throw new Error(plan.kind);
    return settle(plan.payment, 'txn_op', approved, settleContext());
  };
  const rows = [
    [{}, said('kk', 'vvv', 'ddddd'), 'planned'],
    [{}, said('kk', 'vvv', 'dddddd'), 'full'],
    [{}, said('kkkk', 'vvvvvvv'), 'full'],
    [said('k', 'vv', 'dd'), { description: 'ddddd' }, 'planned'],
    [said('k', 'vv', 'dd'), { description: 'dddddd' }, 'full'],
    [said('kkkkkk', 'vvvvv'), { description: '' }, 'planned'],
  ] as const;
  test.each(rows)('counts every character: after %j, %j is %s', (first, second, kind) => {
    const bounds = { operationsMax: 3, operationTextMax: 10 };
    const further = request({ ...second, referenceId: 'op-2', amountMinor: 1 });
    expect(planOperation(after(first), 'refund', further, { ...context(), bounds }).kind).toBe(kind);
  });
});

describe('operations of a bank transfer', () => {
  const paymentMethod = { id: 'qr', name: 'QR', type: 'bank-transfer', source: 'bank-transfer' } as const;
  const transfer = (status: Payment['status']) => paymentIn(status, { paymentMethod });

  test.each(paymentStatuses)(
    'a payment that is %s is cancelled in full only if it is pending or approved',
    (status) => {
      const plan = planOperation(transfer(status), 'cancellation', request(), context());
      const may = status === 'pending' || status === 'approved';
      expect(plan.kind).toBe(may ? 'planned' : 'wrong-state');
      if (plan.kind === 'planned') {
        expect(plan.payment).toMatchObject({ heldMinor: 0, activeOp: { kind: 'cancel' }, work: { kind: 'cancel' } });
        expect(plan.payment.transactions.at(-1)).toMatchObject({ kind: 'cancellation', amountMinor: 1050 });
      }
      if (plan.kind === 'wrong-state') {
        expect(plan.message).toMatch(status === 'partially-refunded' ? /refund the rest/ : RegExp(`is ${status}`));
      }
    },
  );

  test.each(paymentStatuses)('a payer can cancel a payment that is %s only if it is pending', (status) => {
    const plan = planOperation(transfer(status), 'cancellation', request({ onlyWhile: 'pending' }), context());
    expect(plan.kind).toBe(status === 'pending' ? 'planned' : 'wrong-state');
  });

  test('a transfer is refunded like a card payment, never captured, and never for more than its amount', () => {
    expect(amountOf('refund', transfer('approved'), 400)).toBe(400);
    expect(amountOf('refund', transfer('partially-refunded'), 1001)).toBe('amount');
    expect(amountOf('cancellation', transfer('approved'), 1051)).toBe('amount');
    expect(amountOf('capture', transfer('approved'))).toBe('wrong-state');
    expect(amountOf('cancellation', authorizedPayment(), 1051)).toBe('amount');
  });
});
