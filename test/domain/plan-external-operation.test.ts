/** Operations done at the processor outside of the gateway: how the payment records them, and when they have to wait. */
import { limits } from '../../config/limits.js';
import type { ExternalOperation } from '../../shared/domain/payment/external-operation.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { settle } from '../../shared/domain/payment/settle.js';
import { newWork } from '../../shared/domain/payment/work.js';
import { planExternalOperation } from '../../shared/domain/reconcile/plan-external-operation.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  declined,
  firstTx,
  later,
  operated,
  paymentIn,
  settleContext,
  stateProblems,
} from './payment/a-payment.js';

const context = { ...settleContext(later(5)), bounds: limits };
const plan = (payment: Payment, done: Partial<ExternalOperation> = {}) =>
  planExternalOperation(payment, { kind: 'capture', of: firstTx(payment).id, ...done }, context);

function planned(payment: Payment, done: Partial<ExternalOperation> = {}): { payment: Payment; texts: string[] } {
  const result = plan(payment, done);
  if (result.kind !== 'planned') throw new Error(`it is ${result.kind}`);
  expect(stateProblems(result.payment)).toEqual([]);
  return { payment: result.payment, texts: (result.payment.alerts ?? []).map(({ text }) => text) };
}

/** Plans an operation that was planned before. */
const known = (payment: Payment, done: Partial<ExternalOperation>) => plan(planned(payment, done).payment, done);

describe('an external operation is recorded once', () => {
  test.each<[Partial<ExternalOperation>, Partial<Payment>, Partial<Transaction>]>([
    [{}, { status: 'approved', capturedMinor: 1050 }, { kind: 'capture', amountMinor: 1050 }],
    [{ amountMinor: 400, currency: 'USD' }, { status: 'approved', capturedMinor: 400 }, { amountMinor: 400 }],
    [{ kind: 'cancellation', processorReference: 'c1' }, { status: 'cancelled' }, { kind: 'cancellation' }],
  ])('of a hold: %j', (done, becomes, tx) => {
    const { payment, texts } = planned(authorizedPayment(), done);
    expect(payment).toMatchObject(becomes);
    expect(payment.transactions).toMatchObject([
      {},
      { status: 'approved', resultMessage: 'Approved: done at the processor', ...tx },
    ]);
    expect(payment.events.at(-1)).toMatchObject({ status: payment.status });
    expect(texts).toEqual([expect.stringMatching(/^authorization txn_\w+ was (captured|cancelled) at the processor/)]);
    expect(known(authorizedPayment(), done.kind ? done : { amountMinor: 1050, ...done })).toEqual({ kind: 'nothing' });
  });

  test('of a sale: refunds of a part and of the rest, each by its own reference', () => {
    const part = { kind: 'refund', amountMinor: 300, processorReference: 'r1' } as const;
    const { payment } = planned(approvedPayment(), part);
    expect(payment).toMatchObject({ status: 'partially-refunded', refundedMinor: 300 });
    expect(plan(payment, part)).toEqual({ kind: 'nothing' });
    const rest = { kind: 'refund', processorReference: 'r2' } as const;
    expect(planned(payment, rest).payment).toMatchObject({ status: 'refunded', refundedMinor: 1050 });
  });

  test('even if its amount, or its reference, is that of an operation of another kind', () => {
    const whole = { kind: 'refund', amountMinor: 1050 } as const;
    expect(planned(approvedPayment(), whole).payment).toMatchObject({ status: 'refunded', refundedMinor: 1050 });
    const held = authorizedPayment();
    const named = { ...held, transactions: [{ ...firstTx(held), processorReference: 'p1' }] };
    expect(planned(named, { amountMinor: 400, processorReference: 'p1' }).payment.capturedMinor).toBe(400);
  });

  test('under the reference of a refund that was denied before', () => {
    const sold = approvedPayment();
    const done = { kind: 'refund', amountMinor: 300, processorReference: 'r1' } as const;
    const refundedBefore = (status: Transaction['status']): Payment => {
      const refund: Transaction = { ...firstTx(sold), ...done, id: 'txn_refund', status };
      return { ...sold, transactions: [...sold.transactions, refund] };
    };
    expect(planned(refundedBefore('denied'), done).payment.refundedMinor).toBe(300);
    expect(plan(refundedBefore('failed'), done)).toEqual({ kind: 'nothing' });
  });
});

describe('a hold that ran out at the processor', () => {
  const done = { kind: 'cancellation', ranOut: true } as const;

  test("ends expired, as by the gateway's own limit, without an alert", () => {
    const { payment, texts } = planned(authorizedPayment(), done);
    expect(payment).toMatchObject({ status: 'expired', heldMinor: 0 });
    expect(payment.transactions).toMatchObject([
      {},
      { kind: 'cancellation', status: 'approved', reason: 'authorization-expired', amountMinor: 1050 },
    ]);
    expect([payment.activeOp, payment.work, payment.deadline]).toEqual([undefined, undefined, undefined]);
    expect(payment.events.at(-1)).toMatchObject({ status: 'expired' });
    expect(texts).toEqual([]);
    expect(known(authorizedPayment(), done)).toEqual({ kind: 'nothing' });
  });

  test('of a verification ends cancelled, and after a capture nothing changes', () => {
    const verification = planned({ ...authorizedPayment(), purpose: 'verification' }, done);
    expect([verification.payment.status, verification.texts]).toEqual(['cancelled', []]);
    expect(plan(approvedPayment(), done)).toEqual({ kind: 'nothing' });
  });
});

describe('an external operation is only flagged, once', () => {
  test.each<[string, Payment, Partial<ExternalOperation>, RegExp]>([
    ['more than was held', authorizedPayment(), { amountMinor: 1051 }, /stays authorized: must not be more/],
    [
      'another currency',
      authorizedPayment(),
      { amountMinor: 5, currency: 'EUR' },
      /stays authorized: .* another currency/,
    ],
    [
      'a capture of another part',
      planned(authorizedPayment(), { amountMinor: 400 }).payment,
      { amountMinor: 300 },
      /stays approved/,
    ],
    ['a cancellation of a sale', approvedPayment(), { kind: 'cancellation' }, /cancelled .* stays approved/],
    [
      'more than is left',
      approvedPayment(),
      { kind: 'refund', amountMinor: 1051, processorReference: 'r' },
      /stays approved/,
    ],
  ])('%s', (_what, payment, done, text) => {
    const flagged = planned(payment, done);
    expect(flagged.texts.at(-1)).toMatch(text);
    expect(flagged.payment).toEqual({ ...payment, alerts: flagged.payment.alerts, updatedAt: context.now });
    expect(plan(flagged.payment, done)).toEqual({ kind: 'nothing' });
  });
});

test.each<[string, Payment, Partial<ExternalOperation>]>([
  ['the authorization has no outcome', createdPayment({}, 'authorization'), {}],
  ['another operation is in progress', operated(authorizedPayment(), 'capture'), {}],
  ['another route is taken back', { ...authorizedPayment(), work: newWork('reverse', 'txn_left', context.now) }, {}],
  ['a refund is heard of before its capture', authorizedPayment(), { kind: 'refund', processorReference: 'r' }],
])('an external operation waits while %s', (_what, payment, done) => {
  expect(plan(payment, done)).toEqual({ kind: 'busy' });
});

test('an operation of the gateway, of another transaction or of a payment never approved changes nothing', () => {
  const created = createdPayment();
  const refused = settle(created, firstTx(created).id, declined, context);
  expect(refused.status).toBe('denied');
  for (const [payment, done] of [
    [authorizedPayment(), { of: 'txn_other' }],
    [refused, { kind: 'cancellation' }],
    [approvedPayment(), { amountMinor: 1050 }],
    [paymentIn('cancelled'), { kind: 'cancellation' }],
    [paymentIn('expired'), { kind: 'cancellation' }],
  ] as const) {
    expect(plan(payment, done)).toEqual({ kind: 'nothing' });
  }
});
