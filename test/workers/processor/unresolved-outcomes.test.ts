/** What happens to operations that the processor does not find, and to answers that come late (docs/reliability.md, "Sending"). */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { ProcessorTraits, SendResult } from '../../../shared/processors/processor.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import { firstTx, later, schedule, stateProblems } from '../../domain/payment/a-payment.js';
import { approved, declined, fakeProcessor, found, noAnswer, notFound, notSent, unknown } from './fake-processor.js';
import { abandoned } from './pool-under-test.js';
import { after, names, operations, sends, store, under, useStore } from './processor-suite.js';

useStore();

describe('unknown and not found', () => {
  const windowMs = schedule.notFoundSettlesMs;

  test.each(['purchase', 'authorization'] as const)(
    'the %s is reversed after the window, then fails, and is never sent again',
    async (name) => {
      for (const traits of [{}, { tombstones: true }]) {
        const processor = fakeProcessor({ send: [unknown], inquire: [notFound] }, traits);
        const pool = under(processor);
        const payment = await operations[name]();
        let current = await pool.step(payment);
        while (current.work?.kind === 'inquire') current = await pool.step(current);
        expect(pool.deps.clock.now().getTime()).toBeGreaterThanOrEqual(
          (current.work?.attempt?.startedAt.getTime() ?? Infinity) + windowMs,
        );
        expect(current.status).toBe('pending');
        const done = await pool.finish(current);
        const key = firstTx(payment).id;
        expect(done).toMatchObject({
          status: 'failed',
          transactions: [
            { status: 'failed', resultCode: '91' },
            { id: `${key}-reverse`, kind: 'reversal', status: 'approved', ticket: 'T-reverse' },
          ],
        });
        expect(sends(processor)).toBe(1);
        expect(processor.reversals).toMatchObject([
          { key: `${key}-reverse`, original: key, amountMinor: 1050, currency: 'USD' },
        ]);
        expect([done.cvc, stateProblems(done)]).toEqual([undefined, []]);
      }
    },
  );

  test.each(['purchase', 'authorization'] as const)(
    'the %s is sent again under the same key where the processor dedupes, and approved',
    async (name) => {
      const processor = fakeProcessor({ send: [unknown, approved], inquire: [notFound] }, { dedupes: true });
      const payment = await operations[name]();
      const done = await under(processor).finish(payment);
      expect(done).toMatchObject({ status: after[name].approved, transactions: [{ id: firstTx(payment).id }] });
      expect(new Set(processor.requests.map(({ key }) => key))).toEqual(new Set([firstTx(payment).id]));
      expect([sends(processor), processor.reversals]).toEqual([2, []]);
    },
  );

  test.each(names)(
    'the %s of a restored backup is inquired about and never sent at a processor that remembers here',
    async (name) => {
      const traits = { dedupes: true, tombstones: true, outcomesKeptHere: true } as const;
      const processor = fakeProcessor({ inquire: [notFound] }, traits);
      const pool = under(processor);
      const payment = await operations[name]();
      // By the clock of a command, which is a little ahead of the clock of the worker.
      await pool.deps.payments.distrustUnsent(later(1_000, pool.deps.clock.now()));
      const asked = await pool.step(await store.read(payment._id));
      const txId = asked.work?.txId;
      expect(processor.calls).toEqual([`inquire ${txId}, restored`]);
      expect(asked).toMatchObject({
        work: { kind: 'inquire' },
        alerts: [{ text: expect.stringContaining(`${txId} may`) }],
      });
      expect(stateProblems(asked)).toEqual([]);
    },
  );

  test('a purchase that never arrives is sent again a few times, then reversed', async () => {
    const processor = fakeProcessor({ send: [unknown], inquire: [notFound] }, { dedupes: true, tombstones: true });
    const payment = await operations.purchase();
    const done = await under(processor).finish(payment);
    expect([done.status, processor.reversals.length, stateProblems(done)]).toEqual(['failed', 1, []]);
    expect(sends(processor)).toBe(1 + limits.sentByKeyMax);
  });

  test('nothing-found ends a reversal at once with tombstones, else when nothing can arrive; silence never does', async () => {
    const reverse = { kind: 'nothing-found' } as const;
    for (const [tombstones, tries] of [
      [true, 1],
      [false, 4],
    ] as const) {
      const processor = fakeProcessor({ send: [unknown], inquire: [notFound], reverse: [reverse] }, { tombstones });
      const done = await under(processor).finish(await operations.purchase());
      expect([done.status, processor.reversals.length]).toEqual(['failed', tries]);
    }
    const silent = fakeProcessor({ send: [unknown], inquire: [notFound], reverse: [noAnswer] }, { tombstones: true });
    const pool = under(silent);
    let current = await operations.purchase();
    for (let n = 0; n < 14; n += 1) current = await pool.step(current);
    expect(current).toMatchObject({
      status: 'pending',
      work: { kind: 'reverse' },
      alerts: [{ text: expect.stringContaining('not confirmed') }],
    });
    expect(silent.reversals.length).toBeGreaterThan(8);
    expect(await pool.deps.metrics.text()).toMatch(/event="work-flagged"[^\n]* 1\n/);
  });

  test.each(['capture', 'cancellation', 'refund'] as const)(
    'the %s is sent again with the same key only where the processor dedupes',
    async (name) => {
      const deduping = fakeProcessor({ send: [unknown, approved], inquire: [notFound] }, { dedupes: true });
      const done = await under(deduping).finish(await operations[name]());
      expect(done.status).toBe(after[name].approved);
      expect(new Set(deduping.requests.map(({ key }) => key)).size).toBe(1);
      expect(sends(deduping)).toBe(2);

      const simple = fakeProcessor({ send: [unknown], inquire: [notFound] }, { tombstones: true });
      const pool = under(simple);
      let current = await operations[name]();
      for (let n = 0; n < 6 && current.work; n += 1) current = await pool.step(current);
      expect(sends(simple)).toBe(1);
      expect(simple.reversals).toEqual([]);
      if (name === 'refund') {
        expect(current).toMatchObject({ status: 'approved', heldMinor: 0, transactions: [{}, { status: 'failed' }] });
      } else {
        expect(current).toMatchObject({
          status: 'authorized',
          activeOp: { kind: name === 'capture' ? 'capture' : 'cancel' },
          work: { kind: 'inquire' },
        });
        expect(current.alerts).toHaveLength(1);
      }
    },
  );

  test('inherited work that is not found waits for the window too', async () => {
    const processor = fakeProcessor({ inquire: [notFound] });
    const pool = under(processor);
    let current = await abandoned(store, await operations.purchase());
    current = await pool.step(current);
    expect(current.work).toMatchObject({ kind: 'inquire' });
    const done = await pool.finish(current);
    expect([done.status, sends(processor), processor.reversals.length]).toEqual(['failed', 0, 1]);
  });
});

describe('a late answer', () => {
  /** Returns a send that is answered when the test says so. */
  function deferredSend() {
    let answer: (result: SendResult) => void = () => undefined;
    let asked: () => void = () => undefined;
    const called = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const result = new Promise<SendResult>((resolve) => {
      answer = resolve;
    });
    const send = () => {
      asked();
      return result;
    };
    return { send, answer, called };
  }
  /** A lease that has ended stays so: on a machine that stands still, the holder would renew it before anyone else takes the work. */
  const withoutRenewal = () => ({
    ...createPaymentRepository(store.database, true),
    renewLeases: async () => undefined,
  });

  /** Starts a first holder whose send hangs, and ends its lease. */
  async function startHangingSend(more: Partial<ProcessorTraits> = {}, payment?: Payment) {
    const slow = deferredSend();
    const first = fakeProcessor({ send: [slow.send] }, more);
    const accepting = payment ?? (await operations.purchase());
    const holder = under(first, { payments: withoutRenewal() });
    const running = holder.step(accepting);
    await slow.called;
    await store.endLease(accepting._id);
    const finish = (result: SendResult) => {
      slow.answer(result);
      return running;
    };
    return { payment: accepting, finish, holder };
  }

  test('of a holder whose lease ended is still the outcome, and the other holder changes nothing', async () => {
    const expiredHolder = await startHangingSend();
    const second = under(fakeProcessor({ inquire: [notFound] }));
    const inquiring = await second.step(expiredHolder.payment);
    expect(inquiring).toMatchObject({ work: { kind: 'inquire' }, status: 'created' });
    const done = await expiredHolder.finish(approved);
    expect(done).toMatchObject({ status: 'approved', transactions: [{ status: 'approved' }] });
    expect(done.work).toBeUndefined();
  });

  test.each([
    ['unknown', unknown],
    ['not sent', notSent],
    ['pending', { kind: 'pending', resultMessage: 'soon' }],
  ] as const)(
    '%s from a holder whose lease ended changes nothing: the work belongs to another process',
    async (_name, result) => {
      const zombie = await startHangingSend();
      const before = await under(fakeProcessor({ inquire: [notFound] })).step(zombie.payment);
      expect(await zombie.finish(result)).toEqual(before);
      await under(fakeProcessor({ inquire: [found(declined)] })).finish(before);
    },
  );

  test('that comes second never overwrites a final answer', async () => {
    const zombie = await startHangingSend();
    const done = await under(fakeProcessor({ inquire: [found(approved)] })).step(zombie.payment);
    expect(done.status).toBe('approved');
    expect(await zombie.finish(declined)).toEqual(done);
  });

  const refusals = {
    declined,
    failed: { kind: 'failed', resultCode: '91', resultMessage: 'Acquirer offline' },
  } as const;
  const ends = { approved, ...refusals } as const;
  const overwrites = names.flatMap((name) =>
    (Object.keys(ends) as (keyof typeof ends)[]).flatMap((end) =>
      (Object.keys(refusals) as (keyof typeof refusals)[]).map((late) => [name, end, late] as const),
    ),
  );
  test.each(overwrites)(
    '%s %s, then %s from a holder whose lease ended: nothing is written',
    async (name, end, late) => {
      const zombie = await startHangingSend({}, await operations[name]());
      const done = await under(fakeProcessor({ inquire: [found(ends[end])] })).step(zombie.payment);
      expect(done.transactions.at(-1)?.status).toBe(end === 'declined' ? 'denied' : end);
      expect(await zombie.finish(refusals[late])).toEqual(done);
      // The move is not even requested: more than the transition table keeps the answer from being written.
      expect(await zombie.holder.deps.metrics.text()).toMatch(/event="illegal-transition"[^\n]* 0\n/);
    },
  );

  test('that approves a failed payment is reversed and flagged for a person, and the status stays', async () => {
    const zombie = await startHangingSend({ tombstones: true });
    const rescuer = fakeProcessor({ inquire: [notFound], reverse: [{ kind: 'nothing-found' }] }, { tombstones: true });
    expect((await under(rescuer).finish(zombie.payment)).status).toBe('failed');
    const late = await zombie.finish(approved);
    expect(late).toMatchObject({
      status: 'failed',
      work: { kind: 'reverse' },
      alerts: [{}],
      transactions: [{ status: 'failed', flagged: expect.any(String) }, { status: 'created' }],
    });
    const reverser = fakeProcessor();
    const done = await under(reverser).finish(late);
    expect(done).toMatchObject({
      status: 'failed',
      eventSeq: late.eventSeq,
      transactions: [{ status: 'failed' }, { status: 'approved' }],
    });
    expect(reverser.reversals).toMatchObject([{ original: firstTx(done).id, amountMinor: 1050 }]);
  });

  test.each([
    ['approved', approved],
    ['declined', declined],
  ] as const)('%s during a reversal does not stop the reversal, and the payment fails', async (_name, result) => {
    const zombie = await startHangingSend();
    const pool = under(fakeProcessor({ inquire: [notFound] }));
    let current = zombie.payment;
    while ((await store.read(current._id)).work?.kind !== 'reverse') current = await pool.step(current);
    const reversing = await store.read(current._id);
    expect(await zombie.finish(result)).toEqual(reversing);
    const done = await pool.finish(reversing);
    expect(done).toMatchObject({
      status: 'failed',
      transactions: [{ status: 'failed' }, { kind: 'reversal', status: 'approved' }],
    });
    expect(stateProblems(done)).toEqual([]);
  });

  test('that approves a refund that was given up is flagged for a person, because the money has left', async () => {
    const zombie = await startHangingSend({}, await operations.refund());
    const given = await under(fakeProcessor({ inquire: [notFound] })).finish(zombie.payment);
    expect(given).toMatchObject({ status: 'approved', heldMinor: 0, transactions: [{}, { status: 'failed' }] });
    const late = await zombie.finish(approved);
    expect(late).toMatchObject({
      status: 'approved',
      refundedMinor: 0,
      alerts: [{ text: expect.stringContaining('refund') }],
      transactions: [{}, { status: 'failed', flagged: expect.any(String) }],
    });
  });
});
