import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, Delivery } from '../../shared/domain/callback/delivery.js';
import type { PlannedDelivery } from '../../shared/domain/callback/plan-fan-out.js';
import { createIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { DELIVERIES, deliverySchema } from '../../shared/store/delivery.model.js';
import { createDeliveryRepository, type DeliveryRepository } from '../../shared/store/delivery.repository.js';
import { recordBatch } from '../../shared/store/delivery-records.js';
import { modelOn } from '../../shared/store/model-on.js';
import { testMongoUri } from '../support/services.js';

const now = new Date('2026-01-02T03:04:05.678Z');
const later = (ms: number) => new Date(now.getTime() + ms);
let database: Database;
let deliveries: DeliveryRepository;

beforeAll(async () => {
  database = await openDatabase(testMongoUri('deliveries'));
  deliveries = createDeliveryRepository(database);
});
beforeEach(async () => {
  await database.collection(DELIVERIES).deleteMany({});
  await createIndexes(modelOn(database.connection, 'Delivery', deliverySchema));
});
afterEach(() => database.connection.deleteModel('Delivery'));
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.close();
});

function planned(paymentId: string, seq: number, host = 'a.example', clientId = 'client-a'): PlannedDelivery {
  return {
    _id: `${paymentId}:${seq}`,
    paymentId,
    clientId,
    seq,
    url: `https://${host}/hook`,
    host,
    body: '{}',
    resourceVersion: seq,
    createdAt: now,
  };
}
const stored = (id: string) => database.collection<Delivery>(DELIVERIES).findOne({ _id: id });
const expireLeases = () =>
  database.collection<Delivery>(DELIVERIES).updateMany({}, { $set: { leaseUntil: new Date(Date.now() - 1_000) } });
const idsOf = (found: readonly { _id: string }[]) => found.map(({ _id }) => _id);
const attempt = { at: now, ms: 5, status: 200 } as const;

/** A time after every due date of these tests. */
const inTheEnd = later(60_000);
const find = (...ids: string[]) => deliveries.findDueAmong(ids, inTheEnd);
const claim = async (...ids: string[]) => deliveries.claim(await find(...ids), inTheEnd);

async function claimOne(id: string): Promise<ClaimedDelivery> {
  const [claimed] = await claim(id);
  if (!claimed) throw new Error(`${id} could not be claimed`);
  return claimed;
}

it('gives another event id to an event of the same number that happened after a restore', async () => {
  const [lost] = await deliveries.insert([planned('pay_1', 1)], now);
  await database.collection(DELIVERIES).deleteMany({});
  const [again] = await deliveries.insert([planned('pay_1', 1)], later(99));
  await database.collection(DELIVERIES).deleteMany({});
  const [other] = await deliveries.insert([{ ...planned('pay_1', 1), createdAt: later(1) }], now);
  expect(again?.eventId).toBe(lost?.eventId);
  expect(other?.eventId).not.toBe(lost?.eventId);
});

it('replaces a delivery of a restored database by that of the event which its payment has now', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_1', 2)], now);
  const lost = await claimOne('pay_1:1');
  const event = { ...planned('pay_1', 1), body: '{"status":"failed"}', createdAt: later(1) };
  const [kept, replaced] = [await stored('pay_1:2'), await deliveries.insert([event, planned('pay_1', 2)], later(2))];
  expect(replaced).toMatchObject([{ _id: 'pay_1:1', body: event.body, dueAt: later(2) }]);
  expect(replaced[0]?.eventId).not.toBe(lost.eventId);
  await expect(deliveries.record(lost, { attempt, state: 'delivered' }, now)).resolves.toBe(false);
  expect(await stored('pay_1:1')).toMatchObject({ ...replaced[0], state: 'waiting', tries: 0, attempts: [] });
  expect(await stored('pay_1:2')).toEqual(kept);
});

it('stores deliveries that match the schema, and does not store one a second time', async () => {
  await deliveries.insert([planned('pay_1', 1)], now);
  const claimed = await claimOne('pay_1:1');
  await deliveries.record(claimed, { attempt, state: 'waiting', dueAt: later(10) }, now);
  const before = await stored('pay_1:1');
  const inserted = await deliveries.insert([planned('pay_1', 1), planned('pay_1', 2)], later(99));
  expect(inserted).toEqual(await deliveries.findDueAmong(['pay_1:2'], later(99)));
  expect(await stored('pay_1:1')).toEqual(before);
  expect(await stored('pay_1:2')).toMatchObject({ state: 'waiting', tries: 0, dueAt: later(99) });
  expect(before?.eventId).toMatch(/^evt_[0-9a-f]{32}$/);
  expect((await stored('pay_1:2'))?.eventId).not.toBe(before?.eventId);
  const model = database.connection.model('Delivery');
  for (const id of ['pay_1:1', 'pay_1:2']) {
    await expect(new model(await stored(id)).validate()).resolves.toBeUndefined();
  }
});

it('finds due deliveries without a lease, oldest first, without busy hosts, clients and receivers, by an index', async () => {
  await deliveries.insert([planned('pay_1', 1)], later(-1));
  await deliveries.insert([planned('pay_2', 1, 'b.example')], later(-2));
  await deliveries.insert([planned('pay_3', 1)], later(-3));
  await deliveries.insert([planned('pay_4', 1)], later(1));
  expect(idsOf(await deliveries.findDue(now, 10))).toEqual(['pay_3:1', 'pay_2:1', 'pay_1:1']);
  expect(idsOf(await deliveries.findDue(now, 1))).toEqual(['pay_3:1']);
  expect(idsOf(await deliveries.findDue(now, 10, { hosts: ['a.example'] }))).toEqual(['pay_2:1']);
  expect(await deliveries.findDue(now, 10, { clients: ['client-a'] })).toEqual([]);
  const busyReceivers = [
    { host: 'a.example', clientId: 'client-a' },
    { host: 'a.example', clientId: 'client-c' },
    { host: 'b.example', clientId: 'client-c' },
  ];
  expect(idsOf(await deliveries.findDue(now, 10, { receivers: busyReceivers }))).toEqual(['pay_2:1']);
  expect(idsOf(await deliveries.findDueAmong(['pay_1:1', 'pay_4:1'], now))).toEqual(['pay_1:1']);
  await claimOne('pay_3:1');
  expect(idsOf(await deliveries.findDue(now, 10))).toEqual(['pay_2:1', 'pay_1:1']);
  const plan = await database
    .collection(DELIVERIES)
    .find({ state: 'waiting', dueAt: { $lte: now }, host: { $nin: ['a.example'] } })
    .sort({ dueAt: 1 })
    .explain();
  expect(JSON.stringify(plan.queryPlanner.winningPlan)).toContain('"indexName":"due_of_clients"');
});

it('finds the due deliveries of some receivers, oldest first, without reading those of others', async () => {
  for (let n = 0; n < 60; n += 1) {
    await deliveries.insert([planned(`pay_${n}`, 1, `${n % 3}.example`, `client-${n % 4}`)], later(-n));
  }
  const receivers = [
    { host: '1.example', clientId: 'client-3' },
    { host: '2.example', clientId: 'client-0' },
    { host: '2.example', clientId: 'client-1' },
  ];
  expect(idsOf(await deliveries.findDueOf(receivers, now, 4))).toEqual([
    'pay_56:1',
    'pay_55:1',
    'pay_53:1',
    'pay_44:1',
  ]);
  expect(await deliveries.findDueOf(receivers, now, 60)).toHaveLength(15);
  expect(idsOf(await deliveries.findDueOf(receivers, later(-56), 60))).toEqual(['pay_56:1']);
  await claimOne('pay_56:1');
  expect(idsOf(await deliveries.findDueOf(receivers, now, 1))).toEqual(['pay_55:1']);
  const plan = await database
    .collection(DELIVERIES)
    .find({ state: 'waiting', dueAt: { $lte: now }, $or: receivers })
    .sort({ dueAt: 1 })
    .limit(4)
    .hint('of_receiver')
    .explain('executionStats');
  expect(JSON.stringify(plan.queryPlanner.winningPlan)).toContain('"stage":"SORT_MERGE"');
  expect(plan.executionStats.totalKeysExamined).toBeLessThan(10);
});

it('gives a delivery to one of many claimants, and to another when the lease ran out', async () => {
  await deliveries.insert([planned('pay_1', 1)], now);
  const seen = await find('pay_1:1');
  const won = await Promise.all(Array.from({ length: 8 }, () => deliveries.claim(seen, now)));
  expect(won.flat()).toHaveLength(1);
  const held = ((await stored('pay_1:1'))?.leaseUntil.getTime() ?? 0) - Date.now();
  expect(held).toBeGreaterThan(limits.callbackTotalMs);
  await expireLeases();
  const next = await claimOne('pay_1:1');
  // The first holder is too late: its record would hide the try of the second holder.
  await expect(deliveries.record(won.flat()[0] as ClaimedDelivery, { attempt, state: 'ended' }, now)).resolves.toBe(
    false,
  );
  // Nor does the first holder free the delivery: it would be tried again while the second holder tries it.
  const failed = { attempt: { ...attempt, status: 503 }, state: 'waiting', dueAt: later(10) } as const;
  await expect(deliveries.record(won.flat()[0] as ClaimedDelivery, failed, now)).resolves.toBe(false);
  await expect(deliveries.record(next, { attempt, state: 'delivered' }, now)).resolves.toBe(true);
  expect(await stored('pay_1:1')).toMatchObject({
    state: 'delivered',
    tries: 1,
    attempts: [attempt],
    expireAt: later(limits.deliveryRetentionMs),
  });
  await expireLeases();
  expect(await deliveries.claim(seen, now)).toEqual([]);
});

it('claims and returns only those of the given deliveries that are still free and unchanged', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_2', 1), planned('pay_3', 1)], now);
  const seen = await find('pay_1:1', 'pay_2:1', 'pay_3:1');
  await claimOne('pay_1:1');
  // Another process has tried this delivery since, without success.
  await deliveries.record(await claimOne('pay_2:1'), { attempt, state: 'waiting', dueAt: later(10) }, now);
  const claimed = await deliveries.claim(seen, now);
  expect(idsOf(claimed)).toEqual(['pay_3:1']);
  expect(claimed[0]).toMatchObject({ body: '{}', url: 'https://a.example/hook', tries: 0 });
  await expect(deliveries.record(claimed[0] as ClaimedDelivery, { attempt, state: 'delivered' }, now)).resolves.toBe(
    true,
  );
});

it('records many tries at once and returns which of them had lost their lease', async () => {
  const ids = ['pay_1:1', 'pay_2:1', 'pay_3:1'];
  await deliveries.insert([planned('pay_1', 1), planned('pay_2', 1), planned('pay_3', 1)], now);
  const [one, two, three] = (await claim(...ids)) as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
  const lost = { ...two, leaseToken: 'another' };
  const recorded = await Promise.all(
    [one, lost, three].map((delivery) => deliveries.record(delivery, { attempt, state: 'delivered' }, now)),
  );
  expect(recorded).toEqual([true, false, true]);
  expect((await stored(lost._id))?.state).toBe('waiting');
});

it('records tries in one batch, each delivery with its own attempt, also when two leases of one meet', async () => {
  const ids = ['pay_1:1', 'pay_2:1', 'pay_3:1', 'pay_4:1'];
  await deliveries.insert([planned('pay_1', 1), planned('pay_2', 1), planned('pay_3', 1), planned('pay_4', 1)], now);
  const first = await claimOne('pay_1:1');
  await expireLeases();
  const claimed = await claim(...ids);
  const results = [
    { state: 'delivered' },
    { state: 'delivered' },
    { state: 'delivered' },
    { state: 'ended' },
    { state: 'waiting', dueAt: later(9) },
  ] as const;
  const recorded = await Promise.all(
    [first, ...claimed].map((delivery, n) => {
      const result = results[n] ?? results[0];
      return deliveries.record(delivery, { attempt: { ...attempt, ms: n }, ...result }, later(n));
    }),
  );
  expect(recorded).toEqual([false, true, true, true, true]);
  const kept = await Promise.all(claimed.map(({ _id }) => stored(_id)));
  expect(kept.map((delivery) => [delivery?.state, delivery?.attempts.map(({ ms }) => ms), delivery?.tries])).toEqual([
    ['delivered', [1], 1],
    ['delivered', [2], 1],
    ['ended', [3], 1],
    ['waiting', [4], 1],
  ]);
});

it('records a try once when the acknowledgement of the write is lost', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_2', 1)], now);
  const claimed = await claim('pay_1:1', 'pay_2:1');
  const collection = database.collection<Delivery>(DELIVERIES);
  let writes = 0;
  const losing = new Proxy(collection, {
    get: (target, name) =>
      name !== 'bulkWrite'
        ? Reflect.get(target, name)
        : async (...given: Parameters<typeof collection.bulkWrite>) => {
            const result = await target.bulkWrite(...given);
            writes += 1;
            if (writes === 1) throw new Error('connection lost');
            return result;
          },
  });
  const batch = claimed.map((delivery) => ({
    claimed: delivery,
    tried: { attempt, state: 'delivered' } as const,
    now,
  }));
  expect(await recordBatch(losing, batch)).toEqual([{ ok: true }, { ok: true }]);
  expect(await stored('pay_1:1')).toMatchObject({ state: 'delivered', tries: 1, attempts: [attempt] });
});

it('frees a delivery at once when it is released or was tried without success', async () => {
  await deliveries.insert([planned('pay_1', 1)], now);
  await deliveries.release([{ claimed: await claimOne('pay_1:1') }]);
  await deliveries.record(await claimOne('pay_1:1'), { attempt, state: 'waiting', dueAt: later(10_000) }, now);
  expect(await deliveries.findDue(later(9_999), 10)).toEqual([]);
  expect(idsOf(await deliveries.findDue(later(10_000), 10))).toEqual(['pay_1:1']);
  expect((await claimOne('pay_1:1')).tries).toBe(1);
});

it('keeps the newer claim when a process whose lease ran out releases the delivery', async () => {
  await deliveries.insert([planned('pay_1', 1)], now);
  const lost = await claimOne('pay_1:1');
  await expireLeases();
  await claimOne('pay_1:1');
  const held = await stored('pay_1:1');
  await deliveries.release([{ claimed: lost }, { claimed: lost, dueAt: later(10_000) }]);
  expect(await stored('pay_1:1')).toEqual(held);
});

it('keeps only the newest attempts of a delivery', async () => {
  await deliveries.insert([planned('pay_1', 1)], now);
  for (let tries = 0; tries < limits.callbackAttemptsKept + 2; tries += 1) {
    const claimed = await claimOne('pay_1:1');
    await deliveries.record(claimed, { attempt: { ...attempt, ms: tries }, state: 'waiting', dueAt: now }, now);
  }
  const { attempts, tries } = (await stored('pay_1:1')) as Delivery;
  expect([attempts.length, attempts.at(-1)?.ms, tries]).toEqual([20, 21, 22]);
});

it('claims only the first delivery of a payment, lets the later ones wait, and wakes the next', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_1', 2), planned('pay_1', 3)], now);
  await deliveries.insert([planned('pay_2', 5)], now);
  expect(idsOf(await claim('pay_1:2', 'pay_1:3', 'pay_2:5'))).toEqual(['pay_2:5']);
  for (const id of ['pay_1:2', 'pay_1:3']) {
    expect(await stored(id)).toMatchObject({ leaseUntil: new Date(0), tries: 0 });
    expect((await stored(id))?.dueAt.getTime()).toBe(inTheEnd.getTime() + limits.callbackLeaseMs);
  }
  await deliveries.record(await claimOne('pay_1:1'), { attempt, state: 'exhausted' }, now);
  await expect(deliveries.wakeNext('pay_1', later(7))).resolves.toMatchObject({ _id: 'pay_1:2', body: '{}' });
  expect((await stored('pay_1:2'))?.dueAt).toEqual(later(7));
  expect((await stored('pay_1:3'))?.dueAt.getTime()).toBeGreaterThan(inTheEnd.getTime());
  expect(idsOf(await claim('pay_1:2'))).toEqual(['pay_1:2']);
  await expect(deliveries.wakeNext('pay_2', now)).resolves.toMatchObject({ _id: 'pay_2:5' });
  await expect(deliveries.wakeNext('pay_9', now)).resolves.toBeUndefined();
});

it('does not delay a delivery that was woken while it was claimed before its turn', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_1', 2)], now);
  const seen = await find('pay_1:2');
  await database.collection<Delivery>(DELIVERIES).updateOne({ _id: 'pay_1:2' }, { $set: { dueAt: later(3) } });
  expect(await deliveries.claim(seen, inTheEnd)).toEqual([]);
  expect(await stored('pay_1:2')).toMatchObject({ dueAt: later(3), leaseUntil: new Date(0) });
});

it('postpones only unchanged deliveries, and those of a client at a host except the ones under way', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_2', 1), planned('pay_3', 1, 'b.example')], now);
  await deliveries.insert([planned('pay_4', 1, 'a.example', 'client-b')], now);
  const [seen] = await deliveries.findDueAmong(['pay_1:1'], now);
  if (!seen) throw new Error('not found');
  await deliveries.postpone([{ seen: { ...seen, dueAt: later(-5) }, dueAt: later(50) }]);
  expect((await stored('pay_1:1'))?.dueAt).toEqual(now);
  await deliveries.postpone([{ seen, dueAt: later(50) }]);
  expect((await stored('pay_1:1'))?.dueAt).toEqual(later(50));
  await claimOne('pay_2:1');
  await deliveries.postponeReceiver({ host: 'a.example', clientId: 'client-a' }, later(30));
  expect((await stored('pay_1:1'))?.dueAt).toEqual(later(50));
  expect((await stored('pay_2:1'))?.dueAt).toEqual(now);
  await expireLeases();
  await deliveries.postponeReceiver({ host: 'a.example', clientId: 'client-a' }, later(30));
  expect((await stored('pay_2:1'))?.dueAt).toEqual(later(30));
  expect([(await stored('pay_3:1'))?.dueAt, (await stored('pay_4:1'))?.dueAt]).toEqual([now, now]);
});

describe('very many deliveries that wait for one receiver', () => {
  const MANY = 2 * limits.callbackMovedMax + 1;
  const dead = { host: 'a.example', clientId: 'client-a' };
  const count = (where: object) => database.collection<Delivery>(DELIVERIES).countDocuments(where);
  beforeEach(async () => {
    await deliveries.insert([planned('pay_other', 1, 'b.example')], later(1));
    await deliveries.insert(
      Array.from({ length: MANY }, (_, n) => planned(`pay_${n}`, 1)),
      now,
    );
  });

  it('are moved by small statements, with several pauses at once to the end of the latest', async () => {
    const db = database.connection.db;
    await db?.command({ profile: 2 });
    await Promise.all([10, 30, 20].map((ms) => deliveries.postponeReceiver(dead, later(ms))));
    await db?.command({ profile: 0 });
    expect(await count({ ...dead, dueAt: later(30) })).toBe(MANY);
    const updates = await db
      ?.collection('system.profile')
      .find({ op: 'update', ns: /deliveries$/ })
      .toArray();
    expect(Math.max(...(updates ?? []).map(({ nModified }) => nModified))).toBe(limits.callbackMovedMax);
    // Each delivery is moved at most once for the first pause and once for the latest.
    expect(updates?.reduce((sum, { nModified }) => sum + nModified, 0)).toBeLessThanOrEqual(2 * MANY);
    await deliveries.postponeReceiver(dead, later(40));
    expect(await count({ ...dead, dueAt: later(40) })).toBe(MANY);
  });

  it('are moved to the end of a later pause that began meanwhile, also when they are few', async () => {
    const few = { host: 'b.example', clientId: 'client-a' };
    await Promise.all([10, 30].map((ms) => deliveries.postponeReceiver(few, later(ms))));
    expect(await count({ ...few, dueAt: later(30) })).toBe(1);
  });

  it('do not hide the deliveries of other receivers while they are moved', async () => {
    const moved = deliveries.postponeReceiver(dead, later(30));
    expect(idsOf(await deliveries.findDue(later(2), 64))).toEqual(['pay_other:1']);
    await moved;
    expect(idsOf(await deliveries.findDue(later(30), 2))).toContain('pay_other:1');
    expect(await deliveries.findDue(later(30), MANY + 1)).toHaveLength(MANY + 1);
  });
});

it('replays an ended delivery from the start of the schedule, under the same event id', async () => {
  await deliveries.insert([planned('pay_1', 1)], now);
  const [{ eventId }] = (await deliveries.findByPayment('pay_1')) as [Delivery];
  await expect(deliveries.replay('pay_1', eventId, now)).resolves.toBeUndefined();
  await deliveries.record(await claimOne('pay_1:1'), { attempt, state: 'exhausted' }, now);
  await expect(deliveries.replay('pay_2', eventId, now)).resolves.toBeUndefined();
  await expect(deliveries.replay('pay_1', eventId, later(9))).resolves.toBe('pay_1:1');
  const replayed = await stored('pay_1:1');
  expect(replayed).toMatchObject({ state: 'waiting', tries: 0, dueAt: later(9), eventId, attempts: [attempt] });
  expect(replayed).not.toHaveProperty('expireAt');
});
