/**
 * The worker of bank transfers is killed again and again while codes are issued, paid, given up and left to expire. Every payment has one
 * code and one end, which is the end that the bank's books ask for, and each end is announced once.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { LedgerEntry } from '../../shared/processors/processor.js';
import { orphans } from '../../shared/store/orphans.js';
import { receiveCallbacks } from '../support/callback-receiver.js';
import { dropDatabase } from '../support/drop-database.js';
import { paymentBody } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { type Caller, createCaller } from './harness/caller.js';
import { type Stack, startStack } from './harness/stack.js';

const payers = ['pays', 'pays-late', 'leaves', 'gives-up'] as const;
type Payer = (typeof payers)[number];

const PAYMENTS = 60;
/** Least time that the worker lives (ms). On a slow machine it lives for two start times: else it would never get to its work. */
const WORKER_LIFE_MS = 900;

let stack: Stack;
let caller: Caller;
let receiver: Awaited<ReturnType<typeof receiveCallbacks>>;
let ledger: readonly LedgerEntry[];
let stored: Payment[];
const payerOf = new Map<string, Payer>();

const payments = () => stack.database.collection<Payment>('payments');

async function playPayer(payer: Payer): Promise<void> {
  const method = { source: 'bank-transfer', id: 'instant-transfer' };
  const body = paymentBody({ flow: 'pos', paymentMethod: method, callbackUrl: receiver.url });
  const { answer } = await caller.call('POST', '/v1/payments', body);
  const id = answer?.body?.id as string | undefined;
  if (answer?.status !== 200 || id === undefined) return;
  payerOf.set(id, payer);
  // An answer has no code when no worker was running to issue it.
  let { code, expiresAt, status } = answer.body;
  const codeBy = Date.now() + PATIENCE_MS;
  while (!code && status !== 'failed' && Date.now() < codeBy) {
    await pause(150);
    ({ code, expiresAt, status } = (await caller.call('GET', `/v1/payments/${id}`)).answer?.body ?? {});
  }
  if (!code) return;
  const pay = () => fetch(code.url, { method: 'POST', body: new URLSearchParams({ choice: 'pay' }) });
  if (payer === 'pays') await pay();
  if (payer === 'pays-late') {
    await pause(Date.parse(expiresAt) - Date.now() + 100);
    await pay();
  }
  if (payer === 'gives-up')
    await caller.call('POST', `/v1/payments/${id}/cancellations`, { referenceId: `cancel-${id}` });
}

beforeAll(async () => {
  receiver = await receiveCallbacks();
  stack = await startStack({
    name: 'transfer-crash',
    mongodbUri: testMongoUri('transfer_crashes'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('transfer_crashes'),
    counts: { api: 1, qr: 1, processor: 1, callback: 1 },
    // A code lives 9 s.
    settings: { PROCESSOR_TIMEOUT_MS: '1000', RESPONSE_WAIT_MS: '1500', TIME_SCALE: '100' },
    simulatorTimeScale: 100,
  });
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
  let stopped = false;
  const killer = (async () => {
    let lifeMs = WORKER_LIFE_MS;
    while (!stopped) {
      await pause(lifeMs);
      await stack.member('qr-1').kill();
      const startedAt = performance.now();
      await stack.member('qr-1').start();
      lifeMs = Math.max(WORKER_LIFE_MS, 2 * (performance.now() - startedAt));
    }
  })();
  const playing: Promise<void>[] = [];
  for (let number = 0; number < PAYMENTS; number += 1) {
    playing.push(playPayer(payers[number % payers.length] ?? 'pays'));
    await pause(100);
  }
  await Promise.all(playing);
  stopped = true;
  await killer;
  const giveUpAt = Date.now() + PATIENCE_MS;
  const open = () =>
    payments().countDocuments({
      $or: [{ status: { $in: ['created', 'pending'] } }, { announceAt: { $exists: true } }],
    } as never);
  while ((await open()) > 0 && Date.now() < giveUpAt) await pause(300);
  // Waits for the last check that may find money, and for its callback.
  await pause(8_000);
  ledger = await stack.ledger();
  stored = await payments()
    .find({ merchantId: 1001 } as never)
    .toArray();
});

afterAll(async () => {
  await caller?.close();
  if (stack) await dropDatabase(stack.database);
  await stack?.stop();
  await receiver?.close();
});

const entriesOf = (payment: Payment, kind: string) => {
  const key = payment.transactions[0]?.id;
  return ledger.filter((line) => line.kind === kind && (kind === 'code' ? line.key : line.original) === key);
};

test('enough of each kind came through for the run to mean something', () => {
  const statuses = new Set(stored.map(({ status }) => status));
  expect([...statuses].sort()).toEqual(expect.arrayContaining(['approved', 'cancelled', 'expired']));
  expect(stored.length).toBeGreaterThan(PAYMENTS / 2);
});

test('every payment ended as the books of the bank say', () => {
  for (const payment of stored) {
    const transfers = entriesOf(payment, 'transfer');
    const returned = entriesOf(payment, 'cancellation').length > 0;
    const inTime = transfers.some(({ at }) => payment.expiresAt !== undefined && at <= payment.expiresAt.toISOString());
    const wanted = returned ? 'cancelled' : inTime ? 'approved' : 'expired';
    expect([payment._id, payment.status]).toEqual([payment._id, payment.code ? wanted : 'failed']);
    const capturedNet = payment.capturedMinor - payment.refundedMinor;
    const surplus = payment.transactions.filter(({ flagged }) => flagged !== undefined);
    const recordedMinor = capturedNet + surplus.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    const received = returned ? 0 : transfers.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    expect([payment._id, recordedMinor]).toEqual([payment._id, received]);
    expect(entriesOf(payment, 'code').length).toBeLessThanOrEqual(1);
  }
});

test('each end is announced once, and nothing is left half done', async () => {
  for (const { _id, status } of stored) {
    const announced = receiver.of(_id);
    const ends = new Set(announced.map((body) => body.status).filter((one) => one !== 'pending'));
    expect([_id, [...ends].filter((one) => one !== status)]).toEqual([_id, []]);
    expect(new Set(receiver.events(_id)).size).toBe(announced.length);
  }
  const left = await payments()
    .find(orphans as never)
    .toArray();
  expect(left.map(({ _id }) => _id)).toEqual([]);
});
