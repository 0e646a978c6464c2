/** Payments with a stored claim (docs/reliability.md, "Two writes"): who sends, and what happens after a first nudge is lost. */
import { limits } from '../../../config/limits.js';
import { newClaimedWork } from '../../../shared/domain/payment/work.js';
import type { ProcessorTraits } from '../../../shared/processors/processor.js';
import { noCardTesting } from '../../../workers/processor/card-testing.js';
import { createdPayment, firstTx } from '../../domain/payment/a-payment.js';
import { approved, fakeProcessor, found, notFound, notSent, unknown } from './fake-processor.js';
import { now, sends, store, under, useStore } from './processor-suite.js';

useStore();

type Script = Parameters<typeof fakeProcessor>[0];

async function stored(script: Script = {}, traits: Partial<ProcessorTraits> = { dedupes: true }) {
  const processor = fakeProcessor(script, traits);
  const payment = createdPayment({ createdAt: now() });
  const txId = firstTx(payment).id;
  const work = newClaimedWork(txId, now(), `insert-of-${payment._id}`, limits.storedClaimLeaseMs);
  await store.put({ ...payment, work });
  const nudge = { paymentId: payment._id, txId, gen: 1, traceId: payment.traceId };
  return { processor, payment: await store.read(payment._id), first: { ...nudge, first: work.leaseToken }, nudge };
}
const handedOutOnce = { handedOutOnce: true };

test('the first nudge sends by the claim of the insert: two writes in all', async () => {
  const { processor, payment, first } = await stored();
  await under(processor).pool.work(first, handedOutOnce);
  expect(processor.calls).toEqual([`authorize ${first.txId}`]);
  const done = await store.read(payment._id);
  expect(done).toMatchObject({ status: 'approved', version: 2 });
  expect(done.work).toBeUndefined();
});

test('a nudge that may have been handed out twice claims first, and sends under the same key', async () => {
  const { processor, payment, first } = await stored();
  await under(processor).pool.work(first, { handedOutOnce: false });
  expect(processor.calls).toEqual([`authorize ${first.txId}`]);
  expect(await store.read(payment._id)).toMatchObject({ status: 'approved', version: 3 });
});

test('ten workers with the same nudge produce one outcome', async () => {
  const { processor, payment, first } = await stored();
  const pools = Array.from({ length: 10 }, () => under(processor).pool);
  await Promise.all(pools.map((pool, at) => pool.work(first, { handedOutOnce: at % 2 === 0 })));
  const done = await store.read(payment._id);
  expect(done).toMatchObject({ status: 'approved', capturedMinor: 1050 });
  expect(done.transactions).toHaveLength(1);
  expect(new Set(processor.calls)).toEqual(new Set([`authorize ${first.txId}`]));
});

describe('a payment whose first nudge was lost or whose worker died', () => {
  const withEndedLease = async (script: Script = {}, traits?: Partial<ProcessorTraits>) => {
    const made = await stored(script, traits);
    await store.endLease(made.payment._id);
    return made;
  };

  test('is sent again by others under the same key, without an inquiry', async () => {
    const { processor, payment, nudge } = await withEndedLease();
    await under(processor).pool.work(nudge);
    expect(processor.calls).toEqual([`authorize ${nudge.txId}`]);
    expect((await store.read(payment._id)).status).toBe('approved');
  });

  test('is inquired about first at a processor that does not dedupe', async () => {
    const { processor, payment, nudge } = await withEndedLease({ inquire: [found(approved)] }, { dedupes: false });
    await under(processor).pool.work(nudge);
    expect(processor.calls).toEqual([`inquire ${nudge.txId}`]);
    expect((await store.read(payment._id)).status).toBe('approved');
  });

  test.each([
    ['it cannot be reached', notSent],
    ['the outcome is unknown', unknown],
  ])('stays open and is inquired about when %s, because the first nudge may have been sent', async (_, result) => {
    const { processor, payment, nudge } = await withEndedLease({
      send: [result],
      inquire: [notFound, found(approved)],
    });
    const pool = under(processor);
    await pool.pool.work(nudge);
    const open = await store.read(payment._id);
    expect(open).toMatchObject({ status: 'pending', work: { kind: 'inquire', attempt: { atInsert: true } } });
    expect((await pool.finish(open)).status).toBe('approved');
    // An inquiry that does not find the payment leads to another send under the same key.
    expect(sends(processor)).toBe(2);
    expect(new Set(processor.requests.map(({ key }) => key)).size).toBe(1);
  });

  test('is inquired about when the second send fails, because the first may have succeeded', async () => {
    const failed = { kind: 'failed', resultCode: '96', resultMessage: 'Credentials refused' } as const;
    const { processor, payment, nudge } = await withEndedLease({ send: [failed], inquire: [found(approved)] });
    await under(processor).pool.work(nudge);
    expect(processor.calls).toEqual([`authorize ${nudge.txId}`, `inquire ${nudge.txId}`]);
    expect((await store.read(payment._id)).status).toBe('approved');
  });

  test('with a card that is blocked by now is inquired about, and no decline is made up', async () => {
    const { processor, payment, nudge } = await withEndedLease({ inquire: [found(approved)] });
    const cardTesting = { ...noCardTesting, judge: async () => 'block' as const };
    await under(processor, { cardTesting }).pool.work(nudge);
    expect(processor.calls).toEqual([`inquire ${nudge.txId}`]);
    expect((await store.read(payment._id)).status).toBe('approved');
  });

  test('that is too late for its payer is inquired about and not sent', async () => {
    const { processor, payment, nudge } = await withEndedLease({ inquire: [notFound] });
    const pool = under(processor);
    pool.advance(limits.authorizeWithinMs + 1_000);
    await pool.pool.work(nudge);
    expect(processor.calls).toEqual([`inquire ${nudge.txId}`]);
    expect((await store.read(payment._id)).status).not.toBe('approved');
  });
});
