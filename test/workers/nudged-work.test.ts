/** How work reaches its handler: by the claim that was stored with the payment, by a new claim, or by the sweep. */

import { limits } from '../../config/limits.js';
import { IllegalMoveError } from '../../shared/domain/payment/apply-moves.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { newWork } from '../../shared/domain/payment/work.js';
import { type Claimed, createPaymentWork, type HandleWork } from '../../workers/payment-work.js';
import { createdPayment, firstTx } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { nudgesTo } from '../support/nudges-to.js';
import { passingTime } from '../support/passing-time.js';
import { until } from '../support/patience.js';
import { workHarness } from './work-harness.js';

const MINUTE_MS = 60_000;
/** Time of the pools, which does not advance. Leases follow MongoDB's clock. */
let at: Date;
let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('nudged_work');
});
beforeEach(async () => {
  at = new Date();
  await store.payments.deleteMany({});
});
afterAll(() => store?.close());

function pool(handle: HandleWork = async () => 'done', collection = store.payments) {
  const harness = workHarness(store);
  const claimed: Claimed[] = [];
  const counted: unknown[][] = [];
  const redis = { ready: true, takes: true };
  const metrics = {
    event: (...args: unknown[]) => void counted.push(['event', ...args]),
    step: (...args: unknown[]) => void counted.push(['step', ...args]),
    queue: (...args: unknown[]) => void counted.push(['queue', ...args]),
  };
  const { nudges } = harness.deps;
  const deps = {
    ...harness.deps,
    clock: { now: () => at },
    payments: { ...harness.deps.payments, collection },
    metrics: metrics as never,
    nudges: nudgesTo(
      async (job, payload) => redis.takes && nudges.add(job, payload),
      () => redis.ready,
    ),
  };
  const made = createPaymentWork('processor', deps, async (one) => {
    claimed.push(one);
    return handle(one);
  });
  return { ...harness, ...made, claimed, counted, redis };
}

const ago = (ms: number) => new Date(at.getTime() - ms);
async function put(work: object = {}, dueAt = ago(1), more: Partial<Payment> = {}): Promise<Payment> {
  const payment = createdPayment({ createdAt: new Date(), ...more });
  await store.put({ ...payment, work: { ...newWork('authorize', firstTx(payment).id, dueAt), ...work } });
  return store.read(payment._id);
}
/** A claim as the API stores it, for the one nudge that it adds. */
const storedClaim = (leaseUntil = ago(-MINUTE_MS)) => ({
  leaseToken: 'first-token',
  leaseUntil,
  attempt: { token: 'first-token', startedAt: at, atInsert: true },
});
const nudgeOf = ({ _id: paymentId, work, traceId }: Payment, more: object = {}) => ({
  ...{ paymentId, txId: work?.txId ?? '', gen: work?.gen ?? 0, traceId, ...more },
});
const first = { first: 'first-token' };

describe('a first nudge', () => {
  test('that was handed out once takes the stored claim, without a write', async () => {
    const { work, claimed, counted, close } = pool();
    const payment = await put(storedClaim());
    await work(nudgeOf(payment, first), { handedOutOnce: true });
    expect(claimed.map(({ payment: { version }, work: { leaseToken } }) => [version, leaseToken])).toEqual([
      [1, 'first-token'],
    ]);
    expect((await store.read(payment._id)).version).toBe(1);
    expect(counted).toEqual([['step', { pool: 'processor', job: 'authorize', outcome: 'done' }, expect.any(Number)]]);
    expect(Number(counted[0]?.[2])).toBeLessThan(60);
    close();
  });

  test.each([
    ['that another process may have too', { handedOutOnce: false }],
    ['that came from no queue', undefined],
  ])('%s makes a new claim', async (_what, delivery) => {
    const { work, claimed, close } = pool();
    const payment = await put(storedClaim());
    await work(nudgeOf(payment, first), delivery);
    expect(claimed).toHaveLength(1);
    expect(claimed[0]?.work.leaseToken).not.toBe('first-token');
    expect((await store.read(payment._id)).version).toBe(2);
    close();
  });

  test('may send for a shorter time than the lease of the stored claim lasts', async () => {
    const { work, claimed, close } = pool();
    await work(nudgeOf(await put(storedClaim()), first), { handedOutOnce: true });
    const time = passingTime();
    expect(claimed[0]?.mayStillSend()).toBe(true);
    time.by(limits.storedClaimSendByMs);
    expect(claimed[0]?.mayStillSend()).toBe(false);
    time.giveBack();
    expect(limits.storedClaimSendByMs).toBeLessThan(limits.storedClaimLeaseMs);
    close();
  });

  test('makes a new claim when the stored claim has too little time left', async () => {
    const { work, claimed, close } = pool();
    await work(nudgeOf(await put(storedClaim(ago(-limits.storedClaimSendByMs / 2))), first), { handedOutOnce: true });
    expect(claimed[0]?.work.leaseToken).not.toBe('first-token');
    close();
  });
});

describe('any other nudge', () => {
  test('claims due and free work once, and passes its reply channel on', async () => {
    const { work, claimed, close } = pool();
    const payment = await put();
    await Promise.all([1, 2].map(() => work(nudgeOf(payment, { replyTo: 'channel' }), { handedOutOnce: true })));
    expect(claimed.map(({ replyTo, mayStillSend }) => [replyTo, mayStillSend()])).toEqual([['channel', true]]);
    close();
  });

  test.each([
    ['is held', storedClaim, 1],
    ['is not due', () => ({}), -MINUTE_MS],
  ])('claims nothing when the work %s', async (_what, held, dueMs) => {
    const { work, claimed, close } = pool();
    await work(nudgeOf(await put(held(), ago(dueMs))), { handedOutOnce: true });
    expect(claimed).toEqual([]);
    close();
  });
});

describe('a handler that throws', () => {
  test.each([
    [
      'a forbidden move is counted',
      new IllegalMoveError('created', 'refunded' as never),
      [['event', 'illegal-transition']],
    ],
    ['anything else is not', new Error('a defect'), []],
  ])('%s; the error is logged, and the lease is left to end', async (_what, error, expected) => {
    const { work, lines, counted, close } = pool(() => Promise.reject(error));
    const payment = await put();
    await work(nudgeOf(payment), { handedOutOnce: true });
    expect(counted).toEqual(expected);
    expect(lines.map(([message]) => message)).toEqual(['work.failed']);
    expect((await store.read(payment._id)).work?.leaseToken).toBeDefined();
    close();
  });
});

test('work that the stop of its process cuts short is no failure: another worker continues it', async () => {
  const { work, lines, claimed, close } = pool(async () => {
    await until(() => closed);
    throw new Error('Client must be connected before running operations');
  });
  let closed = false;
  const done = work(nudgeOf(await put()));
  await until(() => claimed.length === 1);
  close();
  closed = true;
  await done;
  expect(lines.map(([message]) => message)).toEqual(['work.cut-short']);
});

describe('the sweep', () => {
  const fresh = () => ago(limits.nudgeFreshMs / 2);
  const due = () => ago(limits.nudgeFreshMs + 1_000);

  test('nudges work that has been due for a while, under the next number if its lease ended', async () => {
    const { sweep, nudges, claimed, counted, close } = pool();
    const free = await put({ gen: 3 }, due());
    const dead = await put({ gen: 5, leaseToken: 'dead', leaseUntil: ago(1) }, due());
    await put({}, fresh());
    await put(storedClaim(), due());
    expect(await sweep()).toEqual({ found: 2, more: false });
    const sent = nudges.map(({ job, payload }) => [job, payload.paymentId, payload.gen]);
    expect(sent.sort()).toEqual(
      [
        ['authorize-payment', free._id, 3],
        ['authorize-payment', dead._id, 6],
      ].sort(),
    );
    expect(claimed).toEqual([]);
    expect(counted).toContainEqual(['event', 'sweep-recovered', 2]);
    expect(counted).toContainEqual(['queue', 'processor', 2, (limits.nudgeFreshMs + 1_000) / 1000]);
    close();
  });

  test('reports an empty queue when nothing is due', async () => {
    const { sweep, counted, close } = pool();
    expect(await sweep()).toEqual({ found: 0, more: false });
    expect(counted).toEqual([['queue', 'processor', 0, 0]]);
    close();
  });

  test('does overdue work itself, and work whose nudge Redis does not take', async () => {
    const { sweep, claimed, redis, nudges, close } = pool();
    await put({}, ago(limits.workOverdueMs + MINUTE_MS));
    await sweep();
    expect([claimed.length, nudges.length]).toEqual([1, 1]);
    await store.payments.deleteMany({});
    redis.takes = false;
    await put({}, due());
    await sweep();
    expect([claimed.length, nudges.length]).toEqual([2, 1]);
    close();
  });

  test('does due work itself, however fresh, when Redis is down', async () => {
    const { sweep, claimed, redis, close } = pool();
    Object.assign(redis, { ready: false, takes: false });
    await put({}, fresh());
    expect(await sweep()).toEqual({ found: 1, more: false });
    expect(claimed).toHaveLength(1);
    close();
  });
});

test('a sweep stops waiting for a silent acquirer and works for others; idle() waits for all it began', async () => {
  let answer = () => {};
  const { sweep, idle, claimed, redis, close } = pool(({ payment }) =>
    payment.acquirer === 'silent'
      ? new Promise((resolve) => {
          answer = () => resolve('done');
        })
      : Promise.resolve('done'),
  );
  Object.assign(redis, { ready: false, takes: false });
  await put({}, ago(1), { acquirer: 'silent' });
  expect(await sweep()).toEqual({ found: 1, more: false });
  await put();
  expect(await sweep()).toEqual({ found: 1, more: false });
  await until(() => claimed.length === 2);
  expect(claimed.map(({ payment }) => payment.acquirer)).toEqual(['silent', 'acquirer-a']);
  let isIdle = false;
  const ended = idle().then(() => {
    isIdle = true;
  });
  await sweep();
  expect(isIdle).toBe(false);
  answer();
  await ended;
  close();
});

test('the work that sweeps do themselves is bounded, and the work behind it is nudged', async () => {
  let answer = () => {};
  const answered = new Promise<string>((resolve) => {
    answer = () => resolve('done');
  });
  const { sweep, idle, claimed, nudges, redis, close } = pool(() => answered);
  const overdue = () => ago(limits.workOverdueMs + MINUTE_MS);
  await Promise.all(Array.from({ length: limits.sweepPageMax + 2 }, () => put({}, overdue())));
  expect((await sweep()).found).toBe(limits.sweepPageMax + 2);
  await until(() => claimed.length === limits.sweepPageMax);
  expect(nudges).toHaveLength(limits.sweepPageMax + 2);
  // Without Redis the sweep takes no more work: what it has begun fills the bound.
  redis.ready = false;
  expect(await sweep()).toEqual({ found: 0, more: false });
  answer();
  await idle();
  close();
});

test('work that a sweep could not claim is logged, and does not stop the process from ending', async () => {
  let fail = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = () => reject(new Error('no primary'));
  });
  failed.catch(() => undefined);
  const silent = new Proxy(store.payments, {
    get: (target, name) => {
      if (name === 'findOneAndUpdate') return () => failed;
      if (name === 'find') return () => ({ toArray: () => failed });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { sweep, idle, lines, redis, close } = pool(undefined, silent);
  Object.assign(redis, { ready: false, takes: false });
  await put();
  expect((await sweep()).found).toBe(1);
  const ended = idle();
  fail();
  await ended;
  await until(() => lines.some(([message]) => message === 'work.not-offered'));
  close();
});
