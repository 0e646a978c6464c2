/** I2: the query for orphans finds each planted orphan, and nothing among healthy payments. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planDeadline } from '../../shared/domain/payment/plan-deadline.js';
import { planLateApproval } from '../../shared/domain/payment/plan-reversal.js';
import { planInquiry } from '../../shared/domain/payment/plan-unresolved.js';
import { settle } from '../../shared/domain/payment/settle.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  declined,
  failed,
  firstTx,
  later,
  paymentIn,
  settleContext,
  start,
  unresolvedContext,
} from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('orphans');
});
afterAll(() => store?.close());

describe('I2, the query for orphans', () => {
  const work = () => createdPayment().work;
  const planted: readonly (readonly [string, () => Payment])[] = [
    ['created without work', () => createdPayment({ work: undefined })],
    ['pending without work', () => paymentIn('pending', { transactions: [] })],
    [
      'pending, without work, and without a challenge to wait for',
      () => paymentIn('pending', { transactions: [], deadline: { kind: 'expire', at: start } }),
    ],
    [
      'an operation in flight without work',
      () => ({ ...authorizedPayment(), activeOp: { txId: 'txn_x', kind: 'capture' } }),
    ],
    ['work of a hold without an operation', () => ({ ...authorizedPayment(), work: work() })],
    ['work of a payment that is final', () => paymentIn('refunded', { work: work(), transactions: [] })],
    ['authorized without a deadline', () => ({ ...authorizedPayment(), deadline: undefined })],
    ['an open transaction without work', () => paymentIn('approved')],
  ];
  beforeEach(() => store.payments.deleteMany({}));

  test.each(planted)('finds %s', async (_name, make) => {
    const bad = make();
    await store.put(bad, createdPayment(), authorizedPayment());
    expect(await store.orphanIds()).toEqual([bad._id]);
  });

  test('finds nothing in healthy states', async () => {
    const healthy = [createdPayment, authorizedPayment, approvedPayment].map((make) => make());
    for (const outcome of [declined, failed]) {
      const payment = createdPayment();
      healthy.push(settle(payment, firstTx(payment).id, outcome, settleContext()));
    }
    const lost = healthy.at(-1) as Payment;
    healthy[healthy.length - 1] = planLateApproval(lost, firstTx(lost).id, start);
    const inquired = createdPayment();
    healthy.push(planInquiry(inquired, inquired.work as never, unresolvedContext()));
    const held = authorizedPayment();
    healthy.push(planDeadline(held, { now: later(1e12), txId: 'txn_due' }) as Payment);
    const waiting = { kind: 'challenge', at: later(1e6) } as const;
    healthy.push(createdPayment({ status: 'pending', work: undefined, deadline: waiting }));
    await store.put(...healthy);
    expect(await store.orphanIds()).toEqual([]);
  });
});
