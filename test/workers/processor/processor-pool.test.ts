/** What is sent and when, and how the pool gets its work, on the real MongoDB with a scripted processor. */

import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { planLateApproval } from '../../../shared/domain/payment/plan-reversal.js';
import type { SendResult } from '../../../shared/processors/processor.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import { createProcessorUpdateRepository } from '../../../shared/store/processor-update.repository.js';
import { VaultError } from '../../../shared/vault/vault-error.js';
import { approvedPayment, createdPayment, firstTx, lastTx } from '../../domain/payment/a-payment.js';
import { faulty } from '../../store/payment-store.js';
import { nudgesTo } from '../../support/nudges-to.js';
import { until } from '../../support/patience.js';
import { approved, fakeProcessor, found, notSent } from './fake-processor.js';
import { abandoned } from './pool-under-test.js';
import { accepted, now, operations, sends, store, under, useStore } from './processor-suite.js';

useStore();

describe('nothing is sent for a payer who left', () => {
  test('past authorizeBy an authorization fails unsent, but an operation on a payment is still sent', async () => {
    const processor = fakeProcessor();
    const pool = under(processor);
    const payment = await accepted();
    pool.advance(limits.authorizeWithinMs + 1_000);
    const done = await pool.step(payment, 'reply-2');
    expect(done).toMatchObject({ status: 'failed', transactions: [{ status: 'failed', resultCode: '68' }] });
    expect(processor.calls).toEqual([]);
    expect(pool.replies).toHaveLength(1);
    expect((await pool.step(await operations.refund())).status).toBe('partially-refunded');
  });

  test('a second try that comes after authorizeBy fails without being sent', async () => {
    const processor = fakeProcessor({ send: [notSent] });
    const pool = under(processor);
    const tried = await pool.step(await accepted());
    pool.advance(limits.authorizeWithinMs);
    expect((await pool.step(tried)).status).toBe('failed');
    expect(processor.calls).toHaveLength(1);
  });

  test('inherited work past authorizeBy is inquired about, because it may have been sent in time', async () => {
    const processor = fakeProcessor({ inquire: [found(approved)] });
    const pool = under(processor);
    const payment = await abandoned(store, await accepted());
    pool.advance(limits.authorizeWithinMs + 1_000);
    expect((await pool.step(payment)).status).toBe('approved');
    expect(sends(processor)).toBe(0);
  });
});

describe('what is sent', () => {
  test('an authorization carries the card, opened for this call, and the transaction as its key', async () => {
    const processor = fakeProcessor();
    const payment = await accepted({
      installments: 3,
      statementDescriptor: 'SHOP',
      terminalNumber: '8',
      merchantIdentificationNumber: '77',
      recurring: { type: 'initial' },
      processorFields: [{ k: 'a', v: 'b' }],
    });
    await under(processor).step(payment);
    expect(processor.requests).toEqual([
      {
        key: firstTx(payment).id,
        amountMinor: 1050,
        currency: 'USD',
        acquirer: 'acquirer-a',
        merchant: { id: 1001, name: '', merchantIdentificationNumber: '77', terminalNumber: '8' },
        traceId: payment.traceId,
        capture: true,
        verification: false,
        money: { installments: 3 },
        order: {
          referenceId: payment.referenceId,
          invoiceNumber: 'INV-1',
          statementDescriptor: 'SHOP',
          fields: { a: 'b' },
        },
        payer: { firstName: 'Ana', lastName: 'Paz' },
        credential: {
          source: 'card',
          card: {
            number: '4242424242424242',
            expMonth: 12,
            expYear: 2034,
            brand: 'visa',
            cvc: '123',
            holderName: 'Ana Paz',
          },
          stored: { initiator: 'payer', use: 'first', reason: 'unscheduled' },
        },
      },
    ]);
  });

  test('an operation names its original and its amount, and the card only when a refund needs it', async () => {
    const plain = fakeProcessor();
    const refund = await operations.refund();
    await under(plain).step(refund);
    expect(plain.requests).toMatchObject([
      { key: `txn_op_${refund._id}`, original: firstTx(refund).id, amountMinor: 400 },
    ]);
    expect(plain.requests[0]).not.toHaveProperty('card');
    const needing = fakeProcessor({}, { refundNeedsPan: true });
    await under(needing).step(await operations.refund());
    expect(needing.requests[0]).toMatchObject({ card: { number: '4242424242424242' } });
    await under(needing).step(await operations.capture());
    expect(needing.requests[1]).not.toHaveProperty('card');
  });

  test('an operation that the adapter does not have is not sent, and no money moves', async () => {
    const processor = fakeProcessor();
    const { refund: _refund, ...without } = processor;
    const refund = await operations.refund();
    expect(await under(without as typeof processor).step(refund)).toMatchObject({ status: 'approved', heldMinor: 0 });
    expect(processor.calls).toEqual([]);
  });

  test('a payment whose card data does not open fails without being sent', async () => {
    const processor = fakeProcessor({}, { refundNeedsPan: true });
    const closed = async () => {
      throw new VaultError('envelope-invalid', 'does not open');
    };
    const pool = under(processor, { vault: { open: closed, seal: closed } });
    expect((await pool.finish(await accepted())).status).toBe('failed');
    const destroyed = await operations.refund();
    await store.payments.updateOne({ _id: destroyed._id }, { $unset: { card: '' } });
    expect(await under(processor).finish(destroyed)).toMatchObject({ status: 'approved', heldMinor: 0 });
    expect(processor.calls).toEqual([]);
  });

  test('a verification is released at once, by work of its own that is nudged without the caller', async () => {
    const processor = fakeProcessor();
    const pool = under(processor);
    const payment = await accepted({ purpose: 'verification' }, 'authorization');
    const held = await pool.step(payment, 'reply-3');
    expect(held).toMatchObject({ status: 'authorized', work: { kind: 'cancel' } });
    expect(pool.nudges).toMatchObject([
      { job: 'cancel-payment', payload: { txId: held.work?.txId, gen: 1 }, delayMs: expect.any(Number) },
    ]);
    expect(pool.nudges[0]?.payload).not.toHaveProperty('replyTo');
    expect(await pool.finish(held)).toMatchObject({ status: 'cancelled' });
    expect(pool.replies).toHaveLength(1);
    expect(processor.requests).toMatchObject([
      { verification: true, capture: false },
      { original: firstTx(payment).id },
    ]);
  });
});

describe('the pool', () => {
  test('a pending answer is sent to the caller at once, and inquired about later', async () => {
    const processor = fakeProcessor({
      send: [{ kind: 'pending', resultMessage: 'soon', ticket: 'T-7' }],
      inquire: [found(approved)],
    });
    const pool = under(processor);
    const pending = await pool.step(await operations.refund(), 'reply-4');
    expect(lastTx(pending)).toMatchObject({ status: 'pending', ticket: 'T-7' });
    expect(pool.replies).toMatchObject([{ fields: { status: 'approved' } }]);
    expect(pool.nudges[0]?.payload.replyTo).toBe('reply-4');
    expect((await pool.finish(pending)).status).toBe('partially-refunded');
  });

  test('an acquirer that hangs leaves slots to others; its other work is parked despite a write in between', async () => {
    let release: () => void = () => undefined;
    const blocked = new Promise<SendResult>((resolve) => {
      release = () => resolve(approved);
    });
    const processor = fakeProcessor({ send: [approved, () => blocked, () => blocked, approved] });
    const faults = faulty(store.payments);
    const payments = createPaymentRepository({ ...store.database, collection: () => faults.collection as never }, true);
    const pool = under(processor, { concurrency: 4, payments });
    await pool.step(await accepted({ acquirer: 'another' }));
    const slow = [await accepted(), await accepted()].map((payment) => pool.step(payment));
    while (processor.calls.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));

    const third = await accepted();
    // The API writes `pending` between the claim and the parking.
    faults.before('bulkWrite', () => store.payments.updateOne({ _id: third._id }, { $inc: { version: 1 } }));
    const parked = await pool.step(third);
    expect(parked.work).toMatchObject({ kind: 'authorize', tries: 0, gen: 2, leaseUntil: new Date(0) });
    expect(parked.work?.attempt).toBeUndefined();
    const inquiring = await pool.step(await abandoned(store, await accepted()));
    expect(inquiring.work).toMatchObject({ kind: 'authorize', attempt: { token: 'token-of-the-dead' } });
    // A reversal at this acquirer counts there too, although another route took over the payment.
    const paid = approvedPayment({ acquirer: 'another' });
    const leftRoute = { processor: 'fake', acquirer: 'acquirer-a' };
    const left = { ...firstTx(paid), id: `${paid._id}-left`, status: 'failed', leftRoute } as const;
    const late = planLateApproval({ ...paid, transactions: [left, firstTx(paid)] }, left.id, now());
    const reversing = await pool.step(await accepted(late));
    expect(reversing.work).toMatchObject({ kind: 'reverse', gen: 2 });
    expect((await pool.step(await accepted({ acquirer: 'another' }))).status).toBe('approved');
    expect(processor.calls).toHaveLength(4);
    release();
    await Promise.all(slow);
    expect((await pool.finish(parked)).status).toBe('approved');
    await store.payments.deleteMany({ _id: { $in: [inquiring._id, reversing._id] } });
  });

  test('the sweep nudges due work: under the same number while unclaimed, the next one after a lease ended', async () => {
    const processor = fakeProcessor({ inquire: [found(approved)] });
    const pool = under(processor);
    const waiting = await accepted();
    const dead = await abandoned(store, await accepted());
    const leased = await accepted();
    await store.payments.updateOne({ _id: leased._id }, { $set: { 'work.leaseUntil': new Date(Date.now() + 60_000) } });
    expect(await pool.pool.sweep()).toEqual({ found: 0, more: false });
    pool.advance(2_000);
    expect(await pool.pool.sweep()).toEqual({ found: 2, more: false });
    const genOf = (payment: Payment) =>
      pool.nudges.find(({ payload }) => payload.paymentId === payment._id)?.payload.gen;
    expect([genOf(waiting), genOf(dead), genOf(leased)]).toEqual([1, 2, undefined]);
    expect(processor.calls).toEqual([]);
    // Work that is long overdue is done by the sweep itself, whether or not its nudges arrived.
    pool.advance(11_000);
    await pool.pool.sweep();
    expect([(await store.read(waiting._id)).status, (await store.read(dead._id)).status]).toEqual([
      'approved',
      'approved',
    ]);
    await store.payments.deleteMany({ _id: leased._id });
  });

  test('cards, refunds, updates and books are looked at also while the search for due work fails', async () => {
    const looked: string[] = [];
    const look =
      <Found>(what: string, found: Found) =>
      async () => {
        looked.push(what);
        return found;
      };
    const payments = {
      ...createPaymentRepository(store.database, true),
      findDueWork: () => Promise.reject(new Error('no primary')),
      findRefundChecks: look('refunds', []),
      findToTokenize: look('cards', []),
    };
    const updates = { ...createProcessorUpdateRepository(store.database), findDue: look('updates', ['upd_1']) };
    const pool = under(fakeProcessor(), { payments, updates, booksAudit: { sweep: look('books', 0) } });
    expect(await pool.pool.sweep()).toEqual({ found: 1, more: false });
    expect(looked).toEqual(['cards', 'refunds', 'updates', 'books']);
  });

  test('a full page of updates that no nudge reached asks for the next sweep at once', async () => {
    const updates = createProcessorUpdateRepository(store.database);
    for (const [due, more] of [
      [limits.sweepPageMax, true],
      [limits.sweepPageMax - 1, false],
    ] as const) {
      // Other processes hold these updates, so there is nothing to claim.
      const findDue = async () => Array.from({ length: due }, (_, n) => `upd_${n}`);
      const pool = under(fakeProcessor(), { updates: { ...updates, findDue } });
      expect(await pool.pool.sweep()).toEqual({ found: due, more });
    }
  });

  test('a processor that is silent about its books delays no sweep, and is asked by one sweep at a time', async () => {
    let asked = 0;
    let answer: () => void = () => undefined;
    const silence = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const compare = () => {
      asked += 1;
      return silence.then(() => 0);
    };
    const pool = under(fakeProcessor(), { booksAudit: { sweep: compare } });
    expect(await pool.pool.sweep()).toEqual({ found: 0, more: false });
    expect(await pool.pool.sweep()).toEqual({ found: 0, more: false });
    expect(asked).toBe(1);
    answer();
    await until(async () => (await pool.pool.sweep()) && asked > 1, 'it is asked again');
  });

  test('without Redis the sweep does the work itself, page by page', async () => {
    const nudges = nudgesTo(
      async () => false,
      () => false,
    );
    const pool = under(fakeProcessor(), { nudges });
    const payments = Array.from({ length: limits.sweepPageMax + 6 }, () => createdPayment({ createdAt: now() }));
    await store.put(...payments);
    expect(await pool.pool.sweep()).toEqual({ found: limits.sweepPageMax, more: true });
    expect(await pool.pool.sweep()).toEqual({ found: 6, more: false });
    expect(await store.payments.countDocuments({ status: 'approved' })).toBe(payments.length);
  });

  test('a fault of ours leaves the lease to end, and a forbidden move is counted', async () => {
    const pool = under(fakeProcessor());
    const payment = await accepted();
    // A purchase on a payment that is refunded already: the transition table has no move from there.
    await store.payments.updateOne({ _id: payment._id }, { $set: { status: 'refunded' } });
    const after = await pool.step(payment);
    expect(after).toMatchObject({ status: 'refunded', work: { attempt: {} } });
    expect(await pool.deps.metrics.text()).toMatch(/event="illegal-transition"[^\n]* 1\n/);
    await store.payments.deleteMany({ _id: payment._id });
  });
});

test('many refunds of one payment are checked with few writes', async () => {
  const refunds = 40;
  const processor = fakeProcessor({ inquire: [found(approved)] });
  const pool = under(processor);
  const at = pool.deps.clock.now();
  const checks = Array.from({ length: refunds }, (_, index) => ({ txId: `txn_refund_${index}`, tries: 0, at }));
  const refund = approvedPayment({ createdAt: at, refundChecks: checks, refundCheckAt: at });
  await store.put(refund);
  pool.advance(1_000);
  const before = (await store.read(refund._id)).version;
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await pool.pool.sweep();
  const { refundChecks, version } = await store.read(refund._id);
  expect(refundChecks?.map(({ tries }) => tries)).toEqual(Array(refunds).fill(1));
  expect(processor.calls).toHaveLength(refunds);
  expect(version - before).toBeLessThanOrEqual(3);
});
