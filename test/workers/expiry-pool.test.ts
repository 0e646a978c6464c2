import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { createLog } from '../../shared/log.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createExpiryPool } from '../../workers/expiry/expiry-pool.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  lastTx,
  later,
  start,
  stateProblems,
} from '../domain/payment/a-payment.js';
import { faulty, openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { nudgesTo } from '../support/nudges-to.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('expiry_pool');
});
beforeEach(() => store.payments.deleteMany({}));
afterAll(() => store?.close());

const noCertificates = {
  walletIntegrations: { findEnding: async () => [], markWarned: async () => false },
  metrics: { event: () => undefined },
  countNewer: async () => [],
};

const week = limits.authorizationExpiryMs;
function expiryPool(now = later(week + 1), keys = async () => 0, clock = { now: () => now }) {
  const nudges: { job: string; payload: Record<string, unknown> }[] = [];
  const pool = createExpiryPool({
    payments: createPaymentRepository(store.database, true),
    nudges: nudgesTo(
      async (job, payload) => nudges.push({ job: job.name, payload: payload as Record<string, unknown> }) > 0,
    ),
    settleLinks: async () => 0,
    settleSessions: async () => 0,
    instruments: { destroyDueCards: async () => 0 },
    ...noCertificates,
    vault: { destroyExpiredKeys: keys },
    clock,
    log: createLog('test', 'silent'),
  });
  return { pool, nudges };
}
const delayed = () => authorizedPayment({ captureMethod: 'automatic', captureDelaySeconds: 60 });

test('an expired hold is released, a delayed capture is taken, and a payment that is not due stays unchanged', async () => {
  const [expiring, capturing] = [authorizedPayment(), delayed()];
  const young = authorizedPayment({ createdAt: later(week) });
  await store.put(expiring, capturing, young, approvedPayment({ card: undefined }));
  const { pool, nudges } = expiryPool();
  expect(await pool.sweep()).toMatchObject({ found: 2, more: false });
  const [cancel, capture] = [await store.read(expiring._id), await store.read(capturing._id)];
  expect(cancel).toMatchObject({ activeOp: { kind: 'cancel', endsAs: 'expired' }, work: { kind: 'cancel' } });
  expect(capture).toMatchObject({ activeOp: { kind: 'capture' }, work: { kind: 'capture' }, heldMinor: 1050 });
  expect((await store.read(young._id)).version).toBe(young.version);
  expect(nudges.map(({ job }) => job).sort()).toEqual(['cancel-payment', 'capture-payment']);
  expect(nudges.map(({ payload }) => payload.txId).sort()).toEqual([cancel.work?.txId, capture.work?.txId].sort());
  expect([stateProblems(cancel), stateProblems(capture), await store.orphanIds()]).toEqual([[], [], []]);
});

test('a part of the sweep that fails does not stop the other parts', async () => {
  const payment = delayed();
  await store.put(payment);
  const keys = async () => {
    throw new Error('the keys cannot be read');
  };
  const { pool } = expiryPool(later(week + 1), keys);
  expect(await pool.sweep()).toMatchObject({ found: 1 });
  expect(await store.read(payment._id)).toMatchObject({ activeOp: { kind: 'capture' } });
});

test('sweeps that run again or at the same time start each operation once', async () => {
  const payment = delayed();
  await store.put(payment);
  await Promise.all(Array.from({ length: 4 }, () => expiryPool().pool.sweep()));
  await expiryPool().pool.sweep();
  const stored = await store.read(payment._id);
  expect(stored.transactions.map((tx) => tx.kind)).toEqual(['authorization', 'capture']);
  expect(stored.version).toBe(payment.version + 1);
});

test('a change that a caller made first wins over the sweep', async () => {
  const payment = delayed();
  await store.put(payment);
  const faults = faulty(store.payments);
  faults.before('bulkWrite', () =>
    store.payments.updateOne(
      { _id: payment._id },
      { $set: { status: 'cancelled' }, $unset: { deadline: '' }, $inc: { version: 1 } },
    ),
  );
  const payments = createPaymentRepository({ ...store.database, collection: () => faults.collection as never }, true);
  const nudges = nudgesTo(async () => true);
  const vault = { destroyExpiredKeys: async () => 0 };
  await createExpiryPool({
    payments,
    nudges,
    settleLinks: async () => 0,
    settleSessions: async () => 0,
    instruments: { destroyDueCards: async () => 0 },
    ...noCertificates,
    vault,
    clock: { now: () => later(week) },
    log: createLog('test', 'silent'),
  }).sweep();
  expect(await store.read(payment._id)).toMatchObject({
    status: 'cancelled',
    transactions: [{ kind: 'authorization' }],
  });
  expect((await store.read(payment._id)).transactions).toHaveLength(1);
});

test('a full page asks for the next sweep at once', async () => {
  await store.put(...Array.from({ length: limits.sweepPageMax + 1 }, () => delayed()));
  expect((await expiryPool().pool.sweep()).more).toBe(true);
  expect((await expiryPool().pool.sweep()).more).toBe(false);
  expect(await store.payments.countDocuments({ 'work.kind': 'capture' })).toBe(limits.sweepPageMax + 1);
});

test('sealed data is destroyed when it is due', async () => {
  const due = createdPayment({ cvcDestroyAt: later(10) });
  await store.put(due);
  const isStored = async () => (await store.read(due._id)).cvc !== undefined;
  await expiryPool(later(9)).pool.sweep();
  expect(await isStored()).toBe(true);
  await expiryPool(later(10)).pool.sweep();
  expect(await isStored()).toBe(false);
});

test('expired data keys are looked for now and then, not with every sweep', async () => {
  let now = start;
  let asked = 0;
  const count = async () => {
    asked += 1;
    return 1;
  };
  const { pool } = expiryPool(now, count, { now: () => now });
  await pool.sweep();
  await pool.sweep();
  expect(asked).toBe(1);
  now = later(5 * 60_000);
  await pool.sweep();
  expect(asked).toBe(2);
});

test('an operation that a deadline starts has its own reference and none of the client', async () => {
  const payment: Payment = delayed();
  await store.put(payment);
  await expiryPool().pool.sweep();
  const stored = await store.read(payment._id);
  expect(stored.refKeys).toEqual(payment.refKeys);
  expect(lastTx(stored).referenceId).toBe(lastTx(stored).id);
});
