/**
 * Deliveries of a payment on the real MongoDB: their order follows their numbers, not the order in which the database finds them.
 * Therefore this suite creates no index.
 */
import { limits } from '../../config/limits.js';
import type { ClaimedDelivery, Delivery } from '../../shared/domain/callback/delivery.js';
import { createDeliveryRepository, type DeliveryRepository } from '../../shared/store/delivery.repository.js';
import { openStore, type Store } from './open-store.js';

let store: Store;
let deliveries: DeliveryRepository;
beforeAll(async () => {
  store = await openStore('delivery_order', []);
  deliveries = createDeliveryRepository(store.database);
});
const rows = () => store.database.collection<Delivery>('deliveries');
beforeEach(async () => {
  await rows().deleteMany({});
});
afterAll(() => store?.close());

const now = new Date('2026-01-02T03:04:05.678Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const idsOf = (found: readonly { readonly _id: string }[]) => found.map(({ _id }) => _id);
const attempt = (ms: number) => ({ at: now, ms, status: 200 }) as const;

function planned(paymentId: string, seq: number, clientId = 'client-a') {
  const url = 'https://a.example/hook';
  const who = { paymentId, clientId, seq, url, host: 'a.example' };
  return { _id: `${paymentId}:${seq}`, ...who, body: '{}', resourceVersion: seq, createdAt: now };
}
const claim = async (...ids: string[]) => deliveries.claim(await deliveries.findDueAmong(ids, now), now);
async function claimOne(id: string): Promise<ClaimedDelivery> {
  const [claimed] = await claim(id);
  if (!claimed) throw new Error(`${id} could not be claimed`);
  return claimed;
}

test('the first delivery of a payment is woken, and all are listed by number, not in the order of storing', async () => {
  await deliveries.insert([planned('pay_1', 3), planned('pay_1', 1), planned('pay_1', 2)], later(500));
  expect(await deliveries.wakeNext('pay_1', now)).toMatchObject({ _id: 'pay_1:1', dueAt: now });
  expect(idsOf(await deliveries.findByPayment('pay_1'))).toEqual(['pay_1:1', 'pay_1:2', 'pay_1:3']);
  expect(await deliveries.wakeNext('pay_2', now)).toBeUndefined();
});

test('two deliveries of a payment that are claimed together are both held: neither waits for the other', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_1', 2)], now);
  expect(idsOf(await claim('pay_1:1', 'pay_1:2')).sort()).toEqual(['pay_1:1', 'pay_1:2']);
});

test('a delivery behind one that another process holds waits until that lease ends', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_1', 2), planned('pay_2', 1)], now);
  const due = await deliveries.findDueAmong(['pay_1:1', 'pay_1:2', 'pay_2:1'], now);
  await claimOne('pay_1:1');
  expect(idsOf(await deliveries.claim(due, now))).toEqual(['pay_2:1']);
  expect(await rows().findOne({ _id: 'pay_1:2' })).toMatchObject({ dueAt: later(limits.callbackLeaseMs) });
});

test('due deliveries of busy clients are left out, those of others are found', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_2', 1, 'client-b')], now);
  expect(idsOf(await deliveries.findDue(now, 10, { clients: ['client-a'] }))).toEqual(['pay_2:1']);
});

test.each(['delivered', 'exhausted'] as const)(
  'only the newest attempts of a delivery are kept when it is %s',
  async (state) => {
    await deliveries.insert([planned('pay_1', 1)], now);
    const all = Array.from({ length: limits.callbackAttemptsKept + 2 }, (_, ms) => attempt(ms));
    for (const one of all.slice(0, -1)) {
      expect(
        await deliveries.record(await claimOne('pay_1:1'), { attempt: one, state: 'waiting', dueAt: now }, now),
      ).toBe(true);
    }
    const last = all.at(-1) as (typeof all)[number];
    expect(await deliveries.record(await claimOne('pay_1:1'), { attempt: last, state }, now)).toBe(true);
    const stored = await rows().findOne({ _id: 'pay_1:1' });
    expect(stored?.attempts).toEqual(all.slice(-limits.callbackAttemptsKept));
    expect(stored).toMatchObject({ state, tries: all.length });
  },
);

test('a try is not recorded when another process recorded one since, or when the delivery is gone', async () => {
  await deliveries.insert([planned('pay_1', 1), planned('pay_2', 1)], now);
  const [mine, gone] = [await claimOne('pay_1:1'), await claimOne('pay_2:1')];
  await rows().updateMany({}, { $set: { leaseUntil: new Date(Date.now() - 1_000) } });
  const theirs = await claimOne('pay_1:1');
  expect(await deliveries.record(theirs, { attempt: attempt(1), state: 'delivered' }, now)).toBe(true);
  await rows().deleteOne({ _id: 'pay_2:1' });
  const late = { attempt: attempt(2), state: 'delivered' } as const;
  expect(await Promise.all([mine, gone].map((one) => deliveries.record(one, late, now)))).toEqual([false, false]);
  // An attempt of the same duration that began at another time is another try.
  const other = { attempt: { ...attempt(1), at: later(1) }, state: 'delivered' } as const;
  expect(await deliveries.record(mine, other, now)).toBe(false);
});

test('storing, claiming, releasing or postponing no deliveries does nothing', async () => {
  expect(await deliveries.insert([], now)).toEqual([]);
  expect(await deliveries.claim([], now)).toEqual([]);
  await deliveries.release([]);
  await deliveries.postpone([]);
});
