import { limits } from '../../config/limits.js';
import { applyMoves } from '../../shared/domain/payment/apply-moves.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { kindsOf } from '../../shared/domain/payment/work.js';
import { createClaims } from '../../shared/store/claim-work.js';
import {
  createPaymentRepository,
  type PaymentRepository,
  SaveConflictError,
} from '../../shared/store/payment.repository.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  firstTx,
  later,
  moment,
  paymentIn,
  start,
} from '../domain/payment/a-payment.js';
import { faulty, openPaymentStore, type PaymentStore } from './payment-store.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('repository');
});
beforeEach(() => store.payments.deleteMany({}));
afterAll(() => store?.close());

const callbackUrl = 'https://shop.example/hook';
const idsOf = (found: readonly { _id: string }[]) => found.map(({ _id }) => _id);

test('a processor update finds only payments of its processor, including payments that left its route', async () => {
  const payments = createPaymentRepository(store.database, false);
  const left = { processor: 'stripe', acquirer: 'a' };
  const here = createdPayment({ processor: 'adyen', takesUpdates: true });
  const [tx] = here.transactions;
  if (!tx) throw new Error('a payment without a transaction');
  const tried = { ...tx, id: `${tx.id}-left`, processorReference: 'pi_1', leftRoute: left };
  await store.put({ ...here, transactions: [tried, tx] });
  const silent = createdPayment({ processor: 'adyen' });
  await store.put(silent);
  const found = async (processor: string, by: { key?: string; processorReference?: string }) =>
    (await payments.findForUpdate(processor, by))?._id;
  expect(await found('adyen', { key: tx.id })).toBe(here._id);
  expect(await found('stripe', { key: tried.id })).toBe(here._id);
  expect(await found('stripe', { processorReference: 'pi_1' })).toBe(here._id);
  // An unknown key does not prevent the search by reference.
  expect(await found('stripe', { key: 'txn_none', processorReference: 'pi_1' })).toBe(here._id);
  for (const by of [{ key: tx.id }, { key: tried.id }, { processorReference: 'pi_1' }]) {
    expect(await found('sandbox', by)).toBeUndefined();
  }
  expect(await found('adyen', { key: silent.transactions[0]?.id ?? '' })).toBeUndefined();
});

describe.each([
  ['batched', true],
  ['alone', false],
])('the update loop with writes sent %s', (_name, batched) => {
  let payments: PaymentRepository;
  beforeEach(() => {
    payments = createPaymentRepository(store.database, batched);
  });
  const stored = async () => {
    const payment = createdPayment();
    await store.put(payment);
    return store.read(payment._id);
  };
  const meddle = (id: string) =>
    store.payments.updateOne({ _id: id }, { $inc: { version: 1 }, $set: { traceId: 'meddled' } });

  test('decides again from the stored payment when another write came first', async () => {
    const payment = await stored();
    await meddle(payment._id);
    const seen: string[] = [];
    const saved = await payments.update(payment, (current) => {
      seen.push(current.traceId);
      return { ...current, invoiceNumber: 'INV-new' };
    });
    expect(seen).toEqual([payment.traceId, 'meddled']);
    expect(saved).toMatchObject({ version: 3, traceId: 'meddled', invoiceNumber: 'INV-new' });
  });

  test('ends without a write when the plan returns nothing for the newest state', async () => {
    const payment = await stored();
    await meddle(payment._id);
    const plan = (current: Payment) =>
      current.traceId === 'meddled' ? undefined : { ...current, invoiceNumber: 'never' };
    expect(await payments.update(payment, plan)).toBeUndefined();
    expect((await store.read(payment._id)).invoiceNumber).toBe('INV-1');
  });

  test('throws SaveConflictError after its last try, and an error for a payment that is gone', async () => {
    const payment = await stored();
    const faults = faulty(store.payments);
    const contended = createPaymentRepository(
      { ...store.database, collection: () => faults.collection as never },
      batched,
    );
    let tries = 0;
    const update = contended.update(payment, (current) => {
      tries += 1;
      faults.before('bulkWrite', () => meddle(payment._id));
      return { ...current, invoiceNumber: 'INV-late' };
    });
    await expect(update).rejects.toThrow(SaveConflictError);
    expect(tries).toBe(limits.saveTriesMax);
    await expect(payments.update(createdPayment(), (current) => current)).rejects.toThrow('is gone');
  });

  test('passes on an exception of the plan and writes nothing', async () => {
    const payment = await stored();
    await expect(payments.update(payment, (current) => applyMoves(current, ['captured'], moment()))).rejects.toThrow(
      'cannot be captured',
    );
    expect(await store.read(payment._id)).toEqual(payment);
  });

  test('lets each of many concurrent updates of one payment succeed', async () => {
    const payment = await stored();
    const append = (n: number) =>
      payments.update(payment, (current) => ({ ...current, refKeys: [...current.refKeys, `capture:${n}`] }));
    await Promise.all([1, 2, 3, 4].map(append));
    expect((await store.read(payment._id)).refKeys).toHaveLength(5);
  });
});

describe('reads', () => {
  test('a payment is found by id, and by client and id or reference only for its client', async () => {
    const payments = createPaymentRepository(store.database, true);
    const payment = createdPayment();
    await store.put(payment);
    const id = payment._id;
    expect((await payments.findById(id))?._id).toBe(id);
    expect((await payments.findForClient(id, 'cli_a'))?._id).toBe(id);
    expect(await payments.findForClient(id, 'cli_b')).toBeUndefined();
    expect((await payments.findByRefKey('cli_a', payment.refKeys[0] as string))?._id).toBe(id);
    expect(await payments.findByRefKey('cli_b', payment.refKeys[0] as string)).toBeUndefined();
    expect(await payments.findById('pay_none')).toBeUndefined();
  });
});

interface Profiled {
  readonly plan: string;
  readonly examined: number;
}

/** Returns how MongoDB ran the statements of `action` on the payments. */
async function profile(action: () => Promise<unknown>): Promise<Profiled[]> {
  const { db } = store.database.connection;
  await db?.command({ profile: 2 });
  await action();
  await db?.command({ profile: 0 });
  const entries = await store.database
    .collection('system.profile')
    .find({ planSummary: { $exists: true } })
    .toArray();
  const ours = entries.filter(({ ns }) => String(ns).endsWith('.payments'));
  return ours.map((entry) => ({ plan: entry.planSummary, examined: entry.docsExamined }));
}

describe('sweeps', () => {
  let payments: PaymentRepository;
  beforeEach(() => {
    payments = createPaymentRepository(store.database, true);
  });
  const dueAt = (at: Date) => {
    const payment = createdPayment();
    return { ...payment, work: { ...payment.work, dueAt: at } as NonNullable<Payment['work']> };
  };

  test('due work is found oldest first, up to the limit, without leased work and work that is not due', async () => {
    const [old, older, early, leased] = [dueAt(later(-5)), dueAt(later(-50)), dueAt(later(5)), dueAt(later(-500))];
    await store.put(old, older, early, leased, authorizedPayment());
    const { claim } = createClaims(store.payments, 'processor', () => start, false);
    await claim({ paymentId: leased._id, txId: firstTx(leased).id });
    const due = await payments.findDueWork('processor', kindsOf('processor'), start, 10);
    expect(due).toEqual(
      [older, old].map(({ _id, work, traceId }) => ({
        paymentId: _id,
        txId: work.txId,
        kind: 'authorize',
        gen: 1,
        traceId,
        dueAt: work.dueAt,
        claimed: false,
      })),
    );
    expect(
      (await payments.findDueWork('processor', kindsOf('processor'), start, 1)).map(({ paymentId }) => paymentId),
    ).toEqual([older._id]);
    expect(await payments.findDueWork('threeds', kindsOf('processor'), start, 10)).toEqual([]);
    await store.endLease(leased._id);
    expect((await payments.findDueWork('processor', kindsOf('processor'), start, 1))[0]).toMatchObject({
      paymentId: leased._id,
      claimed: true,
    });
  });

  test('due work of another release is not found, but counted as unknown', async () => {
    const [known, unknown] = [dueAt(later(-5)), dueAt(later(-50))];
    await store.put(known, unknown);
    await store.payments.updateOne(
      { _id: unknown._id },
      { $set: { 'work.kind': 'split' as never } },
      { bypassDocumentValidation: true },
    );
    const kinds = kindsOf('processor');
    expect((await payments.findDueWork('processor', kinds, start, 10)).map(({ paymentId }) => paymentId)).toEqual([
      known._id,
    ]);
    expect(await payments.countUnknownWork('processor', kinds, start)).toBe(1);
    await store.put({ ...dueAt(later(-60)), schemaVersion: 2 });
    expect(await payments.findDueWork('processor', kinds, start, 10)).toHaveLength(1);
    expect(await payments.countUnknownWork('processor', kinds, start)).toBe(2);
  });

  test('a due deadline of another release is not found', async () => {
    const payment = paymentIn('authorized', { deadline: { kind: 'expire', at: later(-1) } });
    await store.put(payment);
    await store.payments.updateOne(
      { _id: payment._id },
      { $set: { 'deadline.kind': 'settle' as never } },
      { bypassDocumentValidation: true },
    );
    expect(await payments.findDueDeadlines(start, 10)).toEqual([]);
  });

  test('due deadlines are found oldest first, without payments that have an operation in flight', async () => {
    const held = (at: Date, more: Partial<Payment> = {}) =>
      paymentIn('authorized', { deadline: { kind: 'expire', at }, ...more });
    const [second, first, early] = [held(later(-1)), held(later(-10)), held(later(1))];
    const busy = held(later(-99), { activeOp: { txId: 'txn_x', kind: 'capture' } });
    await store.put(second, first, early, busy);
    expect(idsOf(await payments.findDueDeadlines(start, 10))).toEqual([first._id, second._id]);
    expect(idsOf(await payments.findDueDeadlines(start, 1))).toEqual([first._id]);
  });

  test('payments to announce are found when they are due', async () => {
    const [a, b, none] = [approvedPayment({ callbackUrl }), approvedPayment({ callbackUrl }), approvedPayment()];
    await store.put(a, { ...b, announceAt: later(1) }, none);
    expect(idsOf(await payments.findToAnnounce(start, 10))).toEqual([]);
    expect(idsOf(await payments.findToAnnounce(later(1), 10))).toEqual([b._id]);
    expect(idsOf(await payments.findToAnnounce(later(60_000), 10)).sort()).toEqual([a._id, b._id].sort());
  });

  test('card and CVC are destroyed when each is due, which increments the version of the payment', async () => {
    const cvcDue = createdPayment({ cvcDestroyAt: later(-1) });
    const cardDue = approvedPayment({ cardDestroyAt: later(-1) });
    const neither = createdPayment({ cvcDestroyAt: later(1), cardDestroyAt: later(1) });
    await store.put(cvcDue, cardDue, neither);
    expect(await payments.destroyDueEnvelopes(start)).toBe(2);
    const [cvcGone, cardGone, kept] = await Promise.all([cvcDue, cardDue, neither].map(({ _id }) => store.read(_id)));
    expect(cvcGone).not.toHaveProperty('cvc');
    expect(cvcGone).not.toHaveProperty('cvcDestroyAt');
    expect(cvcGone).toMatchObject({ card: expect.anything(), version: cvcDue.version + 1 });
    expect(cardGone).not.toHaveProperty('card');
    expect(cardGone).not.toHaveProperty('cardDestroyAt');
    expect(kept).toMatchObject({ card: expect.anything(), cvc: expect.anything(), version: neither.version });
    expect(await payments.destroyDueEnvelopes(start)).toBe(0);
  });

  test('one statement destroys only a limited number of due envelopes, the longest due first', async () => {
    const many = limits.dueChangedMax + 1;
    const dates = { cvcDestroyAt: later(-1), cardDestroyAt: later(-1) };
    await store.put(...Array.from({ length: many }, (_, n) => createdPayment({ ...dates, refKeys: [`payment:${n}`] })));
    const oldest = createdPayment({ cvcDestroyAt: later(-9), cardDestroyAt: later(-9) });
    await store.put(oldest);
    expect(await payments.destroyDueEnvelopes(start)).toBe(2 * limits.dueChangedMax);
    const gone = await store.read(oldest._id);
    expect([gone.cvc, gone.card, gone.version]).toEqual([undefined, undefined, oldest.version + 2]);
    expect(await payments.destroyDueEnvelopes(start)).toBe(4);
    expect(await payments.destroyDueEnvelopes(start)).toBe(0);
  });

  test('every sweep uses its index and examines only what it finds', async () => {
    await store.put(
      ...Array.from({ length: 300 }, (_, n) => approvedPayment({ refKeys: [`payment:settled-${n}`], cvc: undefined })),
    );
    await store.payments.updateMany({}, { $unset: { announceAt: '', cardDestroyAt: '' } });
    const due = createdPayment({
      callbackUrl,
      announceAt: later(-1),
      cvcDestroyAt: later(-1),
      cardDestroyAt: later(-1),
    });
    await store.put({ ...due, deadline: { kind: 'expire', at: later(-1) } });
    const profiled = await profile(async () => {
      await payments.findDueWork('processor', kindsOf('processor'), start, 10);
      await payments.findDueDeadlines(start, 10);
      await payments.findToAnnounce(start, 10);
      await payments.destroyDueEnvelopes(start);
      await payments.findByRefKey('cli_a', 'payment:settled-7');
    });
    // Envelopes to destroy are found by their date and changed by the id of their payment.
    expect(profiled.map(({ plan }) => plan).sort()).toEqual([
      'IXSCAN { _id: 1 }',
      'IXSCAN { _id: 1 }',
      'IXSCAN { announceAt: 1 }',
      'IXSCAN { cardDestroyAt: 1 }',
      'IXSCAN { clientId: 1, refKeys: 1 }',
      'IXSCAN { cvcDestroyAt: 1 }',
      'IXSCAN { deadline.at: 1 }',
      'IXSCAN { work.queue: 1, work.dueAt: 1 }',
    ]);
    for (const { plan, examined } of profiled) expect([plan, examined]).toEqual([plan, 1]);
  });
});
