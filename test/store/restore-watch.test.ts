/** How a restored database is noticed, and which differences between books and payments are found, on a real MongoDB. */
import { limits } from '../../config/limits.js';
import { createLog } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import type { LedgerEntry } from '../../shared/processors/processor.js';
import { createFindingRepository } from '../../shared/store/book-finding.repository.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import {
  beginSafeMode,
  endSafeMode,
  openRestoreWatch,
  type RedisWitness,
  type RestoreWatch,
  readSafeMode,
  restoredBecause,
} from '../../shared/store/restore-watch.js';
import { createBooksAudit } from '../../workers/processor/books/audit-books.js';
import { approvedPayment, createdPayment, firstTx, later, start } from '../domain/payment/a-payment.js';
import { until } from '../support/patience.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

const log = createLog('test', 'silent');
const clock = { now: () => new Date() };
let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('restore_watch');
});
afterAll(() => store.close());

const installation = () => store.database.collection<{ _id: string; number: number; line: string }>('installation');
const marks = () => store.database.ephemeral<{ _id: string; number: number; line: string }>('marks');
const watches: RestoreWatch[] = [];
beforeEach(async () => {
  await Promise.all([installation().deleteMany({}), marks().deleteMany({})]);
});
const stopAll = () => Promise.all(watches.splice(0).map((watch) => watch.stop()));
afterEach(stopAll);

async function open(moves = true, redis?: RedisWitness) {
  const metrics = createMetrics({ process: 'test' });
  const { database } = store;
  const watch = await openRestoreWatch({ database, clock, log, metrics, moves, ...(redis && { redis }) });
  watches.push(watch);
  return { ...watch, metrics };
}
const numberNow = async () => (await installation().findOne({ _id: 'mark' }))?.number ?? 0;
/** Sets the mark back as an earlier backup would. */
const goBack = async () => {
  await installation().updateOne({ _id: 'mark' }, { $set: { number: (await numberNow()) - 1 } });
};

test('a suspected restore is confirmed by a linearizable read: an old primary may answer with old data', async () => {
  await stopAll();
  const first = await open();
  await until(async () => (await numberNow()) > 1);
  await first.stop();
  await goBack();
  const { db } = store.database.connection;
  await db?.command({ profile: 2 });
  expect((await open()).problem()).toMatch(/safe mode/);
  await db?.command({ profile: 0 });
  const confirming = { ns: /\.installation$/, 'command.readConcern.level': 'linearizable' };
  expect(await db?.collection('system.profile').countDocuments(confirming)).toBeGreaterThan(0);
  await db?.collection('system.profile').drop();
});

const mark = { line: 'a', number: 7 };
test.each([
  ['all agree', mark, { beside: mark, redis: 7, seen: mark }, undefined],
  ['witnesses are late', mark, { beside: { line: 'a', number: 6 }, redis: 5 }, undefined],
  ['a database of its own', { line: 'a', number: 0 }, {}, undefined],
  ['nothing was ever done', undefined, { beside: { line: 'a', number: 0 } }, undefined],
  ['Redis was emptied', mark, { beside: mark }, undefined],
  ['this process saw another line', mark, { beside: mark, seen: { line: 'b', number: 99 } }, undefined],
  ['behind the ephemeral part', mark, { beside: { line: 'a', number: 8 } }, /ephemeral part/],
  ['another line than the ephemeral part', mark, { beside: { line: 'b', number: 1 } }, /ephemeral part/],
  ['without an ephemeral part', mark, {}, /came here without/],
  ['behind Redis', mark, { beside: mark, redis: 8 }, /Redis/],
  ['behind what this process saw', mark, { beside: mark, seen: { line: 'a', number: 8 } }, /went back/],
  ['without its mark', undefined, { beside: mark }, /lost its mark/],
] as const)('whether a database is restored: %s', (_name, found, witnesses, expected) => {
  const reason = restoredBecause(found, witnesses);
  if (expected) expect(reason).toMatch(expected);
  else expect(reason).toBeUndefined();
});

test('many first starts at once do not begin safe mode, and the mark moves', async () => {
  const opened = await Promise.all(Array.from({ length: 6 }, (_, at) => open(at % 2 === 0)));
  expect(opened.map(({ problem }) => problem())).toEqual(opened.map(() => undefined));
  const before = await numberNow();
  await until(async () => (await numberNow()) > before);
  expect(await readSafeMode(store.database)).toBeUndefined();
});

test('a mark behind the ephemeral part begins safe mode for every process until it is ended', async () => {
  await open();
  await until(async () => ((await marks().findOne({}))?.number ?? 0) > 0);
  await stopAll();
  await goBack();
  const api = await open(false);
  expect(api.problem()).toMatch(/^safe mode: the database is older than its ephemeral part/);
  expect(await api.metrics.text()).toMatch(/event="safe-mode".* 1/);
  expect((await open()).problem()).toMatch(/safe mode/);
  await endSafeMode(store.database, clock.now());
  await until(() => api.problem() === undefined);
  expect((await open()).problem()).toBeUndefined();
});

test('many processes that check while safe mode ends do not begin it again', async () => {
  await Promise.all(Array.from({ length: 4 }, () => open()));
  for (let round = 0; round < 30; round += 1) {
    await beginSafeMode(store.database, { reason: 'a test', since: clock.now() });
    // The checks meet every point of the end of safe mode.
    const looks = Array.from({ length: 8 }, () => open(false));
    await endSafeMode(store.database, clock.now());
    await Promise.all(looks);
    expect(await readSafeMode(store.database)).toBeUndefined();
  }
});

test('the new line is in both parts before safe mode is off: a process that looks in between begins none', async () => {
  await beginSafeMode(store.database, { reason: 'a test', since: clock.now() });
  const lines = async () => [(await installation().findOne({ _id: 'mark' }))?.line, (await marks().findOne({}))?.line];
  const [before] = await lines();
  let atTheEnd: unknown[] = [];
  const collection = (name: string) => {
    const rows = store.database.collection(name);
    const deleteOne = async (...args: Parameters<typeof rows.deleteOne>) => {
      atTheEnd = await lines();
      return rows.deleteOne(...args);
    };
    return { updateOne: rows.updateOne.bind(rows), deleteOne };
  };
  await endSafeMode({ ...store.database, collection } as never, clock.now());
  const [after] = await lines();
  expect(after).not.toBe(before);
  expect(atTheEnd).toEqual([after, after]);
});

test('a process whose every read meets another end of safe mode does not begin it again', async () => {
  const { database } = store;
  await (await open()).stop();
  let ends = 3;
  // The process has read the ephemeral part, and the line ends before it reads the mark.
  const ephemeral = (name: string) => {
    const rows = marks();
    const findOne = async (...args: Parameters<typeof rows.findOne>) => {
      const found = await rows.findOne(...args);
      if (name === 'marks' && ends > 0) {
        ends -= 1;
        await endSafeMode(database, clock.now());
      }
      return found;
    };
    return { findOne };
  };
  const metrics = createMetrics({ process: 'test' });
  const deps = { database: { ...database, ephemeral } as never, clock, log, metrics, moves: false };
  const watch = await openRestoreWatch(deps);
  watches.push(watch);
  expect([watch.problem(), ends]).toEqual([undefined, 0]);
  expect(await readSafeMode(database)).toBeUndefined();
});

test('a restore of both parts together is noticed by Redis, whose number does not count for the next line', async () => {
  const kept = new Map<string, number>();
  const redis: RedisWitness = {
    read: async (line) => kept.get(line),
    write: async ({ line, number }) => void kept.set(line, number),
  };
  await open(true, redis);
  await until(() => kept.size > 0);
  await stopAll();
  await goBack();
  await marks().updateOne({}, { $set: { number: await numberNow() } });
  const watch = await open(true, redis);
  expect(watch.problem()).toMatch(/Redis/);
  await endSafeMode(store.database, clock.now());
  await until(() => watch.problem() === undefined);
});

test('a restore under a running process is noticed', async () => {
  const watch = await open();
  await until(async () => (await numberNow()) > 1);
  await installation().updateOne({ _id: 'mark' }, { $set: { number: 0 } });
  await until(() => watch.problem() !== undefined);
});

test('the audit of the books stores each difference once, keeps its position, and finds orphans', async () => {
  const { database, payments } = store;
  const [known, orphan] = [approvedPayment(), createdPayment({ work: undefined })];
  await store.put({ ...known, takesUpdates: true }, orphan);
  const line = (key: string, ms: number): LedgerEntry => {
    const at = later(ms).toISOString();
    return { at, kind: 'purchase', key, original: null, amountMinor: 1050, currency: 'USD', result: 'approved' };
  };
  const books = [line(firstTx(known).id, 0), line('txn_lost', 1_000), line('txn_too-young', limits.booksGraceMs + 1)];
  const asked: Date[] = [];
  const processor = {
    code: 'fake',
    traits: { dedupes: true, tombstones: true, refundNeedsPan: false },
    listSince: async (at: Date) => {
      asked.push(at);
      return books;
    },
  };
  const metrics = createMetrics({ process: 'test' });
  let now = later(-1_000);
  const repository = createPaymentRepository(database, false);
  const audit = createBooksAudit({
    clock: { now: () => now },
    log,
    metrics,
    books: { payments: repository, clientIds: async () => ['cli_a'], notAsked: () => undefined },
    findings: createFindingRepository(database),
    payments: repository,
    processors: [processor as never],
  });
  // The audit begins now and asks for nothing until entries are old enough.
  expect(await audit.sweep()).toBe(0);
  now = start;
  await audit.sweep();
  now = later(limits.orphansEveryMs + 1);
  expect([await audit.sweep(), asked]).toEqual([0, []]);
  now = later(limits.booksGraceMs + 10_000);
  expect(await audit.sweep()).toBe(1);
  const text = await metrics.text();
  expect(text).toMatch(/gateway_book_findings\{kind="unknown-payment".*\} 1/);
  expect(text).toMatch(/gateway_book_findings\{kind="missing".*\} 0/);
  expect(text).toMatch(/gateway_orphans\{.*\} 1/);
  // A second comparison finds the same difference.
  await database.collection('book_positions').updateOne({}, { $set: { at: start, dueAt: start } });
  now = later(limits.booksGraceMs + 30_000);
  expect(await audit.sweep()).toBe(0);
  // After the payment is removed the next round finds no orphan.
  await payments.deleteOne({ _id: orphan._id });
  now = later(limits.booksGraceMs + 60_000);
  await audit.sweep();
  expect(await metrics.text()).toMatch(/gateway_orphans\{.*\} 0/);
});
