/** What each update of a processor does to a payment in each state: applied once, put off, or flagged for a person. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { InquireRequest, InquireResult } from '../../../shared/processors/processor.js';
import type { ProcessorUpdate } from '../../../shared/processors/updates.js';
import { PROCESSOR_UPDATES, type ProcessorUpdateRow } from '../../../shared/store/processor-update.model.js';
import { applyForgotten, handleUpdate } from '../../../workers/processor/apply-update.handler.js';
import type { UpdateDeps } from '../../../workers/processor/update-result.js';
import { approvedPayment, createdPayment, firstTx, lastTx, schedule } from '../../domain/payment/a-payment.js';
import { approved, declined, fakeProcessor, found, noAnswer, notFound, unknown } from './fake-processor.js';
import type { PoolUnderTest } from './pool-under-test.js';
import { reserve } from './pool-under-test.js';
import { accepted, now, store, under, useStore } from './processor-suite.js';

useStore();
let events = 0;
let lines: string[];
beforeEach(() => {
  lines = [];
});
afterEach(() => rows().deleteMany({}));
const rows = () => store.database.collection<ProcessorUpdateRow>(PROCESSOR_UPDATES);

const failed = { kind: 'failed', resultCode: '96', resultMessage: 'System malfunction' } as const;
type UpdateBody = ProcessorUpdate extends infer U ? (U extends ProcessorUpdate ? Omit<U, 'eventId'> : never) : never;
interface AppliedUpdate {
  readonly payment: Payment;
  readonly row: ProcessorUpdateRow;
}

/** Returns the parts of a pool with a log and metrics that are recorded. */
function listening(pool: PoolUnderTest): UpdateDeps {
  const note = (message: string) => void lines.push(message);
  const log = { debug: note, info: note, warn: note, error: note, with: () => log };
  const metrics = { ...pool.deps.metrics, event: (event: string) => void lines.push(`event ${event}`) };
  return { ...pool.deps, log, metrics } as UpdateDeps;
}

/** Stores an update as the API does, and applies it. */
async function applyUpdate(
  pool: PoolUnderTest,
  payment: Payment,
  said: UpdateBody,
  more: object = {},
): Promise<AppliedUpdate> {
  events += 1;
  const update = { ...said, eventId: `evt_${process.pid}_${events}` } as ProcessorUpdate;
  const received = { processor: 'fake', update, traceId: 'trace-1', receivedAt: pool.deps.clock.now(), ...more };
  const [id = ''] = await pool.deps.updates.store([received]);
  await handleUpdate(listening(pool), id);
  const row = await rows().findOne({ _id: id });
  if (!row) throw new Error('the update is gone');
  return { payment: await store.read(payment._id), row };
}
const outcome = (key: string, said: object): UpdateBody => ({ kind: 'outcome', key, outcome: said }) as UpdateBody;

/** Sends a payment that gets no answer: its outcome is unknown. */
async function unresolved(pool: PoolUnderTest, more: Partial<Payment> = {}): Promise<Payment> {
  return pool.step(await accepted({ takesUpdates: true, ...more }));
}
/** Moves the next inquiry about the payment an hour away. */
const putOff = ({ _id }: Payment) =>
  store.payments.updateOne({ _id }, { $set: { 'work.dueAt': new Date(Date.now() + 3_600_000) } });
const poolWithoutAnswers = () =>
  under(fakeProcessor({ send: [unknown], inquire: [{ kind: 'no-answer', internal: 'silent' }] }));
async function storeApproved(more: Partial<Payment> = {}): Promise<Payment> {
  const payment = { ...approvedPayment({ createdAt: now() }), takesUpdates: true as const, ...more };
  await store.put(payment);
  return store.read(payment._id);
}
async function refunded(
  pool = under(fakeProcessor()),
): Promise<{ pool: PoolUnderTest; payment: Payment; key: string }> {
  const reserved = await reserve(
    store,
    { ...approvedPayment({ createdAt: now() }), takesUpdates: true },
    'refund',
    400,
  );
  const payment = await pool.step(reserved);
  return { pool, payment, key: lastTx(payment).id };
}

describe('an unknown outcome', () => {
  test.each([
    ['approved', approved, 'approved', 'settled as approved'],
    ['declined', declined, 'denied', 'settled as declined'],
    ['failed', failed, 'failed', 'settled as failed'],
  ])('that is reported as %s is settled as by an inquiry', async (_what, said, status, reason) => {
    const pool = poolWithoutAnswers();
    const before = await unresolved(pool);
    const { payment, row } = await applyUpdate(pool, before, outcome(firstTx(before).id, said));
    expect(payment).toMatchObject({ status });
    expect(row).toMatchObject({ status: 'applied', reason, paymentId: before._id });
    const again = await applyUpdate(pool, payment, outcome(firstTx(before).id, said));
    expect([again.row.reason, again.payment.version]).toEqual(['it says nothing new', payment.version]);
  });

  test.each([
    ['a part', 400, 400],
    ['all of it', 1_050, 1_050],
  ])('approved for %s is taken, unless that part is not allowed', async (_what, approvedMinor, authorizedMinor) => {
    const pool = poolWithoutAnswers();
    const before = await unresolved(pool, { allowPartialApproval: true });
    const { payment } = await applyUpdate(pool, before, outcome(firstTx(before).id, { ...approved, approvedMinor }));
    expect(payment).toMatchObject({ status: 'approved', authorizedMinor });
    const unwanted = await unresolved(poolWithoutAnswers());
    const heard = await applyUpdate(pool, unwanted, outcome(firstTx(unwanted).id, { ...approved, approvedMinor }));
    expect(heard.payment.work?.kind).toBe(approvedMinor < 1_050 ? 'reverse' : undefined);
  });

  test.each([
    ['a part', 400, 'reverse'],
    ['all of it', 1_050, undefined],
  ])('approved for an amount that may be a part, and is %s, is judged by it', async (_what, amountMinor, kind) => {
    const about = { amountMinor, currency: 'USD' };
    const said = (key: string) => ({ ...outcome(key, { ...approved, about }), mayBePart: true }) as UpdateBody;
    const pool = poolWithoutAnswers();
    const before = await unresolved(pool, { allowPartialApproval: true });
    const { payment } = await applyUpdate(pool, before, said(firstTx(before).id));
    expect(payment).toMatchObject({ status: 'approved', authorizedMinor: amountMinor });
    const unwanted = await unresolved(poolWithoutAnswers());
    expect((await applyUpdate(pool, unwanted, said(firstTx(unwanted).id))).payment.work?.kind).toBe(kind);
    const other = await unresolved(pool);
    const more = { ...about, amountMinor: 1_051 };
    const tooMuch = { ...outcome(firstTx(other).id, { ...approved, about: more }), mayBePart: true } as UpdateBody;
    expect((await applyUpdate(pool, other, tooMuch)).row.status).toBe('flagged');
  });

  test('is found by the reference of the processor', async () => {
    const pool = poolWithoutAnswers();
    const before = await unresolved(pool);
    const transactions = [{ ...firstTx(before), processorReference: 'ref-1' }];
    await store.payments.updateOne({ _id: before._id }, { $set: { transactions } });
    const said = { kind: 'outcome', processorReference: 'ref-1', outcome: approved } as const;
    expect((await applyUpdate(pool, before, said)).payment.status).toBe('approved');
  });

  test('that is reported as pending is inquired about at once', async () => {
    const pool = poolWithoutAnswers();
    const before = await unresolved(pool);
    await putOff(before);
    const { payment, row } = await applyUpdate(
      pool,
      before,
      outcome(firstTx(before).id, { kind: 'pending', resultMessage: '' }),
    );
    expect(row).toMatchObject({ status: 'applied', reason: 'asked at once' });
    expect(payment.work).toMatchObject({ kind: 'inquire', tries: before.work?.tries });
    expect(payment.work?.dueAt.getTime()).toBeLessThanOrEqual(pool.deps.clock.now().getTime());
  });

  test('that is reported as changed is inquired about at once, and a final outcome is not', async () => {
    const pool = poolWithoutAnswers();
    const before = await unresolved(pool);
    await putOff(before);
    const said = { kind: 'changed', key: firstTx(before).id } as const;
    expect((await applyUpdate(pool, before, said)).row.reason).toBe('asked at once');
    const over = await storeApproved();
    expect((await applyUpdate(pool, over, { kind: 'changed', key: firstTx(over).id })).row.reason).toBe(
      'it says nothing new',
    );
  });

  test.each([
    ['another amount', { about: { amountMinor: 7 } }],
    ['another currency', { about: { currency: 'EUR' } }],
    ['more than was asked for', { approvedMinor: 9_999 }],
  ])('an update about %s is not believed, and is flagged once', async (_what, more) => {
    const pool = poolWithoutAnswers();
    const before = await unresolved(pool);
    const said = outcome(firstTx(before).id, { ...approved, ...more });
    const { payment, row } = await applyUpdate(pool, before, said);
    expect(row).toMatchObject({ status: 'flagged', paymentId: before._id });
    expect(payment).toMatchObject({ status: before.status });
    expect(payment.alerts?.map(({ text }) => text)).toEqual([expect.stringContaining('is not believed')]);
    expect(payment.alerts?.[0]?.text).toContain(`an update of fake about purchase ${firstTx(before).id}`);
    expect(lines).toContain('update.needs-a-person');
    expect(lines).toContain('event update-flagged');
    expect((await applyUpdate(pool, payment, said)).payment.alerts).toHaveLength(1);
  });

  test('a smaller amount than requested can be approved for a payment, but not for a refund', async () => {
    const pool = poolWithoutAnswers();
    const before = await unresolved(pool, { allowPartialApproval: true });
    const part = { ...approved, approvedMinor: 500 };
    const { payment } = await applyUpdate(pool, before, outcome(firstTx(before).id, part));
    expect(payment).toMatchObject({ status: 'approved', capturedMinor: 500 });
    const { pool: other, payment: refund, key } = await refunded(poolWithoutAnswers());
    expect((await applyUpdate(other, refund, outcome(key, { ...approved, approvedMinor: 5 }))).row.status).toBe(
      'flagged',
    );
  });

  test('an update that comes before anything was sent is put off several times, then flagged', async () => {
    const pool = poolWithoutAnswers();
    const before = await accepted({ takesUpdates: true });
    let { payment, row } = await applyUpdate(pool, before, outcome(firstTx(before).id, approved));
    for (const [tries, waitMs] of schedule.updateAgainAfterMs.entries()) {
      expect(row).toMatchObject({ status: 'waiting', tries: tries + 1, reason: 'nothing was sent under this key yet' });
      expect(row.dueAt.getTime() - pool.deps.clock.now().getTime()).toBeGreaterThan(waitMs - 60_000);
      pool.advance(waitMs);
      await handleUpdate(listening(pool), row._id);
      row = (await rows().findOne({ _id: row._id })) as ProcessorUpdateRow;
      payment = await store.read(payment._id);
    }
    expect(row).toMatchObject({ status: 'flagged', reason: 'nothing was sent under this key yet' });
    expect(payment.version).toBe(before.version);
  });
});

describe('an update about a final outcome', () => {
  test('an approval after a failure is reversed', async () => {
    const pool = under(fakeProcessor({ send: [failed] }));
    const before = await pool.finish(await accepted({ takesUpdates: true }));
    expect(before.status).toBe('failed');
    const { payment, row } = await applyUpdate(pool, before, outcome(firstTx(before).id, approved));
    expect(row).toMatchObject({ status: 'applied', reason: 'settled as approved' });
    expect(payment.work).toMatchObject({ kind: 'reverse' });
  });

  test('an approval after a failure without a reference is reversed by the reference of the approval', async () => {
    const processor = fakeProcessor({ send: [unknown], inquire: [notFound] });
    const pool = under(processor);
    const before = await pool.finish(await accepted({ takesUpdates: true }));
    expect([before.status, firstTx(before).processorReference]).toEqual(['failed', undefined]);
    const said = outcome(firstTx(before).id, { ...approved, processorReference: 'ref-9', ticket: 'ref-9' });
    const { payment } = await applyUpdate(pool, before, said);
    await pool.finish(payment);
    expect(processor.reversals.at(-1)).toMatchObject({ originalReferences: { processorReference: 'ref-9' } });
  });

  /** A payment that was given up, and a processor that answers this about it from now on. */
  async function givenUp(said: InquireResult) {
    const silent = under(fakeProcessor({ send: [unknown], inquire: [notFound] }));
    const before = await silent.finish(await accepted({ takesUpdates: true }));
    expect(before.status).toBe('failed');
    const asked: InquireRequest[] = [];
    const processor = fakeProcessor();
    const inquire = async (request: InquireRequest) => {
      asked.push(request);
      return said;
    };
    const changed = { kind: 'changed', key: firstTx(before).id, processorReference: 'ref-9' } as const;
    return { before, asked, processor, changed, pool: under({ ...processor, inquire }) };
  }

  test('one that was given up, and that the processor has approved since, is reversed by its reference', async () => {
    const late = found({ ...approved, processorReference: 'ref-9' });
    const { before, asked, processor, changed, pool } = await givenUp(late);
    const { payment, row } = await applyUpdate(pool, before, { ...changed, isApproved: true });
    expect(row).toMatchObject({ status: 'applied', reason: 'settled as approved' });
    expect(asked).toMatchObject([
      { key: firstTx(before).id, operation: 'authorize', references: { processorReference: 'ref-9' } },
    ]);
    const reversed = await pool.finish(payment);
    expect(processor.reversals).toMatchObject([{ originalReferences: { processorReference: 'ref-9' } }]);
    expect(reversed).toMatchObject({ status: 'failed', capturedMinor: 0, alerts: [{}] });
    expect(lastTx(reversed)).toMatchObject({ kind: 'reversal', status: 'approved' });
  });

  test.each([
    ['has reversed it', found(failed), 'applied', 'it is not in effect there'],
    ['does not find it', notFound, 'applied', 'it is not in effect there'],
    ['does not answer', noAnswer, 'waiting', 'the processor does not say what became of it'],
  ] as const)('one that was given up stays so if the processor %s', async (_what, said, status, reason) => {
    const { before, changed, pool } = await givenUp(said);
    const { payment, row } = await applyUpdate(pool, before, { ...changed, isApproved: true });
    expect([row.status, row.reason, payment.version]).toEqual([status, reason, before.version]);
  });

  test('the processor is asked neither about a change that is no approval, nor about an approved payment', async () => {
    const { before, asked, changed, pool } = await givenUp(found(approved));
    expect((await applyUpdate(pool, before, changed)).row.reason).toBe('it says nothing new');
    const paid = await storeApproved();
    const { row } = await applyUpdate(pool, paid, { ...changed, key: firstTx(paid).id, isApproved: true });
    expect([row.reason, asked]).toEqual(['it says nothing new', []]);
  });

  test('an approval after a decline is reversed, once', async () => {
    const pool = under(fakeProcessor({ send: [declined] }));
    const before = await pool.finish(await accepted({ takesUpdates: true }));
    expect(before.status).toBe('denied');
    const said = outcome(firstTx(before).id, approved);
    const { payment, row } = await applyUpdate(pool, before, said);
    expect(row).toMatchObject({ status: 'applied', reason: 'settled as approved' });
    expect(payment).toMatchObject({ status: 'denied', work: { kind: 'reverse' } });
    expect(payment.alerts).toHaveLength(1);
    const reversed = await pool.finish(payment);
    expect(reversed).toMatchObject({ status: 'denied', transactions: [{}, { kind: 'reversal', status: 'approved' }] });
    const again = await applyUpdate(pool, reversed, said);
    expect([again.row.reason, again.payment.version]).toEqual(['it says nothing new', reversed.version]);
  });

  test.each([
    ['declined', declined, 'denied'],
    ['failed', failed, 'failed'],
  ])('a late approval is reversed, though it is reported once more as %s', async (_what, first, status) => {
    const reverse = [{ kind: 'no-answer', internal: 'silent' } as const, { kind: 'reversed' } as const];
    const processor = fakeProcessor({ send: [first], reverse });
    const pool = under(processor);
    const before = await pool.finish(await accepted({ takesUpdates: true }));
    const { id } = firstTx(before);
    const late = await pool.step((await applyUpdate(pool, before, outcome(id, approved))).payment);
    // Updates come in any order: this one says what was known before the approval.
    for (const old of [declined, failed]) {
      const { payment, row } = await applyUpdate(pool, late, outcome(id, old));
      expect([row.status, row.reason]).toEqual(['applied', 'it says nothing new']);
      expect(payment).toMatchObject({ status, work: { kind: 'reverse' }, transactions: [{}, { status: 'created' }] });
    }
    const reversed = await pool.finish(late);
    expect(processor.reversals).toHaveLength(2);
    expect(reversed).toMatchObject({ status, transactions: [{}, { kind: 'reversal', status: 'approved' }] });
  });

  test('an attempt that was left and is approved during the next attempt is reversed when that has ended', async () => {
    const processor = fakeProcessor();
    const pool = under(processor);
    const base = createdPayment({ createdAt: now() });
    const leftRoute = { processor: 'fake', acquirer: 'acquirer-a' };
    const left = { ...firstTx(base), id: `txn_left_${base._id}`, status: 'failed' as const, leftRoute };
    await store.put({ ...base, takesUpdates: true, transactions: [left, ...base.transactions] });
    const before = await store.read(base._id);
    const { payment, row } = await applyUpdate(pool, before, outcome(left.id, approved));
    expect(payment).toEqual(before);
    expect(row).toMatchObject({ status: 'waiting', reason: expect.stringContaining('in progress') });
    const paid = await pool.finish(payment);
    expect(paid).toMatchObject({ status: 'approved', capturedMinor: 1_050 });
    pool.advance(schedule.updateAgainAfterMs[0] ?? 0);
    await handleUpdate(listening(pool), row._id);
    expect(await rows().findOne({ _id: row._id })).toMatchObject({ status: 'applied', reason: 'settled as approved' });
    const after = await pool.finish(paid);
    expect(processor.reversals.map(({ original }) => original)).toEqual([left.id]);
    expect(after).toMatchObject({
      status: 'approved',
      transactions: [{}, {}, { status: 'approved', kind: 'reversal' }],
    });
  });

  test('a refund that is approved after a decline is flagged once, and no money moves', async () => {
    const { pool, payment: before, key } = await refunded(under(fakeProcessor({ send: [declined] })));
    expect(lastTx(before).status).toBe('denied');
    const said = outcome(key, approved);
    const { payment } = await applyUpdate(pool, before, said);
    expect(payment).toMatchObject({ status: 'approved', refundedMinor: 0 });
    expect(lastTx(payment)).toMatchObject({ status: 'denied', flagged: 'approved after it had failed' });
    const again = await applyUpdate(pool, payment, said);
    expect([again.row.reason, again.payment.version]).toEqual(['it says nothing new', payment.version]);
  });

  test('a partial approval that was reversed already is nothing new', async () => {
    const part = { ...approved, approvedMinor: 400 };
    const pool = under(fakeProcessor({ send: [part] }));
    const before = await pool.finish(await accepted({ takesUpdates: true }));
    expect(before).toMatchObject({ status: 'denied', transactions: [{ approvedMinor: 400 }, { status: 'approved' }] });
    const { payment, row } = await applyUpdate(pool, before, outcome(firstTx(before).id, part));
    expect([row.reason, payment.version]).toEqual(['it says nothing new', before.version]);
  });

  test('a decline after a failure changes nothing', async () => {
    const pool = under(fakeProcessor({ send: [failed] }));
    const before = await pool.finish(await accepted({ takesUpdates: true }));
    const { payment, row } = await applyUpdate(pool, before, outcome(firstTx(before).id, declined));
    expect([row.reason, payment.version]).toEqual(['it had failed already', before.version]);
  });

  test('a decline after an approval is flagged once, and no money moves', async () => {
    const pool = poolWithoutAnswers();
    const before = await storeApproved();
    const said = outcome(firstTx(before).id, declined);
    const { payment, row } = await applyUpdate(pool, before, said);
    expect(row).toMatchObject({ status: 'applied', reason: 'flagged: it was approved before' });
    expect(payment).toMatchObject({ status: 'approved', transactions: [{ flagged: 'reported as declined later' }] });
    expect((await applyUpdate(pool, payment, said)).row.reason).toBe('it says nothing new');
  });

  const network = {
    networkTransactionId: 'net-1',
    networkLinkId: 'link-1',
    checks: { cvc: { result: 'match' } },
  } as const;
  const plain = { kind: 'approved', resultCode: '00', resultMessage: 'Approved', processorReference: 'ref-1' } as const;

  /** A payment whose approval is reported by an update while the processor answers `said` to the call. */
  async function reportedFirst(said: object, more: Partial<Payment> = {}) {
    let sent: Payment | undefined;
    const answer = async () => {
      const payment = sent as Payment;
      const { row } = await applyUpdate(pool, payment, outcome(firstTx(payment).id, plain));
      expect(row.reason).toBe('settled as approved');
      return { ...plain, ...said };
    };
    const pool: PoolUnderTest = under(fakeProcessor({ send: [answer] }));
    sent = await accepted({ takesUpdates: true, ...more });
    return { pool, payment: await pool.step(sent, 'channel-1') };
  }

  test('the answer that comes after the update of its approval adds what the update did not say', async () => {
    const { pool, payment } = await reportedFirst({ ...network, authorization: 'A1', ticket: 'T1' });
    expect(firstTx(payment)).toMatchObject({ status: 'approved', ...network, authorization: 'A1', ticket: 'T1' });
    expect(payment).toMatchObject({ status: 'approved', capturedMinor: 1_050 });
    expect(payment.alerts).toBeUndefined();
    expect(pool.replies).toHaveLength(1);
    const { payment: same } = await reportedFirst({});
    expect([firstTx(same).networkTransactionId, same.alerts]).toEqual([undefined, undefined]);
  });

  test('the card that the payment saves learns the references of the network from the answer', async () => {
    const tokenization = { token: 'tok_late', type: 'persistent' } as const;
    const { pool } = await reportedFirst(network, { tokenization });
    expect(await pool.deps.instruments.find('cli_a', 'tok_late')).toMatchObject({
      networkTransactionId: 'net-1',
      networkLinkId: 'link-1',
    });
  });

  test('a review and a smaller amount that only the answer names are flagged', async () => {
    const { payment: held } = await reportedFirst({ inReview: true });
    expect(held.alerts).toMatchObject([{ text: expect.stringContaining('held for manual review') }]);
    const { payment: part } = await reportedFirst({ approvedMinor: 400 }, { allowPartialApproval: true });
    expect(part).toMatchObject({ status: 'approved', capturedMinor: 1_050 });
    expect(part.alerts).toMatchObject([{ text: expect.stringContaining('approved for another amount') }]);
  });

  test('the update that comes after the answer adds what the answer did not say, once', async () => {
    const pool = poolWithoutAnswers();
    const before = await storeApproved();
    const said = outcome(firstTx(before).id, { ...plain, ...network });
    const { payment, row } = await applyUpdate(pool, before, said);
    expect([row.status, row.reason]).toEqual(['applied', 'it says more than was known']);
    expect(firstTx(payment)).toMatchObject({ status: 'approved', ...network, processorReference: 'ref-1' });
    const again = await applyUpdate(pool, payment, said);
    expect([again.row.reason, again.payment.version]).toEqual(['it says nothing new', payment.version]);
  });

  test('a second approval under another reference is flagged once: the payer may be charged twice', async () => {
    const pool = poolWithoutAnswers();
    const transactions = [{ ...firstTx(approvedPayment({ createdAt: now() })), processorReference: 'ref-1' }];
    const before = await storeApproved({ transactions });
    const said = outcome(firstTx(before).id, { ...plain, processorReference: 'ref-2', ticket: 'T2' });
    const { payment, row } = await applyUpdate(pool, before, said);
    expect(row).toMatchObject({ status: 'applied', reason: 'flagged: it was approved before' });
    expect(payment).toMatchObject({ capturedMinor: 1_050, transactions: [{ processorReference: 'ref-1' }] });
    expect(payment.alerts).toMatchObject([{ text: expect.stringContaining('approved once more, as T2') }]);
    expect((await applyUpdate(pool, payment, said)).row.reason).toBe('it says nothing new');
  });

  test('an approval for another amount than before is flagged once, and no money moves', async () => {
    const pool = poolWithoutAnswers();
    const before = await storeApproved();
    const { amountMinor } = firstTx(before);
    const part = outcome(firstTx(before).id, { ...approved, approvedMinor: 400 });
    const { payment, row } = await applyUpdate(pool, before, part);
    expect(row).toMatchObject({ status: 'applied', reason: 'flagged: it was approved before' });
    const flagged = 'reported as approved for another amount later';
    expect(payment).toMatchObject({ capturedMinor: before.capturedMinor, transactions: [{ flagged }] });
    expect((await applyUpdate(pool, payment, part)).row.reason).toBe('it says nothing new');

    const whole = outcome(firstTx(before).id, { ...approved, approvedMinor: amountMinor });
    expect((await applyUpdate(pool, payment, whole)).row.reason).toBe('it says nothing new');
    const taken = await storeApproved();
    const transactions = [{ ...firstTx(taken), approvedMinor: 400 }];
    await store.payments.updateOne({ _id: taken._id }, { $set: { transactions } });
    const [same, other] = [
      await applyUpdate(pool, taken, outcome(firstTx(taken).id, { ...approved, approvedMinor: 400 })),
      await applyUpdate(pool, taken, outcome(firstTx(taken).id, { ...approved, approvedMinor: amountMinor })),
    ];
    expect([same.row.reason, other.row.reason]).toEqual(['it says nothing new', 'flagged: it was approved before']);
  });
});

describe('a refund', () => {
  const returned = (key: string, more: object = {}): UpdateBody =>
    ({ kind: 'refund-failed', key, resultCode: '14', resultMessage: 'Card closed', ...more }) as UpdateBody;

  test.each([
    ['reported as failed', returned],
    ['reported as declined', (key: string) => outcome(key, declined)],
  ])('that was approved and is %s is returned, once', async (_what, said) => {
    const { pool, payment: before, key } = await refunded();
    expect(before).toMatchObject({ status: 'partially-refunded', refundedMinor: 400 });
    const { payment, row } = await applyUpdate(pool, before, said(key));
    expect(row).toMatchObject({ status: 'applied', reason: 'the refund was returned' });
    expect(payment).toMatchObject({ status: 'approved', refundedMinor: 0 });
    expect(lines).toContain('refund.failed-later');
    const again = await applyUpdate(pool, payment, said(key));
    expect(again.payment.version).toBe(payment.version);
  });

  test('with an unknown outcome that is reported as failed is declined', async () => {
    const { pool, payment: before, key } = await refunded(poolWithoutAnswers());
    const { payment } = await applyUpdate(pool, before, returned(key));
    expect(payment).toMatchObject({ status: 'approved', refundedMinor: 0 });
    expect(lastTx(payment)).toMatchObject({ status: 'denied', resultCode: '14', resultMessage: 'Card closed' });
  });

  test('that failed is not changed by a late report of its earlier approval', async () => {
    const { pool, payment: before, key } = await refunded(poolWithoutAnswers());
    const failedFirst = await applyUpdate(pool, before, returned(key));
    const { payment, row } = await applyUpdate(pool, failedFirst.payment, outcome(key, approved));
    expect(row.reason).toBe('it says nothing new');
    expect(payment).toEqual(failedFirst.payment);
    expect(payment.alerts ?? []).toEqual([]);
  });

  test('of another amount is not believed', async () => {
    const { pool, payment: before, key } = await refunded();
    const { payment, row } = await applyUpdate(pool, before, returned(key, { about: { amountMinor: 1 } }));
    expect([row.status, payment.refundedMinor]).toEqual(['flagged', 400]);
  });

  test('that names a purchase is not believed', async () => {
    const before = await storeApproved();
    const { payment, row } = await applyUpdate(poolWithoutAnswers(), before, returned(firstTx(before).id));
    expect(row).toMatchObject({ status: 'flagged', reason: 'it is no refund' });
    expect(payment.alerts).toHaveLength(1);
  });
});

describe('a payment that is being reversed', () => {
  /** Stores an authorization without an outcome, whose reversal is not confirmed. */
  async function reversing() {
    const pool = under(
      fakeProcessor({ send: [unknown], inquire: [notFound], reverse: [{ kind: 'no-answer', internal: 'silent' }] }),
    );
    let payment = await pool.step(await accepted({ takesUpdates: true }));
    for (let n = 0; payment.work?.kind !== 'reverse' || payment.transactions.length < 2; n += 1) {
      if (n > 30 || !payment.work) throw new Error(`it is not reversed: ${JSON.stringify(payment.work)}`);
      payment = await pool.step(payment);
    }
    return { pool, before: payment, key: firstTx(payment).id, reversal: lastTx(payment).id };
  }

  test('ends when its reversal is confirmed', async () => {
    const { pool, before, reversal } = await reversing();
    const { payment, row } = await applyUpdate(pool, before, outcome(reversal, { ...approved, ticket: 'R1' }));
    expect(row.reason).toBe('reversed');
    expect(payment).toMatchObject({ status: 'failed', transactions: [{ status: 'failed' }, { ticket: 'R1' }] });
    expect((await applyUpdate(pool, payment, outcome(reversal, approved))).row.reason).toBe('it says nothing new');
  });

  test('ends when there is nothing to reverse', async () => {
    const { pool, before, key } = await reversing();
    const { payment, row } = await applyUpdate(pool, before, outcome(key, declined));
    expect([row.reason, payment.status]).toEqual(['reversed', 'failed']);
  });

  test('says nothing by the capture that the processor made by itself', async () => {
    const { pool, before, key, reversal } = await reversing();
    const capture = {
      kind: 'outcome',
      processorReference: 'capture-2',
      purchase: key,
      outcome: declined,
    } as UpdateBody;
    const during = await applyUpdate(pool, before, capture);
    expect([during.row.status, during.row.reason]).toEqual(['applied', 'the purchase is taken back']);
    const ended = await applyUpdate(pool, before, outcome(reversal, approved));
    const behind = await applyUpdate(pool, ended.payment, capture);
    expect(behind.row.reason).toBe('the purchase is taken back');
    expect(behind.payment).toEqual(ended.payment);
  });

  test('is reversed by its reference once an update names it', async () => {
    const { pool, before, key } = await reversing();
    const said = outcome(key, { ...approved, processorReference: 'ref-9' });
    const { payment, row } = await applyUpdate(pool, before, said);
    expect(row.reason).toBe('named: it is reversed by its reference');
    expect(payment).toMatchObject({ transactions: [{ processorReference: 'ref-9' }, {}], work: { kind: 'reverse' } });
    expect((await applyUpdate(pool, payment, said)).row.reason).toBe('it says nothing new');
  });

  test('is looked at again when it is named while its reversal begins, so that the name is not lost', async () => {
    const { pool, before, key } = await reversing();
    // The payment as it was when the update was looked at: the reversal began in between.
    const asRead = { ...before, transactions: [firstTx(before)], work: { ...before.work, kind: 'inquire' } } as Payment;
    let reads = 0;
    const payments = Object.create(pool.deps.payments, {
      findForUpdate: {
        value: async (...by: Parameters<typeof pool.deps.payments.findForUpdate>) => {
          reads += 1;
          return reads === 1 ? { ...asRead, version: before.version - 1 } : pool.deps.payments.findForUpdate(...by);
        },
      },
    });
    const raced = { ...pool, deps: { ...pool.deps, payments } } as PoolUnderTest;
    const { row } = await applyUpdate(raced, before, outcome(key, { ...approved, processorReference: 'ref-9' }));
    expect(row).toMatchObject({ status: 'waiting', reason: expect.stringContaining('changed meanwhile') });
    pool.advance(schedule.updateAgainAfterMs[0] ?? 0);
    await handleUpdate(listening(raced), row._id);
    expect(await rows().findOne({ _id: row._id })).toMatchObject({ reason: 'named: it is reversed by its reference' });
    expect(firstTx(await store.read(before._id)).processorReference).toBe('ref-9');
  });

  test('is flagged when its reversal is refused, and the reversal goes on', async () => {
    const { pool, before, reversal, key } = await reversing();
    const { payment, row } = await applyUpdate(pool, before, outcome(reversal, declined));
    expect(row.reason).toBe('flagged: not reversed');
    expect(payment.alerts?.at(-1)?.text).toBe(
      `the processor did not reverse ${key}: ${declined.resultMessage}; retrying`,
    );
    expect(payment).toMatchObject({ work: { kind: 'reverse' }, transactions: [{}, { refusals: 1 }] });
    const again = (await applyUpdate(pool, payment, outcome(reversal, declined))).payment;
    expect(again).toMatchObject({ alerts: payment.alerts, transactions: [{}, { refusals: 2 }] });
    // A refusal of the request by our key does not count for the request by the processor's reference, which was learned later.
    const name = outcome(key, { ...approved, processorReference: 'ref-9' });
    const named = (await applyUpdate(pool, again, name)).payment;
    expect((await applyUpdate(pool, named, outcome(reversal, declined))).payment).toMatchObject({
      transactions: [{}, { refusals: 2 }],
    });
    const byName = { ...outcome(reversal, declined), originalReference: 'ref-9' } as UpdateBody;
    expect((await applyUpdate(pool, named, byName)).payment).toMatchObject({ transactions: [{}, { refusals: 3 }] });
    // A late refusal says nothing about what was reversed meanwhile.
    const over = (await applyUpdate(pool, again, outcome(reversal, approved))).payment;
    expect((await applyUpdate(pool, over, outcome(reversal, declined))).row.reason).toBe('it says nothing new');
  });

  test('an update about a closure without our reversal is acknowledged, unless the payment is approved here', async () => {
    const pool = poolWithoutAnswers();
    const closing = (payment: Payment, said: object): UpdateBody => {
      const key = firstTx(payment).id;
      return { ...outcome(`${key}-reverse`, said), original: key } as UpdateBody;
    };
    const open = await unresolved(pool);
    expect((await applyUpdate(pool, open, closing(open, approved))).row).toMatchObject({ status: 'waiting' });
    expect((await applyUpdate(pool, open, closing(open, declined))).row).toMatchObject({ status: 'applied' });
    const refused = (await applyUpdate(pool, open, outcome(firstTx(open).id, declined))).payment;
    const heard = await applyUpdate(pool, refused, closing(refused, approved));
    expect(heard.row).toMatchObject({ status: 'applied', reason: 'nothing is reversed' });
    expect(heard.payment.version).toBe(refused.version);
    const charged = await storeApproved();
    expect((await applyUpdate(pool, charged, closing(charged, approved))).row).toMatchObject({ status: 'waiting' });
    expect((await applyUpdate(pool, refused, closing(refused, approved), { merchantId: 7 })).row.status).toBe(
      'waiting',
    );
    expect(
      (await applyUpdate(pool, refused, { ...closing(refused, approved), original: 'txn_none' } as UpdateBody)).row
        .status,
    ).toBe('waiting');
  });

  test('is flagged for a person when the refund that reversed it fails later', async () => {
    const { pool, before, reversal, key } = await reversing();
    const said = { kind: 'refund-failed', key: reversal, resultCode: '14', resultMessage: 'Card closed' } as const;
    const { payment, row } = await applyUpdate(pool, before, said);
    expect(row).toMatchObject({ status: 'flagged', reason: 'the refund of a reversal failed' });
    expect(payment.alerts?.at(-1)?.text).toBe(
      `${key} was taken back, and the refund for it failed (Card closed): ` +
        'the payer does not have the money back; return it another way',
    );
    const other = await applyUpdate(pool, payment, { ...said, about: { currency: 'EUR' } });
    expect(other.payment.alerts?.at(-1)?.text).toContain('is not believed');
  });
});

describe('a capture that the processor made by itself', () => {
  const captureOf = (payment: Payment, said: object): UpdateBody =>
    ({ kind: 'outcome', processorReference: 'capture-1', purchase: firstTx(payment).id, outcome: said }) as UpdateBody;

  test('says nothing new about an approved purchase', async () => {
    const before = await storeApproved();
    const { amountMinor } = firstTx(before);
    const { payment, row } = await applyUpdate(
      poolWithoutAnswers(),
      before,
      captureOf(before, { ...approved, about: { amountMinor } }),
    );
    expect(row).toMatchObject({ status: 'applied', reason: 'it says nothing new', paymentId: before._id });
    expect(payment.version).toBe(before.version);
  });

  test('that failed is flagged once, with what is wrong', async () => {
    const before = await storeApproved();
    const said = captureOf(before, { ...declined, resultMessage: 'Capture not allowed' });
    const { payment, row } = await applyUpdate(poolWithoutAnswers(), before, said);
    expect(row).toMatchObject({ status: 'applied', reason: 'flagged: it was approved before' });
    expect(payment).toMatchObject({ status: 'approved', capturedMinor: before.capturedMinor });
    expect(payment.alerts?.at(-1)?.text).toBe(
      `purchase ${firstTx(before).id} is approved, and the processor now reports it as not captured (Capture not allowed); nothing was moved by it`,
    );
    expect((await applyUpdate(poolWithoutAnswers(), payment, said)).row.reason).toBe('it says nothing new');
  });

  test('of another amount is not believed', async () => {
    const before = await storeApproved();
    const { row, payment } = await applyUpdate(
      poolWithoutAnswers(),
      before,
      captureOf(before, { ...approved, about: { amountMinor: 1 } }),
    );
    expect(row).toMatchObject({ status: 'flagged', reason: 'the answer has another amount' });
    expect(payment.alerts?.at(-1)?.text).toContain('is not believed');
  });

  test('waits for the outcome of its purchase, and fits no hold and no payment of another merchant', async () => {
    const pool = poolWithoutAnswers();
    const open = await unresolved(pool);
    expect((await applyUpdate(pool, open, captureOf(open, approved))).row).toMatchObject({
      ...{ status: 'waiting', reason: 'its purchase is not approved' },
    });
    const charged = await storeApproved();
    expect((await applyUpdate(pool, charged, captureOf(charged, approved), { merchantId: 7 })).row.status).toBe(
      'flagged',
    );
    const [purchase] = charged.transactions;
    if (!purchase) throw new Error('there is no purchase');
    const hold = await storeApproved({ transactions: [{ ...purchase, id: `${purchase.id}h`, kind: 'authorization' }] });
    expect((await applyUpdate(pool, hold, captureOf(hold, approved))).row).toMatchObject({
      ...{ status: 'waiting', reason: 'no payment is known by this key or reference' },
    });
  });
});

describe('a dispute', () => {
  test('is kept with the payment, without the ids of its update', async () => {
    const before = await storeApproved();
    const said = {
      ...{ kind: 'dispute', key: firstTx(before).id, disputeId: 'dp_1', status: 'open' },
      ...{ amountMinor: 1050, currency: 'USD', reason: 'fraudulent' },
    } as unknown as UpdateBody;
    const { payment, row } = await applyUpdate(poolWithoutAnswers(), before, said);
    expect(row.reason).toBe('dispute open');
    expect(payment.disputes).toMatchObject([{ id: 'dp_1', status: 'open', amountMinor: 1050, reason: 'fraudulent' }]);
    expect(payment.disputes?.[0]).not.toHaveProperty('eventId');
    expect(payment.disputes?.[0]).not.toHaveProperty('key');
  });
});

describe('a report of fraud', () => {
  const reported = (payment: Payment) =>
    ({ kind: 'fraud-report', key: firstTx(payment).id, reason: 'made_with_stolen_card' }) as unknown as UpdateBody;

  test('alerts a person once, and moves nothing', async () => {
    const before = await storeApproved();
    const { row } = await applyUpdate(poolWithoutAnswers(), before, reported(before));
    expect(row).toMatchObject({ status: 'applied', reason: 'fraud reported' });
    const { payment, row: again } = await applyUpdate(poolWithoutAnswers(), before, reported(before));
    expect(again).toMatchObject({ status: 'applied', reason: 'it says nothing new' });
    expect(payment).toMatchObject({ status: before.status, transactions: before.transactions });
    expect(payment.disputes).toBeUndefined();
    expect(payment.alerts?.map(({ text }) => text)).toEqual([
      `the issuer reports purchase ${firstTx(before).id} as fraud (made_with_stolen_card); a chargeback may follow`,
    ]);
  });

  test('of a payment whose money is back says nothing', async () => {
    const before = await storeApproved({ status: 'refunded' });
    const { payment, row } = await applyUpdate(poolWithoutAnswers(), before, reported(before));
    expect([row.status, payment.alerts]).toEqual(['applied', undefined]);
  });
});

describe('a manual review at the processor', () => {
  const reviewed = (payment: Payment, state: string) =>
    ({ kind: 'review', key: firstTx(payment).id, state }) as unknown as UpdateBody;
  const textsOf = ({ alerts = [] }: Payment) => alerts.map(({ text }) => text);
  const held = expect.stringMatching(/ is held for manual review at the processor; do not deliver before it ends$/);

  test('an approval that is held for review alerts a person, and the update about it says nothing new', async () => {
    const pool = under(fakeProcessor({ send: [{ ...approved, inReview: true }] }));
    const before = await pool.step(await accepted({ takesUpdates: true }));
    expect(before.status).toBe('approved');
    expect(textsOf(before)).toEqual([held]);
    const { payment, row } = await applyUpdate(pool, before, reviewed(before, 'opened'));
    expect(row).toMatchObject({ status: 'applied', reason: 'it says nothing new' });
    expect(textsOf(payment)).toEqual([held]);
  });

  test('its end is an alert too, and moves nothing', async () => {
    const before = await storeApproved();
    await applyUpdate(poolWithoutAnswers(), before, reviewed(before, 'opened'));
    const { payment, row } = await applyUpdate(poolWithoutAnswers(), before, reviewed(before, 'rejected'));
    expect(row).toMatchObject({ status: 'applied', reason: 'review rejected' });
    expect(textsOf(payment)).toEqual([held, expect.stringContaining(' ended: rejected; cancel or refund it')]);
    expect(payment).toMatchObject({ status: before.status, transactions: before.transactions });
  });
});

const unknownKey = 'no payment is known by this key or reference';

describe('an external operation, which fits no operation of ours', () => {
  const reference = 'refund-there';
  const doneTo = (of: string): UpdateBody => {
    const there = { kind: 'refund', of, amountMinor: 300, currency: 'USD', processorReference: reference };
    return { kind: 'outcome', processorReference: reference, outcome: approved, done: there } as UpdateBody;
  };

  test('is recorded once, however often and by however many updates at once it is reported', async () => {
    const pool = under(fakeProcessor());
    const before = await storeApproved();
    const of = (eventId: string) => ({
      ...{ processor: 'fake', traceId: 't', receivedAt: pool.deps.clock.now() },
      update: { ...doneTo(firstTx(before).id), eventId } as ProcessorUpdate,
    });
    const ids = await pool.deps.updates.store(['evt_1', 'evt_2', 'evt_3'].map(of));
    await Promise.all(ids.map((id) => handleUpdate(listening(pool), id)));
    const { payment, row } = await applyUpdate(pool, before, doneTo(firstTx(before).id));
    expect(payment).toMatchObject({ status: 'partially-refunded', refundedMinor: 300, transactions: [{}, {}] });
    expect(payment.transactions).toHaveLength(2);
    expect(row).toMatchObject({ status: 'applied', reason: 'it says nothing new', paymentId: before._id });
  });

  test('waits for an operation in progress', async () => {
    const pool = under(fakeProcessor());
    const charged = { ...approvedPayment({ createdAt: now() }), takesUpdates: true as const };
    const reserved = await reserve(store, charged, 'refund', 400);
    const { payment, row } = await applyUpdate(pool, reserved, doneTo(firstTx(reserved).id));
    expect([payment.version, row.status, row.reason]).toEqual([
      reserved.version,
      'waiting',
      expect.stringContaining('in progress'),
    ]);
    await pool.finish(payment);
    pool.advance(schedule.updateAgainAfterMs[0] ?? 0);
    await handleUpdate(listening(pool), row._id);
    expect(await store.read(payment._id)).toMatchObject({ status: 'partially-refunded', refundedMinor: 700 });
  });

  test('for a payment of another merchant, or for an attempt at another processor, is not recorded', async () => {
    const before = await storeApproved();
    const key = firstTx(before).id;
    const foreign = await applyUpdate(poolWithoutAnswers(), before, doneTo(key), { merchantId: 7 });
    expect([foreign.payment.version, foreign.row.reason]).toEqual([before.version, unknownKey]);
    const base = approvedPayment({ createdAt: now(), processor: 'other' });
    const leftRoute = { processor: 'fake', acquirer: 'acquirer-a' };
    const left = { ...firstTx(createdPayment()), id: `txn_left_${key}`, status: 'failed' as const, leftRoute };
    const gone = await storeApproved({ ...base, transactions: [left, ...base.transactions] });
    const other = await applyUpdate(poolWithoutAnswers(), gone, doneTo(lastTx(gone).id));
    expect([other.payment.version, other.row.reason]).toEqual([gone.version, unknownKey]);
    const own = await applyUpdate(poolWithoutAnswers(), before, doneTo(key), { merchantId: 1001 });
    expect(own.payment).toMatchObject({ refundedMinor: 300 });
  });
});

describe('the owner of an update', () => {
  test.each([
    ['of nothing that is known', { key: 'txn_none' }],
    ['without a name', {}],
  ])('an update %s is put off', async (_what, about) => {
    const before = await storeApproved();
    const { row } = await applyUpdate(poolWithoutAnswers(), before, { kind: 'changed', ...about } as UpdateBody);
    expect(row).toMatchObject({ status: 'waiting', tries: 1, reason: unknownKey });
  });

  test('an update that may belong to another program ends after its last try, and no person is asked', async () => {
    const pool = poolWithoutAnswers();
    const said = { kind: 'changed', processorReference: 're_none', mayBeForeign: true } as const;
    const { row } = await applyUpdate(pool, await storeApproved(), said);
    expect(row).toMatchObject({ status: 'waiting', tries: 1, reason: unknownKey });
    await rows().updateOne({ _id: row._id }, { $set: { tries: schedule.updateAgainAfterMs.length, dueAt: now() } });
    await handleUpdate(listening(pool), row._id);
    expect(await rows().findOne({ _id: row._id })).toMatchObject({
      status: 'applied',
      reason: 'it is about nothing that the gateway asked for',
    });
    expect(lines).not.toContain('event update-flagged');
  });

  test('an update of one processor does not change an attempt that went to another', async () => {
    const leftRoute = { processor: 'other', acquirer: 'acquirer-b' };
    const base = approvedPayment({ createdAt: now() });
    const left = { ...firstTx(createdPayment()), id: 'txn_left', status: 'failed' as const, leftRoute };
    const before = await storeApproved({ ...base, transactions: [left, ...base.transactions] });
    expect((await applyUpdate(poolWithoutAnswers(), before, outcome('txn_left', approved))).row.reason).toBe(
      unknownKey,
    );
  });

  test('an update that is signed with the secret of another merchant is flagged, and changes nothing', async () => {
    const before = await storeApproved();
    const said = outcome(firstTx(before).id, declined);
    const { payment, row } = await applyUpdate(poolWithoutAnswers(), before, said, { merchantId: 7 });
    expect(row).toMatchObject({
      status: 'flagged',
      reason: 'it is about a payment of another merchant than the one whose secret signed it',
    });
    expect(payment.version).toBe(before.version);
    expect((await applyUpdate(poolWithoutAnswers(), before, said, { merchantId: 1001 })).row.status).toBe('applied');
  });
});

describe('a fault of ours', () => {
  test('is logged, and the update is put off', async () => {
    const pool = poolWithoutAnswers();
    const before = await storeApproved();
    pool.deps.payments.findForUpdate = () => Promise.reject(new TypeError('a defect'));
    const { row } = await applyUpdate(pool, before, { kind: 'changed', key: firstTx(before).id });
    expect(row).toMatchObject({ status: 'waiting', tries: 1, reason: 'it could not be applied: TypeError' });
    expect(lines).toContain('update.not-applied');
  });

  test('in one update delays no other, and a claimed update is not taken twice', async () => {
    const pool = poolWithoutAnswers();
    const before = await storeApproved();
    const receivedAt = pool.deps.clock.now();
    const of = (eventId: string) => ({
      ...{ processor: 'fake', traceId: 't', receivedAt, update: { kind: 'changed', eventId, key: firstTx(before).id } },
    });
    const ids = await pool.deps.updates.store([of('evt_a'), of('evt_b')] as never);
    const deps = listening(pool);
    const updates = {
      ...deps.updates,
      settle: (row: ProcessorUpdateRow, ...rest: [never, never]) =>
        row._id === ids[0] ? Promise.reject(new Error('no primary')) : deps.updates.settle(row, ...rest),
    };
    expect(await applyForgotten({ ...deps, updates } as never, receivedAt)).toBe(2);
    expect(lines).toContain('update.not-looked-at');
    expect(await rows().countDocuments({ status: 'applied' })).toBe(1);
    await handleUpdate(deps, ids[0] as string);
    expect(await rows().countDocuments({ status: 'applied' })).toBe(1);
    expect(await applyForgotten(deps, receivedAt)).toBe(0);
  });
});

test('a refund that was found pending is settled by an update too', async () => {
  const pool = under(fakeProcessor({ send: [unknown], inquire: [found({ kind: 'pending', resultMessage: 'later' })] }));
  const { payment: before, key } = await refunded(pool);
  const { payment } = await applyUpdate(pool, before, outcome(key, approved));
  expect(payment).toMatchObject({ status: 'partially-refunded', refundedMinor: 400 });
});
