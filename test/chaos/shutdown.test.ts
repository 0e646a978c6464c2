/**
 * SIGTERM under load (docs/verification.md, T14): a client that keeps its connections and honours `Connection: close` loses no
 * answer, and every process is gone within its time.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { PATIENCE_MS } from '../support/patience.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { paymentOf } from './harness/bodies.js';
import { type Caller, createCaller } from './harness/caller.js';
import { readLedger } from './harness/ledger-facts.js';
import type { Member } from './harness/member.js';
import { sized } from './harness/scale.js';
import { merchants, type Stack, startStack } from './harness/stack.js';

const CLIENTS = 12;
const PROCESSOR_MS = 150;
const ROUNDS = sized(3, 20);
/** Processes that are stopped at once. The other process of each kind goes on. */
const groups = [
  ['api-1', 'processor-1', 'callback-1'],
  ['api-2', 'processor-2', 'expiry-1'],
];

let stack: Stack;
let caller: Caller;

beforeAll(async () => {
  stack = await startStack({
    name: 'shutdown',
    mongodbUri: testMongoUri('shutdown'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('shutdown'),
    counts: { api: 2, processor: 2, callback: 1, expiry: 1 },
    settings: { PROCESSOR_TIMEOUT_MS: '5000' },
  });
  await stack.switchProcessor('/slow', { ms: PROCESSOR_MS });
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox, connections: CLIENTS });
});

afterAll(async () => {
  await caller?.close();
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
});

/** Keeps clients paying until `work` is done; each pays again as soon as it is answered. */
async function underLoad(work: () => Promise<void>): Promise<void> {
  let done = false;
  const client = async () => {
    while (!done) {
      await caller.call('POST', '/v1/payments', paymentOf('visa', { merchantId: merchants.sandbox, total: '9.00' }));
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  try {
    await work();
  } finally {
    done = true;
    await Promise.all(clients);
  }
}

async function terminate(member: Member): Promise<void> {
  const { code, signal } = await member.terminate();
  // A process that takes longer than limits.shutdownMs ends itself with 1.
  expect([member.name, code, signal]).toEqual([member.name, 0, null]);
}

test(
  'nothing is lost when processes are stopped in turn under load',
  async () => {
    await underLoad(async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await pause(300);
        const members = (groups[round % groups.length] ?? []).map(stack.member);
        await Promise.all(members.map(terminate));
        await Promise.all(members.map((member) => member.start()));
      }
    });
    expect(caller.exchanges.length).toBeGreaterThan(100);
    expect(caller.exchanges.filter(({ answer }) => answer?.status !== 200)).toEqual([]);

    const payments = stack.database.collection<Payment>('payments');
    const open = { status: { $ne: 'approved' } } as never;
    for (const giveUpAt = Date.now() + PATIENCE_MS; Date.now() < giveUpAt; await pause(100)) {
      if ((await payments.countDocuments(open)) === 0) break;
    }
    expect(await payments.countDocuments(open)).toBe(0);
    const facts = readLedger(await stack.ledger());
    expect(facts.keys.filter((key) => facts.approved(key) !== 1)).toEqual([]);
    expect(facts.keys).toHaveLength(caller.exchanges.length);
  },
  sized(120_000, 600_000),
);

test('a worker that is stopped in the middle of a call ends in time and records the outcome', async () => {
  await stack.switchProcessor('/slow', { ms: 2_500 });
  const paying = caller.call(
    'POST',
    '/v1/payments',
    paymentOf('visa', { merchantId: merchants.sandbox, total: '8.00' }),
  );
  await pause(700);
  await Promise.all(['processor-1', 'processor-2'].map((name) => terminate(stack.member(name))));
  const { answer } = await paying;
  expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } });
});
