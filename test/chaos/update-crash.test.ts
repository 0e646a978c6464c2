/**
 * Updates of a processor are acknowledged while no worker runs, Redis is emptied, and the worker that applies them is killed again and
 * again. Each update is applied once: nothing acknowledged is lost.
 */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { signSandboxUpdate } from '../../shared/processors/sandbox/read-sandbox-update.js';
import { PROCESSOR_UPDATES, type ProcessorUpdateRow } from '../../shared/store/processor-update.model.js';
import { type OwnRedis, startOwnRedis } from '../support/own-servers.js';
import { until } from '../support/patience.js';
import { testMongoUri } from '../support/services.js';
import { paymentOf } from './harness/bodies.js';
import { type Caller, createCaller } from './harness/caller.js';
import type { Member } from './harness/member.js';
import { merchants, type Stack, startStack } from './harness/stack.js';

const SECRET = 'whsec_of_the_crashes';
const PAYMENTS = 40;
const KILLS = 3;

let redis: OwnRedis;
let stack: Stack;
let caller: Caller;

const payments = () => stack.database.collection<Payment>('payments');
const updates = () => stack.database.collection<ProcessorUpdateRow>(PROCESSOR_UPDATES);
const waiting = () => updates().countDocuments({ status: 'waiting' } as never);

/** Sends a dispute about the payment, as the processor reports it. */
async function sendDispute({ _id, transactions: [sale] }: Payment): Promise<number> {
  const about = { key: sale?.id, amountMinor: sale?.amountMinor, currency: 'USD', at: '2026-11-01T12:00:00.000Z' };
  const dispute = { type: 'dispute', id: `evt-${_id}`, disputeId: `dp-${_id}`, status: 'open', ...about };
  const body = JSON.stringify({ updates: [dispute] });
  const response = await fetch(`${stack.apiUrls[0]}/v1/processors/sandbox/updates`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-sandbox-signature': signSandboxUpdate(SECRET, body, Math.floor(Date.now() / 1000)),
    },
    body,
  });
  return response.status;
}

beforeAll(async () => {
  redis = await startOwnRedis();
  stack = await startStack({
    name: 'update-crash',
    mongodbUri: testMongoUri('update_crash'),
    redisUrl: redis.url,
    redisPrefix: 'updates',
    counts: { api: 1, processor: 1 },
    settings: { SANDBOX_UPDATE_SECRET: SECRET, TIME_SCALE: '60', WORKER_CONCURRENCY: '2' },
  });
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
});

afterAll(async () => {
  await caller?.close();
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
  await redis?.stop();
});

async function makePayments(): Promise<Payment[]> {
  const bodies = Array.from({ length: PAYMENTS }, () =>
    paymentOf('visa', { merchantId: merchants.sandbox, total: '7.00' }),
  );
  await Promise.all(bodies.map((body) => caller.call('POST', '/v1/payments', body)));
  const approved = { status: 'approved', referenceId: { $in: bodies.map(({ referenceId }) => referenceId) } } as never;
  await until(async () => (await payments().countDocuments(approved)) === PAYMENTS, 'all are approved');
  return payments().find(approved).toArray();
}

/** @returns how many updates were not applied yet when the worker was killed for the first time. */
async function applyWhileKilled(worker: Member): Promise<number> {
  const sold = await makePayments();
  await worker.kill();
  const statuses = await Promise.all(sold.map(sendDispute));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await waiting()).toBe(PAYMENTS);
  await redis.flushAll();

  const left: number[] = [];
  for (let times = 1; times <= KILLS; times += 1) {
    const before = await waiting();
    await worker.start();
    // Some updates are applied, the others stored. On a fast machine all may be applied.
    await until(async () => (await waiting()) < before || before === 0, 'it applies some');
    await worker.kill();
    left.push(await waiting());
  }
  await worker.start();
  await until(async () => (await waiting()) === 0, 'all are applied');
  // An update that the processor sends again is the same update.
  expect(new Set(await Promise.all(sold.map(sendDispute)))).toEqual(new Set([200]));

  const ids = sold.map(({ _id }) => _id);
  const events = ids.map((id) => `evt-${id}`);
  const applied = { status: 'applied', 'update.eventId': { $in: events } } as never;
  expect(await updates().countDocuments(applied)).toBe(PAYMENTS);
  const stored = await payments()
    .find({ _id: { $in: ids } } as never)
    .toArray();
  for (const { _id, status, capturedMinor, disputes, alerts } of stored) {
    expect([_id, status, capturedMinor]).toEqual([_id, 'approved', 700]);
    expect([_id, disputes?.map(({ id }) => id), alerts?.length]).toEqual([_id, [`dp-${_id}`], 1]);
  }
  return left[0] ?? 0;
}

test('acknowledged updates survive an empty Redis and a worker that is killed while it applies them', async () => {
  const worker = stack.member('processor-1');
  let left = 0;
  // Repeated until the first kill comes in between: then another process than the first applies some updates.
  while (left === 0) left = await applyWhileKilled(worker);
});
