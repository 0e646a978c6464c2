/** How safe mode ends, on a real MongoDB: what the books of processors report, and what no books report. */
import { limits } from '../../config/limits.js';
import { openProvisioning } from '../../scripts/provisioning/provisioning.js';
import { type ReconcileRequest, reconcile } from '../../scripts/provisioning/reconcile.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planDeadline } from '../../shared/domain/payment/plan-deadline.js';
import { newWork } from '../../shared/domain/payment/work.js';
import { never, noLease } from '../../shared/domain/time.js';
import type { Processor } from '../../shared/processors/processor.js';
import { createFindingRepository } from '../../shared/store/book-finding.repository.js';
import { beginSafeMode, endSafeMode, readSafeMode } from '../../shared/store/restore-watch.js';
import {
  authorizedPayment,
  createdPayment,
  firstTx,
  later,
  settleContext,
  start,
} from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from '../store/payment-store.js';

const now = later(600_000);
const clock = { now: () => now };
let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('reconcile');
});
beforeEach(async () => {
  await Promise.all([store.payments.deleteMany({}), store.database.collection('installation').deleteMany({})]);
});
afterAll(() => store.close());

const lists = { code: 'lists', traits: {}, listSince: async () => [] } as unknown as Processor;
const silent = { code: 'silent', traits: {} } as unknown as Processor;

const shown: string[] = [];
const ask = (more: Partial<ReconcileRequest> = {}, processors = [lists, silent]) =>
  reconcile(
    {
      database: store.database,
      provisioning: openProvisioning(store.database, { environment: 'testing', apiKeyPepper: Buffer.alloc(32) }, clock),
      processors,
      wanted: ['lists', 'silent'],
      planContext: () => settleContext(now),
      progress: (line) => shown.push(line),
    },
    { since: start, imports: true, compared: ['silent'], ...more },
  );

const begin = () => beginSafeMode(store.database, { reason: 'a test', since: now, from: start });

test('a due capture or release that no books report is held for a person', async () => {
  const due = { kind: 'capture', at: later(60_000) } as const;
  const captured = authorizedPayment({ processor: 'silent' });
  const released = authorizedPayment({ processor: 'gone' });
  const inBooks = authorizedPayment({ processor: 'lists' });
  const future = authorizedPayment({ processor: 'silent' });
  const verification = { ...authorizedPayment({ processor: 'silent' }), purpose: 'verification' } as const;
  await store.put(
    { ...captured, deadline: due },
    { ...released, deadline: { kind: 'expire', at: now } },
    { ...inBooks, deadline: due },
    { ...future, deadline: { kind: 'capture', at: later(1, now) } },
    { ...verification, deadline: { kind: 'expire', at: now } },
  );
  await begin();
  expect((await ask({ compared: [] })).held).toEqual([]);
  const done = await ask();
  expect([done.safeMode, [...done.held].sort()]).toEqual(['ended', [captured._id, released._id].sort()]);
  expect(await readSafeMode(store.database)).toBeUndefined();

  const alert = { at: now, text: expect.stringMatching(/^the database was restored: its delayed capture/) };
  for (const { _id, version } of [captured, released]) {
    const payment = await store.read(_id);
    expect(payment).toMatchObject({
      status: 'authorized',
      version: version + 1,
      deadline: { kind: 'expire', at: never },
      alerts: [alert],
    });
    expect(planDeadline(payment, { now: later(400 * 24 * 3_600_000), txId: 'txn_second' })).toBeUndefined();
  }
  for (const { _id, version } of [inBooks, future, verification]) {
    const payment = await store.read(_id);
    expect([payment.version, payment.alerts]).toEqual([version, undefined]);
  }
  expect(await store.orphanIds()).toEqual([]);
});

test('very many due captures are held in small statements', async () => {
  const many = 2 * limits.dueChangedMax + 1;
  const deadline = { kind: 'capture', at: later(60_000) } as const;
  const due = Array.from({ length: many }, (_, n) => ({
    ...authorizedPayment({ processor: 'silent', refKeys: [`payment:${n}`] }),
    deadline,
  }));
  await store.put(...due);
  await begin();
  const db = store.database.connection.db;
  await db?.command({ profile: 2 });
  const { held } = await ask();
  await db?.command({ profile: 0 });
  expect([...held].sort()).toEqual(due.map(({ _id }) => _id).sort());
  expect(await store.payments.countDocuments({ 'deadline.at': never, version: (due[0]?.version ?? 0) + 1 })).toBe(many);
  const updates = await db
    ?.collection('system.profile')
    .find({ op: 'update', ns: /payments$/ })
    .toArray();
  expect(Math.max(...(updates ?? []).map(({ nModified }) => nModified))).toBe(limits.dueChangedMax);
});

test('payers at their issuer may have paid since the backup: the processor is asked, and nothing is sent', async () => {
  const authenticating = createdPayment();
  const challenged = createdPayment({ status: 'pending', deadline: { kind: 'challenge', at: later(600_000) } });
  const lastSeconds = createdPayment({ status: 'pending', deadline: { kind: 'challenge', at: now } });
  const held = authorizedPayment();
  const { work: _none, ...withoutLook } = lastSeconds;
  const inWork = (payment: Payment, kind: 'authenticate' | 'await-challenge'): Payment => ({
    ...payment,
    work: { ...newWork(kind, firstTx(payment).id, start), leaseToken: 'dead', tries: 3 },
  });
  await store.put(inWork(authenticating, 'authenticate'), inWork(challenged, 'await-challenge'), withoutLook, held);
  await begin();
  expect(await ask()).toMatchObject({ safeMode: 'ended', distrusted: 3 });
  for (const payment of [authenticating, challenged, lastSeconds]) {
    const { work, deadline, authorizeBy, version } = await store.read(payment._id);
    expect(work).toEqual({
      ...{ queue: 'processor', kind: 'inquire', txId: firstTx(payment).id, dueAt: now, leaseUntil: noLease, tries: 0 },
      gen: payment === lastSeconds ? 1 : 2,
      attempt: { token: 'restored', startedAt: now },
    });
    expect([deadline, authorizeBy, version]).toEqual([undefined, now, payment.version + 1]);
  }
  expect(await store.read(held._id)).toEqual(held);
  expect(await store.orphanIds()).toEqual([]);
});

test('operations that may have been sent before the backup are marked, as their adapter may have forgotten them', async () => {
  const attempt = { token: 'dead', startedAt: start };
  const at = (kind: 'refund' | 'inquire' | 'reverse', more = {}): Payment => {
    const payment = createdPayment();
    return { ...payment, authorizeBy: start, work: { ...newWork(kind, firstTx(payment).id, start), ...more } };
  };
  const unsent = at('refund');
  const asked = at('inquire', { attempt, leaseToken: 'dead' });
  const takenBack = at('reverse', { attempt });
  const lateApproval = at('reverse');
  await store.put(unsent, asked, takenBack, lateApproval);
  await begin();
  // The reversals are made without asking.
  expect(await ask()).toMatchObject({ safeMode: 'ended', distrusted: 2 });
  const attempts = [];
  for (const { _id, version } of [unsent, asked, takenBack, lateApproval]) {
    const payment = await store.read(_id);
    expect(payment.version).toBe(version + 1);
    attempts.push(payment.work?.attempt);
  }
  const since = (startedAt: Date) => ({ token: 'restored', startedAt });
  expect(attempts).toEqual([since(now), since(start), since(start), since(now)]);
});

test('a look before the import names no finding to be settled: a settled one is not imported, and could be repeated', async () => {
  const line = { at: later(1).toISOString(), key: 'txn_looked', amountMinor: 5, currency: 'USD', result: 'approved' };
  const listing = { ...lists, listSince: async () => [{ ...line, kind: 'purchase', original: null }] };
  await begin();
  const looked = await ask({ imports: false }, [listing as unknown as Processor, silent]);
  expect(looked.findings).toMatchObject([{ kind: 'unknown-payment', status: 'open' }]);
  expect([looked.safeMode, looked.blockedBy]).toEqual(['on', ['nothing was imported: run it with --import']]);
});

test('an operation on a lost payment is a finding that does not keep safe mode on', async () => {
  const line = { at: later(1).toISOString(), key: 'txn_line', amountMinor: 5, currency: 'USD', result: 'approved' };
  const listing = (kind: string, original: string | null) =>
    ask({}, [{ ...lists, listSince: async () => [{ ...line, kind, original }] } as unknown as Processor, silent]);
  await begin();
  const paid = await listing('purchase', null);
  expect([paid.safeMode, paid.blockedBy]).toEqual(['on', [expect.stringMatching(/might be repeated/)]]);
  expect(await listing('capture', 'txn_lost')).toMatchObject({
    safeMode: 'ended',
    findings: [{ kind: 'unknown-operation', status: 'open', note: expect.stringMatching(/is not known/) }],
  });
});

test('a change by another operator during the run counts: an older backup, or the end of safe mode', async () => {
  const meanwhile = (act: () => Promise<void>) => {
    const processor = { ...lists, listSince: () => act().then(() => []) } as unknown as Processor;
    return ask({}, [processor, silent]);
  };
  const payment = { ...authorizedPayment({ processor: 'silent' }), deadline: { kind: 'capture', at: now } } as const;
  await store.put(payment);
  await begin();
  const older = await meanwhile(() =>
    beginSafeMode(store.database, { reason: 'a test', since: now, from: later(-60_000) }),
  );
  expect([older.safeMode, older.blockedBy]).toEqual(['on', [expect.stringMatching(/^nothing was compared from /)]]);
  const ended = await meanwhile(() => endSafeMode(store.database, now));
  expect([ended.safeMode, ended.held, await store.read(payment._id)]).toEqual(['off', [], payment]);
});

test('outside safe mode a processor that is said to be compared has no effect, and the operator reads that', async () => {
  shown.length = 0;
  expect((await ask({ since: later(-3_600_000) })).safeMode).toBe('off');
  expect(shown).toContain('--compared counts in safe mode only, which is off: it has no effect.');
  shown.length = 0;
  await ask({ since: later(-3_600_000), compared: [] });
  expect(shown.join()).not.toContain('--compared');
});

test('a run that begins too late has nothing to compare: everything may still be in progress', async () => {
  await expect(ask({ since: later(-60_000, now) })).rejects.toThrow(/^Nothing to compare: .* 20 minutes /);
});

test('a finding that another operator imported or settled meanwhile is over, and safe mode can end', async () => {
  const findings = store.database.collection<{ _id: string; status: string }>('book_findings');
  await findings.deleteMany({});
  const payment = authorizedPayment({ processor: 'lists', createdAt: start });
  await store.put(payment);
  const line = {
    ...{ at: later(1).toISOString(), key: 'txn_capture', original: firstTx(payment).id, kind: 'capture' },
    ...{ amountMinor: 1050, currency: 'USD', result: 'approved', referenceId: 'capture-1' },
  };
  const held = { ...line, key: firstTx(payment).id, original: null, kind: 'authorization' };
  const outcome = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' } as const;
  const listing = (meanwhile: () => Promise<unknown>) =>
    ({
      ...lists,
      listSince: async () => [held, line],
      inquire: () => meanwhile().then(() => ({ kind: 'found', outcome })),
    }) as unknown as Processor;
  await begin();
  const another = () => ask({}, [listing(async () => undefined), silent]);
  const done = await ask({}, [listing(another), silent]);
  expect(done.findings).toMatchObject([{ kind: 'unknown-operation', status: 'imported' }]);
  expect(await findings.find().toArray()).toMatchObject([{ status: 'imported' }]);
  expect(await store.read(payment._id)).toMatchObject({ status: 'approved', capturedMinor: 1050 });

  // A run imported the finding, and was killed before it noted that.
  await findings.updateMany({}, { $set: { status: 'open' } });
  await begin();
  const again = await ask({}, [listing(async () => undefined), silent]);
  expect([again.findings, await findings.find().toArray()]).toMatchObject([[], [{ status: 'imported' }]]);
  const repository = createFindingRepository(store.database);
  const [id = ''] = (await findings.find().toArray()).map(({ _id }) => _id);
  const marks = ['settled', 'settled', 'imported', 'open'] as const;
  const marked = [];
  for (const status of marks) marked.push(await repository.mark(id, status, status));
  expect([marked, await findings.find().toArray()]).toMatchObject([
    [true, false, false, false],
    [{ status: 'settled', note: 'settled' }],
  ]);
});

test('a difference about which the processor cannot be asked stays open, and those behind it are taken over', async () => {
  const paid = [authorizedPayment({ processor: 'lists' }), authorizedPayment({ processor: 'lists' })];
  await store.put(...paid);
  const captured = paid.flatMap((payment, n) => {
    const { id } = firstTx(payment);
    const line = { at: later(n).toISOString(), amountMinor: 1050, currency: 'USD', result: 'approved' };
    return [
      { ...line, key: id, original: null, kind: 'authorization' },
      { ...line, key: `txn_capture_${n}`, original: id, kind: 'capture', referenceId: `capture-${n}` },
    ];
  });
  const outcome = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' } as const;
  const asked: string[] = [];
  const processor = {
    ...lists,
    listSince: async () => captured,
    inquire: async ({ key }: { key: string }) => {
      asked.push(key);
      if (key === 'txn_capture_0') throw new Error('no such field');
      return { kind: 'found', outcome };
    },
  } as unknown as Processor;
  await begin();
  shown.length = 0;
  const done = await ask({}, [processor, silent]);
  expect(done.findings).toMatchObject([
    { status: 'open', note: 'the processor could not be asked about it: run it again' },
    { status: 'imported' },
  ]);
  expect([done.safeMode, done.blockedBy]).toEqual(['on', [expect.stringMatching(/might be repeated/)]]);
  expect(shown).toContainEqual(expect.stringMatching(/could not be asked about txn_capture_0 of .*: no such field$/));
});

test('a long comparison says how far it is once a day, and where it finds something', async () => {
  const line = {
    at: later(-7.5 * 3_600_000).toISOString(),
    key: 'txn_x',
    amountMinor: 5,
    currency: 'USD',
    result: 'approved',
  };
  const listSince = async (from: Date, until: Date) =>
    [{ ...line, kind: 'purchase', original: null }].filter(({ at }) => new Date(at) >= from && new Date(at) < until);
  shown.length = 0;
  const since = later(-50 * 3_600_000);
  await ask({ since, imports: false, compared: [] }, [{ ...lists, listSince } as unknown as Processor]);
  const ends = [later(-26 * 3_600_000), later(-7 * 3_600_000), later(600_000 - limits.booksGraceMs)];
  expect(shown.map((text) => text.replace(/^.* up to ([^,]+),.*$/, '$1'))).toEqual(
    ends.map((end) => end.toISOString()),
  );
});

test('a bank transfer that was paid and refunded since the backup is paid first, then refunded', async () => {
  const waiting = (kind: 'issue-code' | 'await-transfer', more: Partial<Payment>) => {
    const paymentMethod = { id: 'instant-transfer', name: 'Transfer', type: 'bank-transfer', source: 'bank-transfer' };
    const payment = createdPayment({ processor: 'lists', paymentMethod } as never);
    return { ...payment, work: newWork(kind, firstTx(payment).id, start), ...more };
  };
  const shown = waiting('await-transfer', { status: 'pending', expiresAt: later(900_000) });
  const unissued = waiting('issue-code', {});
  const unpaid = waiting('await-transfer', { status: 'pending', expiresAt: later(900_000) });
  await store.put(shown, unissued, unpaid);
  const refundOf = (payment: Payment) => ({
    ...{ at: later(2).toISOString(), key: `txn_refund_${payment._id}`, original: firstTx(payment).id, kind: 'refund' },
    ...{ amountMinor: 50, currency: 'USD', result: 'approved', referenceId: `refund-${payment._id}` },
  });
  const transfer = { id: 'bank-1', paidAt: later(1), amountMinor: 1050, currency: 'USD', returned: false };
  const outcome = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' } as const;
  const bank = {
    ...lists,
    listSince: async () => [shown, unissued, unpaid].map(refundOf),
    inquire: async ({ key }: { key: string }) =>
      key.startsWith('txn_refund') ? { kind: 'found', outcome } : { kind: 'not-found' },
    findTransfers: async ({ key }: { key: string }) => ({
      kind: 'found',
      transfers: key === firstTx(unpaid).id ? [] : [transfer],
    }),
  } as unknown as Processor;
  await begin();
  const done = await ask({}, [bank, silent]);
  expect(done.findings.map(({ paymentId, status }) => [paymentId, status])).toEqual([
    [shown._id, 'imported'],
    [unissued._id, 'imported'],
    [unpaid._id, 'open'],
  ]);
  for (const { _id } of [shown, unissued]) {
    const { status, capturedMinor, refundedMinor, transactions, work } = await store.read(_id);
    expect([status, capturedMinor, refundedMinor, work]).toEqual(['partially-refunded', 1050, 50, undefined]);
    expect(transactions.map((tx) => [tx.kind, tx.status, tx.ticket])).toEqual([
      ['purchase', 'approved', 'bank-1'],
      ['refund', 'approved', undefined],
    ]);
  }
  expect(await store.read(unpaid._id)).toEqual(unpaid);
  expect(await store.orphanIds()).toEqual([]);
});
