/** What all pools that work on payments have in common, on the real MongoDB: claim, lease, record, hand on, sweep. */

import { limits } from '../../config/limits.js';
import { alerted } from '../../shared/domain/payment/alerted.js';
import type { Payment, WorkKind, WorkQueue } from '../../shared/domain/payment/payment.js';
import { newWork, nextWork, workForNextPool } from '../../shared/domain/payment/work.js';
import { after } from '../../shared/domain/time.js';
import type { Log } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import type { Reply } from '../../shared/queue/reply-channel.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createLeaseKeeper } from '../../workers/lease-keeper.js';
import {
  changePayment,
  createPaymentWork,
  type HandleWork,
  type RecordDeps,
  recordOutcome,
  recordResult,
} from '../../workers/payment-work.js';
import { createdPayment, firstTx, schedule } from '../domain/payment/a-payment.js';
import { filesIn } from '../guards/source-tree.js';
import { faulty, openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { nudgesTo } from '../support/nudges-to.js';
import { passingTime, suspendedMachine } from '../support/passing-time.js';
import { PATIENCE_MS } from '../support/patience.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('payment_work');
});
afterAll(() => store?.close());

const kinds = { processor: 'authorize', threeds: 'authenticate', qr: 'issue-code' } as const satisfies Record<
  WorkQueue,
  WorkKind
>;
const queues = Object.keys(kinds) as WorkQueue[];

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function environment() {
  const nudges: { name: string; replyTo?: string }[] = [];
  const replies: (Reply & { channel: string })[] = [];
  const logged: { message: string; fields: object }[] = [];
  const logWith = (fields: object): Log => {
    const line = (message: string, more: object = {}) => void logged.push({ message, fields: { ...fields, ...more } });
    return { debug: line, info: line, warn: line, error: line, with: (more) => logWith({ ...fields, ...more }) };
  };
  const metrics = createMetrics({ process: 'test' });
  const deps = {
    payments: createPaymentRepository(store.database, true),
    nudges: nudgesTo(async (job, payload) => nudges.push({ name: job.name, ...payload }) > 0),
    publish: (channel: string, reply: Reply) => void replies.push({ ...reply, channel }),
    clock: { now: () => new Date() },
    log: logWith({}),
    metrics,
    schedule,
    batchWrites: true,
  } satisfies RecordDeps & Record<string, unknown>;
  const flags = () => logged.filter(({ message }) => message === 'payment.needs-a-person');
  return { deps, nudges, replies, logged, flags, metrics };
}

async function stored(queue: WorkQueue): Promise<Payment> {
  const payment = createdPayment({ createdAt: new Date() });
  await store.put({ ...payment, work: newWork(kinds[queue], firstTx(payment).id, new Date()) });
  return store.read(payment._id);
}

/** Lets a pool do one piece of work with `handle`; returns the payment as it is stored afterwards. */
async function work(queue: WorkQueue, given: ReturnType<typeof environment>, payment: Payment, handle: HandleWork) {
  const pool = createPaymentWork(queue, given.deps, handle);
  const { txId, gen } = payment.work as NonNullable<Payment['work']>;
  await pool.work({ paymentId: payment._id, txId, gen, traceId: payment.traceId, replyTo: 'channel' });
  pool.close();
  return store.read(payment._id);
}

describe.each(queues)('the %s pool', (queue) => {
  test('work of another release is left alone, is logged once, and delays no other work', async () => {
    const given = environment();
    const [payment, unknown] = [await stored(queue), await stored(queue)];
    await store.payments.updateOne(
      { _id: unknown._id },
      { $set: { 'work.kind': 'split' as never } },
      { bypassDocumentValidation: true },
    );
    const pool = createPaymentWork(
      queue,
      { ...given.deps, clock: { now: () => after(new Date(), 60_000) } },
      async () => 'done',
    );
    await pool.sweep();
    await pool.sweep();
    pool.close();
    expect(given.nudges).toContainEqual(expect.objectContaining({ paymentId: payment._id }));
    expect(given.nudges).not.toContainEqual(expect.objectContaining({ paymentId: unknown._id }));
    expect(given.logged.filter(({ message }) => message === 'work.unknown')).toHaveLength(1);
    expect((await store.read(unknown._id)).work).toMatchObject({ kind: 'split', gen: 1 });
    await store.payments.deleteMany({ _id: { $in: [payment._id, unknown._id] } });
  });

  test('an alert that a write flags reaches the operator once, with the payment and the reason', async () => {
    const given = environment();
    const payment = await stored(queue);
    const flag = (text: string) => (current: Payment) => alerted(current, new Date(), text);
    await work(queue, given, payment, async (claimed) => {
      await recordResult(given.deps, claimed, flag('first'));
      await recordResult(given.deps, { ...claimed, payment: await store.read(payment._id) }, (current, held) => ({
        ...current,
        work: nextWork(held, held.kind, new Date(), 1),
      }));
      return 'flagged';
    });
    expect(given.flags().map(({ fields }) => fields)).toEqual([
      {
        paymentId: payment._id,
        txId: firstTx(payment).id,
        traceId: payment.traceId,
        kind: kinds[queue],
        reason: 'first',
      },
    ]);
    expect(await given.metrics.text()).toMatch(/event="work-flagged"[^\n]* 1\n/);
  });

  test('two flags of one write are both reported', async () => {
    const given = environment();
    await work(queue, given, await stored(queue), async (claimed) => {
      const at = new Date();
      await recordResult(given.deps, claimed, (current) => alerted(alerted(current, at, 'one'), at, 'two'));
      return 'flagged';
    });
    expect(given.flags().map(({ fields }) => fields)).toMatchObject([{ reason: 'one' }, { reason: 'two' }]);
  });

  test('without an outcome nothing is published, and the next nudge has the channel of the waiting caller', async () => {
    const given = environment();
    await work(queue, given, await stored(queue), async (claimed) => {
      await recordResult(given.deps, claimed, (current, held) => ({
        ...current,
        work: workForNextPool(held, 'authorize', new Date()),
      }));
      return 'on';
    });
    expect(given.replies).toEqual([]);
    expect(given.nudges).toMatchObject([{ name: 'authorize-payment', replyTo: 'channel' }]);
  });

  test('an outcome is published and counted, and the nudge for later work has no channel', async () => {
    const given = environment();
    const payment = await stored(queue);
    await work(queue, given, payment, async (claimed) => {
      await recordResult(given.deps, claimed, (current) => ({
        ...current,
        transactions: [{ ...firstTx(current), status: 'failed', errorCode: 'acquirer-offline' }],
        work: newWork('reverse', 'txn_other', new Date()),
      }));
      return 'failed';
    });
    expect(given.replies).toMatchObject([{ channel: 'channel', paymentId: payment._id, txId: firstTx(payment).id }]);
    expect(given.nudges).toMatchObject([{ name: 'reverse-payment' }]);
    expect(given.nudges[0]?.replyTo).toBeUndefined();
    expect(await given.metrics.text()).toMatch(/kind="purchase",status="failed",code="acquirer-offline"[^\n]* 1\n/);
  });

  test('the reply says that a card was saved, unless the card was not kept or another write followed', async () => {
    const tokenization = { token: 'tok_1', type: 'persistent' } as const;
    const save = async (kept: boolean, beside?: Partial<Payment>) => {
      const given = environment();
      const payment = await stored(queue);
      await store.payments.updateOne({ _id: payment._id }, { $set: { tokenization } });
      await work(queue, given, payment, async (claimed) => {
        const outcome = (current: Payment) => ({
          ...current,
          ...{ tokenizeAt: new Date(), work: undefined },
          transactions: [{ ...firstTx(current), status: 'approved' as const }],
        });
        await recordOutcome(given.deps, claimed, outcome, async (written) => {
          const noted = { ...written, tokenizeAt: undefined, ...(!kept && { tokenization: undefined }) };
          const saved = (await given.deps.payments.save(written, noted)) as Payment;
          return beside ? ((await given.deps.payments.save(saved, { ...saved, ...beside })) as Payment) : saved;
        });
        return 'saved';
      });
      return given.replies[0]?.cardSaved;
    };
    expect(await save(true)).toBe(true);
    expect(await save(false)).toBeUndefined();
    expect(await save(true, { invoiceNumber: 'INV-beside' })).toBeUndefined();
  });

  test('a process that lost the lease writes, publishes and nudges nothing', async () => {
    const given = environment();
    const payment = await stored(queue);
    const left = await work(queue, given, payment, async (claimed) => {
      await store.payments.updateOne({ _id: payment._id }, { $set: { 'work.leaseToken': 'of another' } });
      await recordResult(given.deps, { ...claimed, payment: await store.read(payment._id) }, (current) =>
        alerted(current, new Date(), 'never'),
      );
      return 'lost';
    });
    expect([left.alerts, given.flags(), given.nudges, given.replies]).toEqual([undefined, [], [], []]);
    expect(given.logged).toMatchObject([{ message: 'outcome.not-written' }]);
    expect(await given.metrics.text()).toMatch(/event="lease-lost"[^\n]* 1\n/);
  });
});

test('an alert that a sweep flags without a claim reaches the operator, and unchanged work is not nudged', async () => {
  const given = environment();
  const payment = await stored('processor');
  await changePayment(given.deps, payment, (current) => alerted(current, new Date(), 'found by a sweep'));
  expect(given.flags().map(({ fields }) => fields)).toEqual([
    { paymentId: payment._id, traceId: payment.traceId, reason: 'found by a sweep' },
  ]);
  expect(given.nudges).toEqual([]);
  await changePayment(given.deps, await store.read(payment._id), (current) => ({
    ...current,
    work: newWork('inquire', firstTx(current).id, after(new Date(), 1_000)),
  }));
  expect(given.nudges).toMatchObject([{ name: 'inquire-payment' }]);
  expect(given.flags()).toHaveLength(1);
});

describe('a lease', () => {
  const leaseOf = async ({ _id }: Payment) => (await store.read(_id)).work;

  test('is renewed while its work runs, and no other process gets the work', async () => {
    const [given, other] = [environment(), environment()];
    const payment = await stored('processor');
    const taken: string[] = [];
    const left = await work('processor', given, payment, async ({ work: held }) => {
      // The lease is at its end: only a renewal keeps it.
      await store.endLease(payment._id);
      const endedAt = (await leaseOf(payment))?.leaseUntil as Date;
      await waitUntil(async () => ((await leaseOf(payment))?.leaseUntil ?? endedAt) > endedAt);
      await work('processor', other, payment, async () => {
        taken.push('by another');
        return 'taken';
      });
      expect((await leaseOf(payment))?.leaseToken).toBe(held.leaseToken);
      return 'done';
    });
    expect(taken).toEqual([]);
    expect(left.work?.leaseUntil.getTime()).toBeGreaterThan(Date.now());
  });

  test('is not renewed once its work is done', async () => {
    const given = environment();
    const renewed: string[] = [];
    const payments: RecordDeps['payments'] = {
      ...given.deps.payments,
      renewLeases: async (ids) => void renewed.push(...ids),
    };
    const [done, lasting] = [await stored('processor'), await stored('processor')];
    let calls = 0;
    const pool = createPaymentWork('processor', { ...given.deps, payments }, async ({ payment }) => {
      if (payment._id === done._id) return 'done';
      await waitUntil(async () => renewed.length > 0);
      calls += 1;
      return 'done';
    });
    for (const { _id: paymentId, traceId, transactions } of [done, lasting]) {
      await pool.work({ paymentId, txId: transactions[0]?.id ?? '', gen: 1, traceId });
    }
    pool.close();
    expect(calls).toBe(1);
    expect(new Set(renewed)).toEqual(new Set([lasting._id]));
  });

  test('is renewed although a lost earlier claim of the same payment ends later', async () => {
    const renewed: { ids: readonly string[]; tokens: readonly string[] }[] = [];
    const renewLeases = async (ids: readonly string[], tokens: readonly string[]) => void renewed.push({ ids, tokens });
    const leases = createLeaseKeeper({ renewLeases }, environment().deps.log);
    const endLost = leases.hold('pay_1', 'lost');
    leases.hold('pay_1', 'held');
    leases.hold('pay_2', 'of another payment');
    endLost();
    await waitUntil(async () => renewed.length > 0);
    leases.close();
    expect(renewed[0]).toEqual({ ids: ['pay_1', 'pay_2'], tokens: ['held', 'of another payment'] });
  });

  test('is renewed again after a renewal that failed, which is logged', async () => {
    const tries: (readonly string[])[] = [];
    const lines: unknown[] = [];
    const renewLeases = async (ids: readonly string[]) => {
      tries.push(ids);
      throw new Error('no primary');
    };
    const warn = (...line: unknown[]) => void lines.push(line);
    const leases = createLeaseKeeper({ renewLeases }, { ...environment().deps.log, warn });
    leases.hold('pay_1', 'held');
    await waitUntil(async () => tries.length > 1);
    leases.close();
    expect(tries).toEqual([['pay_1'], ['pay_1']]);
    expect(lines).toMatchObject(Array(2).fill(['leases.not-renewed', { count: 1 }]));
  });
});

describe('the time between claim and send', () => {
  /** Returns what `mayStillSend` says when MongoDB takes `claimMs` to answer the claim. */
  async function judgedAfter(claimMs: number, time = passingTime()): Promise<boolean | undefined> {
    const given = environment();
    const faults = faulty(store.payments);
    faults.before('findOneAndUpdate', async () => time.by(claimMs));
    const payments = { ...given.deps.payments, collection: faults.collection };
    let judged: boolean | undefined;
    await work('processor', { ...given, deps: { ...given.deps, payments } }, await stored('processor'), async (own) => {
      judged = own.mayStillSend();
      return 'judged';
    }).finally(time.giveBack);
    return judged;
  }

  test('starts when the claim is sent; a claim as slow as a durable write by heartbeats leaves some of it', async () => {
    expect(await judgedAfter(2_100)).toBe(true);
    expect(limits.sendByMs).toBeLessThan(limits.leaseMs);
  });

  test('is used up by a claim that takes all of it', async () => {
    expect(await judgedAfter(limits.sendByMs)).toBe(false);
  });

  test('is used up while the machine is suspended, which stops its monotonic clock', async () => {
    expect(await judgedAfter(limits.sendByMs, suspendedMachine())).toBe(false);
    expect(await judgedAfter(0, suspendedMachine())).toBe(true);
  });

  test('is not prolonged when the wall clock is set back', async () => {
    const setBack = suspendedMachine();
    const time = passingTime();
    const both = {
      by: (ms: number) => {
        time.by(ms);
        setBack.by(-ms);
      },
      giveBack: () => {
        time.giveBack();
        setBack.giveBack();
      },
    };
    expect(await judgedAfter(limits.sendByMs, both)).toBe(false);
  });
});

/** Parking a payment and marking a card as saved flag nothing. Imported findings are shown to the operator who imports them. */
const WRITES_WITHOUT_FLAGS = [
  'workers/processor/books/import-finding.ts',
  'workers/processor/processor-pool.ts',
  'workers/processor/save-instrument.ts',
];

test('every pool writes payments through payment-work.ts, so that no alert is lost', () => {
  const writers = filesIn(['workers'], /\.ts$/).filter(({ text }) => /payments\.(update|save)\(/.test(text));
  expect(writers.map(({ path }) => path).sort()).toEqual(['workers/payment-work.ts', ...WRITES_WITHOUT_FLAGS].sort());
});
