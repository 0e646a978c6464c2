/** Updates of processors on the real MongoDB: each is stored once, claimed by one process, and kept as long as it is needed. */
import { limits } from '../../config/limits.js';
import type { ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';
import {
  createProcessorUpdateRepository,
  type ProcessorUpdateRepository,
  type ReceivedUpdate,
  updateId,
} from '../../shared/store/processor-update.repository.js';
import { OF_LATER_RELEASE, openStore, type Store } from './open-store.js';

let store: Store;
let updates: ProcessorUpdateRepository;
beforeAll(async () => {
  store = await openStore('updates', ['ProcessorUpdate']);
  updates = createProcessorUpdateRepository(store.database);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

/** The current time, because the database removes expired rows. */
const start = new Date();
const later = (ms: number) => new Date(start.getTime() + ms);
const rows = () => store.database.collection<ProcessorUpdateRow>('processor_updates');
const read = (id: string) => rows().findOne({ _id: id });
/** The update as a process holds it that claimed it last. */
const held = async (id: string) => (await read(id)) as ProcessorUpdateRow;

const received = (eventId: string, more: Partial<ReceivedUpdate> = {}): ReceivedUpdate => ({
  processor: 'stripe',
  traceId: 'trace',
  receivedAt: start,
  update: { kind: 'changed', eventId },
  ...more,
});
const put = async (eventId: string, more: Partial<ReceivedUpdate> = {}) => {
  const [id] = await updates.store([received(eventId, more)]);
  return id as string;
};

test('an update that is sent many times at once is stored once', async () => {
  const all = await Promise.all(
    Array.from({ length: 8 }, () => updates.store([received('a'), received('a'), received('b')])),
  );
  const ids = [updateId('stripe', undefined, 'a'), updateId('stripe', undefined, 'b')];
  for (const stored of all) expect(stored).toEqual(ids);
  expect(await rows().countDocuments({})).toBe(2);
  expect(await updates.store([])).toEqual([]);
  expect(await read(ids[0] as string)).toEqual({
    ...{ _id: ids[0], schemaVersion: 1, processor: 'stripe', update: received('a').update, traceId: 'trace' },
    ...{ status: 'waiting', tries: 0, receivedAt: start, dueAt: start, leaseUntil: new Date(0) },
    expireAt: later(limits.updatesFlaggedKeptMs),
  });
});

test('the same id of another processor or merchant is another update', async () => {
  const ids = [
    await put('a'),
    await put('a', { processor: 'adyen' }),
    await put('a', { merchantId: 1 }),
    await put('a', { merchantId: 2 }),
  ];
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^upd_[0-9a-f]{40}$/);
  expect(await read(ids[2] as string)).toHaveProperty('merchantId', 1);
  expect(await read(ids[0] as string)).not.toHaveProperty('merchantId');
});

test('an error other than an existing update is thrown', async () => {
  const large = { kind: 'changed', eventId: 'a', note: 'x'.repeat(17_000_000) } as never;
  await expect(updates.store([received('a', { update: large })])).rejects.toThrow();
});

test('one process holds an update until its lease is over or it is postponed', async () => {
  const id = await put('a');
  expect(await updates.claim(id, later(-1))).toBeUndefined();
  const claims = await Promise.all(Array.from({ length: 8 }, () => updates.claim(id, start)));
  expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  expect(await read(id)).toHaveProperty('leaseUntil', later(limits.updateLeaseMs));
  expect(await updates.claim(id, later(limits.updateLeaseMs - 1))).toBeUndefined();
  expect(await updates.findDue(later(limits.updateLeaseMs - 1), 10)).toEqual([]);
  expect(await updates.claim(id, later(limits.updateLeaseMs))).toBeDefined();
  await updates.postpone(await held(id), 'no answer', later(5));
  expect(await read(id)).toMatchObject({ reason: 'no answer', tries: 1, dueAt: later(5) });
  expect(await updates.claim(id, later(4))).toBeUndefined();
  expect(await updates.claim(id, later(5))).toBeDefined();
  expect(await updates.claim('upd_none', start)).toBeUndefined();
});

test.each([
  ['applied', limits.updatesKeptMs],
  ['flagged', limits.updatesFlaggedKeptMs],
] as const)('an update that is %s is not claimed again, and kept for its time', async (status, keptMs) => {
  const id = await put('a');
  await updates.settle(await held(id), { status, reason: 'done', paymentId: 'pay_1' }, later(7));
  const settled = { status, reason: 'done', paymentId: 'pay_1', expireAt: later(7 + keptMs) };
  expect(await read(id)).toMatchObject(settled);
  expect(await updates.claim(id, later(9))).toBeUndefined();
  expect(await updates.findDue(later(9), 10)).toEqual([]);
  await updates.settle(await held(id), { status: 'applied', reason: 'again' }, later(8));
  await updates.postpone(await held(id), 'late', later(8));
  expect(await read(id)).toMatchObject({ ...settled, tries: 0 });
});

test('a process whose lease ran out changes nothing once another one has claimed the update', async () => {
  const id = await put('a');
  const late = (await updates.claim(id, start)) as ProcessorUpdateRow;
  const newer = (await updates.claim(id, later(limits.updateLeaseMs))) as ProcessorUpdateRow;
  const claimed = await read(id);
  await updates.postpone(late, 'late', later(5));
  expect(await updates.settle(late, { status: 'flagged', reason: 'late' }, later(6))).toBe(false);
  expect(await read(id)).toEqual(claimed);
  expect(await updates.settle(newer, { status: 'applied', reason: 'done' }, later(7))).toBe(true);
  expect(await read(id)).toMatchObject({ status: 'applied', reason: 'done', tries: 0 });
});

test('a process whose lease ran out settles an update that no other one has claimed', async () => {
  const id = await put('a');
  const late = (await updates.claim(id, start)) as ProcessorUpdateRow;
  expect(await updates.settle(late, { status: 'applied', reason: 'done' }, later(2 * limits.updateLeaseMs))).toBe(true);
});

test('due updates are found oldest first, a page at a time', async () => {
  const due = (eventId: string, ms: number) => put(eventId, { receivedAt: later(ms) });
  const [b, a, c] = [await due('b', 2), await due('a', 1), await due('c', 3)];
  await due('later', 4);
  expect(await updates.findDue(later(3), 10)).toEqual([a, b, c]);
  expect(await updates.findDue(later(3), 2)).toEqual([a, b]);
  expect(await updates.findDue(later(3), 1, 2)).toEqual([c]);
});

test('an operator lists updates by status, newest first, and retries a flagged update', async () => {
  const [a, b] = [await put('a'), await put('b', { receivedAt: later(1) })];
  await put('c');
  await updates.postpone(await held(a), 'unknown payment', start);
  for (const id of [a, b])
    await updates.settle(await held(id), { status: 'flagged', reason: 'unknown payment' }, start);
  expect((await updates.list('flagged', 10))?.map(({ _id }) => _id)).toEqual([b, a]);
  expect(await updates.list('flagged', 1)).toHaveLength(1);
  expect(await read(a)).toMatchObject({ tries: 1 });
  expect(await updates.retry(a, later(9))).toBe(true);
  expect(await read(a)).toMatchObject({ status: 'waiting', tries: 0, dueAt: later(9), leaseUntil: new Date(0) });
  expect(await updates.retry(a, later(9))).toBe(false);
  expect(await updates.retry('upd_none', later(9))).toBe(false);
});

test('a list continues after the last shown update, also among updates of the same time', async () => {
  const ids = [await put('a'), await put('b'), await put('c')].sort().reverse();
  expect((await updates.list('waiting', 2))?.map(({ _id }) => _id)).toEqual(ids.slice(0, 2));
  expect((await updates.list('waiting', 2, ids[1]))?.map(({ _id }) => _id)).toEqual(ids.slice(2));
  expect(await updates.list('waiting', 2, ids[2])).toEqual([]);
  expect(await updates.list('waiting', 2, 'upd_none')).toBeUndefined();
});

test('updates of a newer release or of an unknown kind are not claimed', async () => {
  const unknownKind = await put('a', { update: { kind: 'of tomorrow', eventId: 'a' } as never });
  const newer = await put('b');
  await rows().updateOne({ _id: newer }, { $set: { schemaVersion: OF_LATER_RELEASE } });
  expect(await updates.findDue(later(9), 10)).toEqual([]);
  for (const id of [unknownKind, newer]) expect(await updates.claim(id, later(9))).toBeUndefined();
});
