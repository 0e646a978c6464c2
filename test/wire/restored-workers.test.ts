/** Real worker processes on a database in safe mode, without Redis: the work that waits until safe mode ends, and the work that goes on. */
import { freePort } from '../../scripts/setup/ports.mjs';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { beginSafeMode, endSafeMode } from '../../shared/store/restore-watch.js';
import { endSpawned, type Spawned, soundSettings, spawnEntry } from '../config/spawn-entry.js';
import { approvedPayment, authorizedPayment, createdPayment, later, start } from '../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { until } from '../support/patience.js';
import { testMongoUri } from '../support/services.js';

let store: PaymentStore;
beforeAll(async () => {
  store = await openPaymentStore('restored_workers');
});
afterEach(endSpawned);
afterAll(() => store?.close());

const settings = soundSettings();
const authorization = `Basic ${Buffer.from(`operator:${settings['OPERATOR_PASSWORD']}`).toString('base64')}`;

/** Starts a process with these pools. `readiness` reads its /readyz. */
async function startPools(...pools: readonly string[]) {
  const env = {
    ...settings,
    MONGODB_URI: testMongoUri('restored_workers'),
    WORKER_OPERATOR_PORT: String(await freePort()),
  };
  const spawned: Spawned = spawnEntry('workers/run', env, pools);
  await spawned.ready;
  const readiness = async () => {
    const url = `http://127.0.0.1:${env.WORKER_OPERATOR_PORT}/readyz`;
    const answer = await fetch(url, { headers: { authorization, connection: 'close' } });
    return { code: answer.status, ...((await answer.json()) as { reason?: string }) };
  };
  return { ...spawned, readiness };
}

/** Stores a cvc that is due for destruction, which safe mode does not delay. Resolves when a process has destroyed it. */
async function destroyed(): Promise<void> {
  const { cvc } = createdPayment();
  const sealed = { ...approvedPayment(), cvc, cvcDestroyAt: start } as Payment;
  await store.put(sealed);
  await until(async () => (await store.read(sealed._id)).cvc === undefined);
}

test('safe mode holds back payments and deadlines but no other due work, and its end releases them', async () => {
  const unsent = createdPayment();
  const hold = { ...authorizedPayment(), deadline: { kind: 'expire', at: later(0) } } as const;
  await store.put(unsent, hold);
  await beginSafeMode(store.database, { reason: 'a test of restores', since: start });
  const [sends, waits] = await Promise.all([startPools('processor', 'expiry'), startPools('callback')]);
  expect(await sends.readiness()).toMatchObject({
    code: 503,
    reason: 'safe mode: a test of restores; run ./gateway reconcile',
  });
  expect(await waits.readiness()).toMatchObject({ code: 200 });
  // By now the pool that has to wait would have swept, too.
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await destroyed();
  const untouched = await Promise.all([unsent, hold].map(({ _id }) => store.read(_id)));
  expect(untouched.map(({ status, work, activeOp }) => [status, work?.leaseToken, activeOp])).toEqual([
    ['created', undefined, undefined],
    ['authorized', undefined, undefined],
  ]);

  await endSafeMode(store.database, new Date());
  await until(async () => (await sends.readiness()).code === 200);
  await until(async () => (await store.read(unsent._id)).status !== 'created');
  await until(async () => (await store.read(hold._id)).activeOp !== undefined);

  sends.child.kill('SIGTERM');
  expect((await sends.ended).code).toBe(0);
});
