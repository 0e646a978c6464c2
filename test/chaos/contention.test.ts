/** Many callers want the same money at once, through two API processes (docs/verification.md, T3). The processor's books decide. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { newReference, paymentOf } from './harness/bodies.js';
import { type Caller, createCaller, type Exchange } from './harness/caller.js';
import { readLedger } from './harness/ledger-facts.js';
import { sized } from './harness/scale.js';
import { merchants, type Stack, startStack } from './harness/stack.js';

const PAYMENTS = sized(40, 200);
const CALLERS = 20;
const PAIRS = sized(100, 500);
const AT_ONCE = 8;

let stack: Stack;
let caller: Caller;

beforeAll(async () => {
  stack = await startStack({
    name: 'contention',
    mongodbUri: testMongoUri('contention'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('contention'),
    counts: { api: 2, processor: 2, expiry: 1 },
  });
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox, connections: 200 });
});

afterAll(async () => {
  await caller?.close();
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
});

/** Runs `work` for each item, a few items at a time. */
async function runSomeAtOnce<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const queue = items.map((item, index) => ({ item, index }));
  const take = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await work(next.item, next.index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}

async function openPayments(method: 'automatic' | 'manual'): Promise<string[]> {
  const ids: string[] = [];
  await runSomeAtOnce(Array.from({ length: PAYMENTS }), async () => {
    const body = paymentOf('visa', { merchantId: merchants.sandbox, total: '100.00', capture: { method } });
    const { answer } = await caller.call('POST', '/v1/payments', body);
    expect(answer?.status).toBe(200);
    expect(answer?.body.status).toBe(method === 'manual' ? 'authorized' : 'approved');
    ids.push(answer?.body.id);
  });
  return ids;
}

const statuses = (exchanges: readonly Exchange[]) => exchanges.map(({ answer }) => answer?.status ?? 0);
const allowedLosers = [400, 409, 422];

function expectOneAnswerEach(exchanges: readonly Exchange[]): Exchange[] {
  const winners = exchanges.filter(({ answer }) => answer?.status === 200);
  const others = statuses(exchanges).filter((status) => status !== 200 && !allowedLosers.includes(status));
  expect(others).toEqual([]);
  return winners;
}

const stored = async (id: string): Promise<Payment> => {
  const payment = await stack.database.collection<Payment>('payments').findOne({ _id: id } as never);
  if (!payment) throw new Error(`${id} is not stored`);
  return payment;
};

test(
  'exactly one of many captures and cancellations of one payment wins',
  async () => {
    const ids = await openPayments('manual');
    const variants = [
      ['captures', {}],
      ['cancellations', {}],
      ['captures', { amount: '40.00' }],
      ['captures', { amount: '99.99' }],
    ] as const;
    const winners = new Map<string, Exchange>();
    await runSomeAtOnce(ids, async (id) => {
      const exchanges = await Promise.all(
        Array.from({ length: CALLERS }, (_, index) => {
          const [path, more] = variants[index % variants.length] ?? variants[0];
          return caller.call('POST', `/v1/payments/${id}/${path}`, { referenceId: newReference('op'), ...more });
        }),
      );
      const won = expectOneAnswerEach(exchanges);
      expect(won).toHaveLength(1);
      winners.set(id, won[0] as Exchange);
    });

    const facts = readLedger(await stack.ledger());
    for (const [id, { answer }] of winners) {
      const payment = await stored(id);
      const effective = payment.transactions.filter(({ kind }) => kind !== 'authorization');
      expect(effective).toHaveLength(1);
      expect(facts.net(effective[0]?.id ?? '')).toBe(1);
      expect(payment.status).toBe(answer?.body.status);
      expect(payment.capturedMinor).toBe(effective[0]?.kind === 'capture' ? effective[0].amountMinor : 0);
    }
  },
  sized(90_000, 300_000),
);

test(
  'at most three of many refunds of 30 % win, and never more than was captured',
  async () => {
    const ids = await openPayments('automatic');
    await runSomeAtOnce(ids, async (id) => {
      const exchanges = await Promise.all(
        Array.from({ length: CALLERS }, () =>
          caller.call('POST', `/v1/payments/${id}/refunds`, { referenceId: newReference('refund'), amount: '30.00' }),
        ),
      );
      const won = expectOneAnswerEach(exchanges);
      expect(won.length).toBeGreaterThanOrEqual(1);
      expect(won.length).toBeLessThanOrEqual(3);
      const payment = await stored(id);
      expect(payment.refundedMinor).toBe(won.length * 3000);
    });

    const facts = readLedger(await stack.ledger());
    for (const id of ids) {
      const refunds = (await stored(id)).transactions.filter(({ kind }) => kind === 'refund');
      expect(refunds.map(({ id: key }) => facts.net(key))).toEqual(refunds.map(() => 1));
    }
  },
  sized(90_000, 300_000),
);

test('exactly one of two payments with the same reference is made', async () => {
  const before = readLedger(await stack.ledger()).keys.length;
  await runSomeAtOnce(Array.from({ length: PAIRS }), async () => {
    const body = paymentOf('visa', { merchantId: merchants.sandbox, total: '5.00' });
    const pair = await Promise.all([
      caller.call('POST', '/v1/payments', body),
      caller.call('POST', '/v1/payments', body),
    ]);
    expect(statuses(pair).sort()).toEqual([200, 409]);
    const [created, refused] = pair.sort((a, b) => (a.answer?.status ?? 0) - (b.answer?.status ?? 0));
    expect(refused?.answer?.body).toMatchObject({
      code: 'duplicated-reference-id',
      params: { existingId: [created?.answer?.body.id], sameRequest: ['true'] },
    });
  });
  expect(readLedger(await stack.ledger()).keys.length).toBe(before + PAIRS);
});
