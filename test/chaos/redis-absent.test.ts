/**
 * Redis is absent from the beginning (docs/verification.md, T4): all processes start, accept and finish payments from MongoDB alone, and
 * take the fast path when Redis comes up. Also: an API that dies after it stored a payment and before it notified a worker.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { type OwnRedis, startOwnRedis } from '../support/own-servers.js';
import { PATIENCE_MS, until } from '../support/patience.js';
import { testMongoUri } from '../support/services.js';
import { paymentOf } from './harness/bodies.js';
import { type Caller, createCaller } from './harness/caller.js';
import { percentile } from './harness/check.js';
import { readLedger } from './harness/ledger-facts.js';
import { sized } from './harness/scale.js';
import { merchants, type Stack, startStack } from './harness/stack.js';

const WAIT_MS = 5_000;
const PAYMENTS = sized(60, 500);

let redis: OwnRedis;
let stack: Stack;
let caller: Caller;
let readyAfterMs: number;

beforeAll(async () => {
  redis = await startOwnRedis();
  await redis.kill();
  const startedAt = performance.now();
  stack = await startStack({
    name: 'redis-absent',
    mongodbUri: testMongoUri('redisless'),
    redisUrl: redis.url,
    redisPrefix: 'absent',
    counts: { api: 2, processor: 2, expiry: 1 },
    settings: { RESPONSE_WAIT_MS: String(WAIT_MS), PROCESSOR_TIMEOUT_MS: '3000', TIME_SCALE: '60' },
    startedLater: ['processor-1', 'processor-2'],
  });
  readyAfterMs = performance.now() - startedAt;
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
});

afterAll(async () => {
  await caller?.close();
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
  await redis?.stop();
});

const payments = () => stack.database.collection<Payment>('payments');
const pay = () =>
  caller.call('POST', '/v1/payments', paymentOf('visa', { merchantId: merchants.sandbox, total: '7.00' }));

test('a payment whose API is killed between storing it and answering is still completed, once', async () => {
  // The time includes making the database and starting the test processor.
  expect(readyAfterMs).toBeLessThan(PATIENCE_MS);
  const body = paymentOf('visa', { merchantId: merchants.sandbox, total: '3.00' });
  const singleCaller = createCaller({ urls: [stack.apiUrls[0] ?? ''], ...stack.sandbox });
  const exchange = singleCaller.call('POST', '/v1/payments', body);
  const { _id } = await until(() => payments().findOne({ referenceId: body.referenceId } as never));
  await stack.member('api-1').kill();
  expect((await exchange).answer).toBeUndefined();
  await singleCaller.close();

  // No worker was notified: none runs yet, and there is no queue to notify it by.
  await Promise.all([stack.member('processor-1').start(), stack.member('processor-2').start()]);
  await until(() => payments().findOne({ _id, status: 'approved' } as never));
  await stack.member('api-1').start();
  const repeated = await caller.call('POST', '/v1/payments', body);
  expect(repeated.answer).toMatchObject({
    status: 409,
    body: { params: { existingId: [_id], existingStatus: ['approved'], sameRequest: ['true'] } },
  });
  expect(readLedger(await stack.ledger()).keys).toHaveLength(1);
});

test('a worker that is stopped finishes its call, and does not wait for Redis', async () => {
  const workers = ['processor-1', 'processor-2'].map((name) => stack.member(name));
  await stack.switchProcessor('/slow', { ms: 1_500 });
  const paying = pay();
  const { _id } = await until(() =>
    payments().findOne({ 'work.attempt': { $exists: true }, 'work.attempt.atInsert': { $ne: true } } as never),
  );
  const ends = await Promise.all(workers.map((worker) => worker.terminate()));
  const ended = await payments().findOne({ _id } as never);
  await stack.switchProcessor('/slow', { ms: 0 });
  await Promise.all(workers.map((worker) => worker.start()));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  // A pool that waits for Redis in vain is closed after that time.
  expect(Math.max(...ends.map(({ tookMs }) => tookMs))).toBeLessThan(limits.poolCloseMs);
  expect(ended).toMatchObject({ status: 'approved' });
  expect((await paying).answer).toMatchObject({ status: 200, body: { id: _id, status: 'approved' } });
});

test('payments are made from MongoDB alone, and are fast again when Redis comes up', async () => {
  const exchanges = await Promise.all(
    Array.from({ length: PAYMENTS }, async (_, index) => {
      await pause(index * 40);
      return pay();
    }),
  );
  expect(exchanges.map(({ answer }) => answer?.status)).toEqual(exchanges.map(() => 200));
  await until(async () => (await payments().countDocuments({ status: 'approved' } as never)) === PAYMENTS + 2);

  await redis.restart();
  // As fast as machine and load allow: faster than half of the payments that had to ask MongoDB again and again.
  const times = exchanges.map((exchange) => exchange.tookMs);
  const withoutRedisMs = percentile(times, 0.5) ?? 0;
  await until(async () => {
    const [first, second] = await Promise.all([pay(), pay()]);
    return Math.max(first.tookMs, second.tookMs) < withoutRedisMs;
  });
  const facts = readLedger(await stack.ledger());
  expect(facts.keys.filter((key) => facts.approved(key) !== 1)).toEqual([]);
});
