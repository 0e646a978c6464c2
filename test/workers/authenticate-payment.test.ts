/** The 3D Secure pool applies the rules, on the real MongoDB: what it writes when, and what a crash in between leaves behind. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { newWork } from '../../shared/domain/payment/work.js';
import type { AuthenticationFacts } from '../../shared/domain/threeds/decide-authentication.js';
import type { ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import type { ThreeDsProvider } from '../../shared/threeds-providers/provider.js';
import { createThreeDsPool } from '../../workers/threeds/threeds-pool.js';
import { createdPayment, firstTx } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { workHarness } from './work-harness.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('threeds_pool');
});
afterEach(async () => {
  const orphans = await store.orphanIds();
  await store.payments.deleteMany({});
  expect(orphans).toEqual([]);
});
afterAll(() => store?.close());

const settings: ThreeDsSettings = {
  provider: 'sandbox',
  metadata: [],
  enabled: true,
  rules: { enabled: true, tier: 'basic', thresholds: { api: { USD: 1000 }, checkout: {} } },
};
const factsOf = (amountMinor: number): AuthenticationFacts => ({
  channel: 'api',
  source: 'card',
  amountMinor,
  currency: 'USD',
  purpose: 'payment',
  disabledForSession: false,
  recurring: undefined,
  external: false,
});

/** Stores a payment as the API does: with the facts that the rules look at, and without a decision. */
async function accepted(amountMinor: number): Promise<Payment> {
  const payment = createdPayment({ createdAt: new Date() });
  await store.put({
    ...payment,
    threeDsFacts: factsOf(amountMinor),
    threeDsSettings: settings,
    work: newWork('authenticate', firstTx(payment).id, new Date()),
  });
  return store.read(payment._id);
}

function poolWith(authenticate: ThreeDsProvider['authenticate']) {
  const { deps, nudges, outcomes, step } = workHarness(store);
  const provider = { findMethod: async () => ({ kind: 'none' }), authenticate } as unknown as ThreeDsProvider;
  const pool = createThreeDsPool({
    ...(deps as object as Parameters<typeof createThreeDsPool>[0]),
    providers: { get: (code: string) => (code === 'sandbox' ? provider : undefined) },
  });
  return { work: (payment: Payment) => step(pool, payment), nudges, outcomes, close: () => pool.close() };
}

const frictionless = { kind: 'authenticated', transStatus: 'Y', eci: '05', version: '2.2.0' } as const;

test('a payment below the threshold goes to the processor in one write, and no provider is asked', async () => {
  const asked: unknown[] = [];
  const pool = poolWith(async (request) => {
    asked.push(request);
    return frictionless as never;
  });
  const before = await accepted(999);
  const payment = await pool.work(before);
  expect(payment).toMatchObject({
    status: 'created',
    threeDs: { required: false, reason: 'amount-below-threshold' },
    work: { queue: 'processor', kind: 'authorize', tries: 0 },
  });
  // One write claims the work, the other hands it on.
  expect([payment.version - before.version, asked]).toEqual([2, []]);
  const { threeDsFacts, threeDsSettings, threeDs } = payment;
  expect([threeDsFacts, threeDsSettings, threeDs?.sessionId]).toEqual([undefined, undefined, undefined]);
  // The waiting caller now waits for the processor.
  expect(pool.outcomes).toEqual(['not-required']);
  expect(pool.nudges).toMatchObject([{ job: 'authorize-payment', payload: { replyTo: 'channel' } }]);
  await pool.close();
});

test('at the threshold, decision and session are stored before the provider gets the session', async () => {
  const seen: (Payment['threeDs'] | undefined)[] = [];
  const sessions: string[] = [];
  const before = await accepted(1000);
  const pool = poolWith(async ({ sessionId }) => {
    sessions.push(sessionId);
    seen.push((await store.read(before._id)).threeDs);
    return frictionless as never;
  });
  const payment = await pool.work(before);
  expect(seen).toMatchObject([
    { required: true, reason: 'amount-at-threshold', provider: 'sandbox', status: 'created' },
  ]);
  expect(sessions).toEqual([seen[0]?.sessionId]);
  expect(payment).toMatchObject({
    threeDs: { status: 'frictionless', sessionId: sessions[0] },
    work: { queue: 'processor', kind: 'authorize' },
  });
  expect(payment.threeDsFacts).toBeUndefined();
  await pool.close();
});

test.each([
  ['before the answer', 'crash'],
  ['with a lost answer', 'lost'],
])('after a worker fails %s, the next worker uses the same 3DS session', async (_when, end) => {
  const sessions: string[] = [];
  const before = await accepted(1000);
  let first = true;
  const pool = poolWith(async ({ sessionId }) => {
    sessions.push(sessionId);
    if (!first) return frictionless as never;
    first = false;
    if (end === 'crash') throw new Error('the process died');
    return { kind: 'no-answer', internal: 'lost' } as never;
  });
  const left = await pool.work(before);
  expect(left.work).toMatchObject({ queue: 'threeds', kind: 'authenticate' });
  await store.endLease(before._id);
  await store.payments.updateOne({ _id: before._id }, { $set: { 'work.dueAt': new Date(Date.now() - 1_000) } });
  const payment = await pool.work(before);
  expect(sessions).toHaveLength(2);
  expect(new Set(sessions).size).toBe(1);
  expect(payment).toMatchObject({
    threeDs: { sessionId: sessions[0], status: 'frictionless' },
    work: { kind: 'authorize' },
  });
  await pool.close();
});

test('two workers at once ask the provider once', async () => {
  const sessions: string[] = [];
  const before = await accepted(1000);
  let answered = () => {};
  const answering = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const answer = async ({ sessionId }: { sessionId: string }) => {
    if (sessions.push(sessionId) === 2) answered();
    await answering;
    return frictionless as never;
  };
  const pools = [poolWith(answer), poolWith(answer)];
  const working = pools.map((pool) => pool.work(before));
  // The worker without the claim ends while the other still waits for the provider's answer.
  await Promise.race(working);
  answered();
  await Promise.all(working);
  expect(sessions).toHaveLength(1);
  for (const pool of pools) await pool.close();
});

test('a payment that an earlier release decided about is not evaluated again', async () => {
  const pool = poolWith(async () => frictionless as never);
  const before = await accepted(1000);
  await store.payments.updateOne(
    { _id: before._id },
    {
      $set: { threeDs: { required: false, reason: 'verification' } },
      $unset: { threeDsFacts: '', threeDsSettings: '' },
    },
  );
  expect(await pool.work(before)).toMatchObject({ threeDs: { reason: 'verification' }, work: { kind: 'authorize' } });
  expect(pool.outcomes).toEqual(['not-required']);
  await pool.close();
});
