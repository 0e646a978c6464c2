/** One try of a callback on the real MongoDB: what is sent, what it shows about the receiver, and what is recorded and logged. */
import { limits } from '../../../config/limits.js';
import type { ClaimedDelivery, Delivery } from '../../../shared/domain/callback/delivery.js';
import type { Log } from '../../../shared/log.js';
import { createDeliveryRepository } from '../../../shared/store/delivery.repository.js';
import type { CallbackPost, PostResult } from '../../../workers/callback/post-callback.js';
import { recordTry, sendDelivery, type TryDeps } from '../../../workers/callback/try-delivery.js';
import { openStore, type Store } from '../../store/open-store.js';

let store: Store;
beforeAll(async () => {
  store = await openStore('tries', ['Delivery']);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

const now = new Date();
const planned = {
  ...{ _id: 'pay_1:7', paymentId: 'pay_1', clientId: 'shop', seq: 7, url: 'https://a.example/hook', host: 'a.example' },
  ...{ body: '{}', resourceVersion: 9, createdAt: new Date(now.getTime() - 5_000) },
};
const rows = () => store.database.collection<Delivery>('deliveries');

/** Stores the delivery as if `tries` tries had been made, and claims it. */
async function claimed(tries = 0): Promise<ClaimedDelivery> {
  const deliveries = createDeliveryRepository(store.database);
  await deliveries.insert([planned], now);
  await rows().updateOne({ _id: planned._id }, { $set: { tries } });
  const [claim] = await deliveries.claim(await deliveries.findDueAmong([planned._id], now), now);
  if (!claim) throw new Error('it could not be claimed');
  return claim;
}

function answering(result: PostResult) {
  const posts: CallbackPost[] = [];
  const lines: { readonly event: string; readonly fields: object }[] = [];
  const post = async (callback: CallbackPost) => {
    posts.push(callback);
    return result;
  };
  const info = (event: string, fields: object) => void lines.push({ event, fields });
  const deps: TryDeps = {
    deliveries: createDeliveryRepository(store.database),
    poster: { post, close: async () => undefined },
    clock: { now: () => now },
    log: { info } as unknown as Log,
    random: () => 0.5,
    timeScale: 1,
  };
  return { deps, posts, lines };
}
const answered = (status: number, ms = 5) => ({ kind: 'answered', status, ms }) as const;
const silent = { kind: 'no-answer', error: 'timeout', ms: 9 } as const;

test('a delivery is sent with the number of the try', async () => {
  const { deps, posts } = answering(answered(200));
  const sent = await sendDelivery(await claimed(2), deps);
  const { eventId } = sent.claimed;
  const { url, body, createdAt: eventCreatedAt, resourceVersion } = planned;
  expect(posts).toEqual([{ url, body, eventId, attempt: 3, eventCreatedAt, resourceVersion }]);
});

test.each<[PostResult, string]>([
  [answered(200), 'good'],
  [answered(200, limits.callbackSlowMs), 'good'],
  [answered(200, limits.callbackSlowMs + 1), 'slow'],
  [answered(404), 'good'],
  [answered(429), 'failed'],
  [answered(500), 'failed'],
  [silent, 'failed'],
])('%j counts the receiver as %s', async (result, use) => {
  expect(await sendDelivery({ tries: 0 } as ClaimedDelivery, answering(result).deps)).toMatchObject({ result, use });
});

const afterMs = (triesDone: number) => new Date(now.getTime() + (limits.callbackAfterMs[triesDone] ?? Number.NaN));
const LAST = limits.callbackAfterMs.length - 1;

test.each<[PostResult, number, object]>([
  [answered(204), 0, { state: 'delivered' }],
  [answered(410), 0, { state: 'ended' }],
  [answered(500), 0, { state: 'waiting', dueAt: afterMs(1) }],
  [silent, 1, { state: 'waiting', dueAt: afterMs(2) }],
  [silent, LAST, { state: 'exhausted' }],
  [answered(301), LAST, { state: 'exhausted' }],
])('%j after %i tries leads to its state and one log line', async (result, tries, expected) => {
  const { deps, lines } = answering(result);
  const recorded = await recordTry(await sendDelivery(await claimed(tries), deps), deps);
  const said = result.kind === 'answered' ? { status: result.status } : { error: 'timeout' };
  expect(recorded).toEqual({ attempt: { at: now, ms: result.ms, ...said }, ...expected });
  expect(await rows().findOne({ _id: planned._id })).toMatchObject({ ...expected, tries: tries + 1 });
  const { eventId } = (await rows().findOne({ _id: planned._id })) as Delivery;
  const why = result.kind === 'answered' ? { status: result.status } : { reason: 'timeout' };
  const kind = (expected as { state: string }).state;
  expect(lines).toEqual([
    {
      event: 'delivery.attempted',
      fields: { deliveryId: planned._id, eventId, host: planned.host, ms: result.ms, tries: tries + 1, kind, ...why },
    },
  ]);
});

test('a try whose lease had ended is not recorded, and the log says so', async () => {
  const { deps, lines } = answering(answered(200));
  const sent = await sendDelivery(await claimed(), deps);
  await rows().updateOne({ _id: planned._id }, { $set: { leaseToken: 'of another' } });
  expect(await recordTry(sent, deps)).toBeUndefined();
  expect(await rows().findOne({ _id: planned._id })).toMatchObject({ state: 'waiting', tries: 0, attempts: [] });
  expect(lines).toMatchObject([{ fields: { kind: 'lease-lost' } }]);
});
