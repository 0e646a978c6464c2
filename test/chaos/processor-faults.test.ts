/**
 * The processor fails for seconds, again and again, in each way in which a processor can fail (docs/reliability.md, "Sending"). Good cards
 * are still sold, each is charged once, and the processor's books agree.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { PATIENCE_MS } from '../support/patience.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { paymentOf } from './harness/bodies.js';
import { type Caller, createCaller } from './harness/caller.js';
import { readLedger } from './harness/ledger-facts.js';
import { sized } from './harness/scale.js';
import { merchants, type Stack, startStack } from './harness/stack.js';

const FAULT_MS = sized(1_500, 5_000);
const BETWEEN_MS = sized(500, 3_000);
const PER_SECOND = sized(8, 10);
/** Limit for some hundred payments. It was 43 of 331 before a payment that was not found was sent again by its key. */
const FAILED_MAX = 3;

const faults = [
  ['hangs', async (stack: Stack, forMs: number) => hang(stack, forMs)],
  ['answers 500, half of it done', (stack: Stack, forMs: number) => misbehave(stack, { errors500: 1 }, forMs)],
  ['does not answer, half of it done', (stack: Stack, forMs: number) => misbehave(stack, { timeouts: 1 }, forMs)],
  ['answers too late', (stack: Stack, forMs: number) => misbehave(stack, { late: { share: 1, ms: 4_000 } }, forMs)],
  ['fails in both ways', (stack: Stack, forMs: number) => misbehave(stack, { errors500: 0.5, timeouts: 0.5 }, forMs)],
] as const;

async function hang(stack: Stack, forMs: number): Promise<void> {
  stack.member('simulator-1').pause();
  await pause(forMs);
  stack.member('simulator-1').resume();
}

async function misbehave(stack: Stack, settings: object, forMs: number): Promise<void> {
  await stack.switchProcessor('/faults', settings);
  await pause(forMs);
  await fetch(`${stack.simulatorUrl}/faults`, { method: 'DELETE' });
}

let stack: Stack;
let caller: Caller;
let stored: Payment[];

const payments = () => stack.database.collection<Payment>('payments');

beforeAll(async () => {
  stack = await startStack({
    name: 'processor-faults',
    mongodbUri: testMongoUri('processor_faults'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('processor_faults'),
    counts: { api: 1, processor: 2, callback: 1, expiry: 1 },
    settings: { PROCESSOR_TIMEOUT_MS: '1000', RESPONSE_WAIT_MS: '5000', TIME_SCALE: sized(60, 1).toString() },
  });
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
  let stopped = false;
  const sent: Promise<unknown>[] = [];
  const load = (async () => {
    while (!stopped) {
      const body = paymentOf('visa', { merchantId: merchants.sandbox, total: '9.00' });
      sent.push(caller.call('POST', '/v1/payments', body));
      await pause(1_000 / PER_SECOND);
    }
  })();
  for (const [, inject] of faults) {
    await pause(BETWEEN_MS);
    await inject(stack, FAULT_MS);
  }
  await pause(BETWEEN_MS);
  stopped = true;
  await load;
  await Promise.all(sent);
  const giveUpAt = performance.now() + sized(PATIENCE_MS, 2 * PATIENCE_MS);
  const open = { $or: [{ status: { $in: ['created', 'pending'] } }, { work: { $exists: true } }] };
  while ((await payments().countDocuments(open as never)) > 0 && performance.now() < giveUpAt) await pause(300);
  stored = await payments()
    .find({ purpose: 'payment' } as never)
    .toArray();
});

afterAll(async () => {
  await caller?.close();
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
});

test(`a processor that ${faults.map(([what]) => what).join('; ')}: at most ${FAILED_MAX} good cards are not sold`, () => {
  const countByStatus = new Map<string, number>();
  for (const { status } of stored) countByStatus.set(status, (countByStatus.get(status) ?? 0) + 1);
  if (process.env.CHAOS_LONG === '1') console.info(Object.fromEntries(countByStatus));
  expect(stored.length).toBeGreaterThan(sized(40, 200));
  expect([...countByStatus.keys()].filter((status) => status !== 'approved' && status !== 'failed')).toEqual([]);
  expect(countByStatus.get('failed') ?? 0).toBeLessThanOrEqual(FAILED_MAX);
});

test('each payment is charged once, and the books of the processor agree', async () => {
  const ledger = readLedger(await stack.ledger());
  const charged = stored.map((payment) => [payment._id, ledger.net(payment.transactions[0]?.id ?? '')]);
  const wanted = stored.map(({ _id, status }) => [_id, status === 'approved' ? 1 : 0]);
  expect(charged).toEqual(wanted);
});
