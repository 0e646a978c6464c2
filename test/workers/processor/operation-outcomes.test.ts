/** Each operation with each kind of answer (docs/reliability.md, "Sending"), on the real MongoDB with a scripted processor. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { handleSend } from '../../../workers/processor/send-operation.handler.js';
import { lastTx, stateProblems } from '../../domain/payment/a-payment.js';
import { approved, declined, fakeProcessor, found, noAnswer, notSent, unknown } from './fake-processor.js';
import { abandoned } from './pool-under-test.js';
import { after, names, now, operations, sends, store, under, useStore } from './processor-suite.js';

useStore();

describe.each(names)('%s', (name) => {
  const statuses = after[name];
  const txId = (payment: Payment) => payment.work?.txId ?? '';

  test('an approval and a decline are written, sent to the caller, and followed by nothing', async () => {
    for (const [answer, status] of [
      [approved, statuses.approved],
      [declined, statuses.declined],
    ] as const) {
      const processor = fakeProcessor({ send: [answer] });
      const pool = under(processor);
      const payment = await operations[name]();
      const done = await pool.step(payment, 'reply-1');
      expect(done.status).toBe(status);
      expect(lastTx(done)).toMatchObject({
        status: answer === approved ? 'approved' : 'denied',
        resultCode: answer.resultCode,
      });
      expect(processor.calls).toEqual([
        `${{ purchase: 'authorize', authorization: 'authorize', capture: 'capture', cancellation: 'cancel', refund: 'refund' }[name]} ${txId(payment)}`,
      ]);
      expect(pool.replies).toMatchObject([
        { channel: 'reply-1', txId: txId(payment), version: done.version, fields: { status } },
      ]);
      expect(done.version).toBe(payment.version + 2);
      expect(pool.nudges).toEqual([]);
      expect(stateProblems(done)).toEqual([]);
    }
  });

  test('a request that is not sent is tried every second for a while, then fails and holds nothing', async () => {
    const processor = fakeProcessor({ send: [notSent] });
    const pool = under(processor);
    const payment = await operations[name]();
    const done = await pool.finish(payment);
    expect(processor.calls).toHaveLength(limits.notSentTriesMax);
    expect(new Set(processor.calls).size).toBe(1);
    expect(done).toMatchObject({ status: statuses.failed, heldMinor: 0 });
    expect(lastTx(done)).toMatchObject({ status: 'failed', errorCode: 'acquirer-offline' });
    expect(pool.nudges.map(({ payload, delayMs }) => [payload.gen, delayMs <= limits.notSentRetryMs])).toEqual(
      Array.from({ length: limits.notSentTriesMax - 1 }, (_, n) => [n + 2, true]),
    );
    expect(stateProblems(done)).toEqual([]);
  });

  test('a request that is sent at the second try gets its outcome', async () => {
    const processor = fakeProcessor({ send: [notSent, approved] });
    const done = await under(processor).finish(await operations[name]());
    expect([done.status, sends(processor)]).toEqual([statuses.approved, 2]);
  });

  test('an unknown outcome is inquired about after two seconds, and nothing is sent again', async () => {
    for (const [answer, status] of [
      [approved, statuses.approved],
      [declined, statuses.declined],
    ] as const) {
      const processor = fakeProcessor({
        send: [unknown],
        inquire: [noAnswer, found({ kind: 'pending', resultMessage: 'soon' }), found(answer)],
      });
      const pool = under(processor);
      const payment = await operations[name]();
      const inquiring = await pool.step(payment);
      expect(inquiring.work).toMatchObject({ kind: 'inquire', tries: 0 });
      expect(pool.nudges[0]).toMatchObject({ job: 'inquire-payment', delayMs: expect.closeTo(2_000, -3) });
      const done = await pool.finish(inquiring);
      expect(done.status).toBe(status);
      expect(processor.calls.map((call) => call.split(' ')[0]).slice(1)).toEqual(['inquire', 'inquire', 'inquire']);
      expect(sends(processor)).toBe(1);
      expect(stateProblems(done)).toEqual([]);
    }
  });

  test('work of a process that died is inquired about and never sent', async () => {
    const processor = fakeProcessor({ inquire: [found(approved)] });
    const payment = await abandoned(store, await operations[name]());
    const done = await under(processor).step(payment);
    expect(processor.calls).toEqual([`inquire ${txId(payment)}`]);
    expect(done.status).toBe(statuses.approved);
  });

  test('an adapter that throws may have sent, so the outcome is inquired about', async () => {
    const broken = () => {
      throw new Error('a bug of the adapter');
    };
    const processor = fakeProcessor({ send: [broken], inquire: [found(approved)] });
    const done = await under(processor).finish(await operations[name]());
    expect([done.status, sends(processor)]).toEqual([statuses.approved, 1]);
  });

  test('too long after the claim nothing is sent, and the work is released without an attempt', async () => {
    const processor = fakeProcessor();
    const pool = under(processor);
    const payment = await operations[name]();
    const { work } = payment;
    const token = 'token-mine';
    await store.payments.updateOne(
      { _id: payment._id },
      { $set: { 'work.leaseToken': token, 'work.attempt': { token, startedAt: now() } } },
    );
    const current = await store.read(payment._id);
    const outcome = await handleSend(pool.deps, {
      payment: current,
      work: current.work as NonNullable<Payment['work']>,
      replyTo: undefined,
      log: pool.deps.log,
      mayStillSend: () => false,
    });
    expect(outcome).toBe('too-late');
    expect(processor.calls).toEqual([]);
    const released = await store.read(payment._id);
    expect(released.work).toMatchObject({ kind: work?.kind, tries: 0, gen: 2 });
    expect(released.work?.attempt).toBeUndefined();
    expect((await pool.finish(released)).status).toBe(statuses.approved);
  });

  test('without its processor in this process nothing is sent, and the operation fails in the end', async () => {
    const done = await under(undefined).finish(await operations[name]());
    expect(done.status).toBe(statuses.failed);
  });

  test('many late and repeated nudges have one effect', async () => {
    const processor = fakeProcessor();
    const pool = under(processor);
    const payment = await operations[name]();
    const nudge = { paymentId: payment._id, txId: txId(payment), gen: 1, traceId: 't' };
    const other = under(processor);
    await Promise.all([
      pool.pool.work(nudge),
      pool.pool.work(nudge),
      other.pool.work(nudge),
      pool.pool.work({ ...nudge, gen: 2 }),
    ]);
    await pool.pool.work(nudge);
    expect(processor.calls).toHaveLength(1);
    expect((await store.read(payment._id)).status).toBe(statuses.approved);
  });
});
