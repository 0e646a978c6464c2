/**
 * The worker is killed between two routes of payments: after the first route was not reached, around the moment when the payment is sent
 * to the second. Nothing is lost, and no payment is charged twice.
 */
import type { Payment } from '../../shared/domain/payment/payment.js';
import { until } from '../support/patience.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { newReference, paymentOf } from './harness/bodies.js';
import { type Caller, createCaller } from './harness/caller.js';
import { type FaultProxy, startFaultProxy } from './harness/fault-proxy.js';
import { type LedgerFacts, readLedger } from './harness/ledger-facts.js';
import { type Stack, startStack } from './harness/stack.js';

/** Amount for which the first route refuses the connection (minor units). */
const REFUSED_MINOR = 1_111;
const ROUTED = 24;

let stack: Stack;
let proxy: FaultProxy;
let caller: Caller;

beforeAll(async () => {
  let simulatorUrl = '';
  proxy = await startFaultProxy(() => simulatorUrl);
  stack = await startStack({
    name: 'route-crash',
    mongodbUri: testMongoUri('route_crash'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('route_crash'),
    counts: { api: 1, processor: 1 },
    settings: {
      PROCESSOR_TIMEOUT_MS: '4000',
      TIME_SCALE: '60',
      RESPONSE_WAIT_MS: '1000',
      WORKER_CONCURRENCY: '4',
    },
    simulatorTimeScale: 60,
    processorUrl: proxy.url,
  });
  simulatorUrl = stack.simulatorUrl;
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
  const first = { paymentProcessor: { id: 'sandbox', acquirer: 'first' } };
  const second = { paymentProcessor: { id: 'sandbox-lagging', acquirer: 'second' } };
  const settings = { merchantIdentificationNumber: '1', ...first, routes: [first, second] };
  const { answer } = await caller.call('PUT', '/v1/merchants/1001/payment-methods/visa', { settings });
  expect(answer?.status).toBe(200);
});

afterAll(async () => {
  await caller?.close();
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
  await proxy?.close();
});

const payments = () => stack.database.collection<Payment>('payments');
const facts = async (): Promise<LedgerFacts> => readLedger(await stack.ledger());

async function pay(minor: number): Promise<string> {
  const body = paymentOf('visa', { merchantId: 1001, total: (minor / 100).toFixed(2) });
  const { answer, error } = await caller.call('POST', '/v1/payments', { ...body, referenceId: newReference('crash') });
  const id = answer?.body.id ?? answer?.body.params?.paymentId?.[0];
  if (typeof id !== 'string') throw new Error(`not accepted: ${error ?? JSON.stringify(answer?.body)}`);
  return id;
}

const byIds = (ids: readonly string[]) => ({ _id: { $in: ids } }) as never;

test('a worker that is killed between two routes sends to the second once, and the first took nothing', async () => {
  proxy.arm(new Map([[REFUSED_MINOR, 'refuse-first']]));
  const paid = Promise.all(Array.from({ length: ROUTED }, () => pay(REFUSED_MINOR)));
  for (let times = 1; times <= 3; times += 1) {
    // The first attempt has ended, and no process has claimed the second yet.
    const between = {
      'transactions.1': { $exists: true },
      'work.kind': 'authorize',
      'work.attempt': { $exists: false },
    };
    const open = { status: { $in: ['created', 'pending'] } };
    await until(async () => {
      const [moved, left] = await Promise.all([
        payments().findOne(between as never),
        payments().findOne(open as never),
      ]);
      return moved !== null || left === null;
    }, 'a payment is between its routes');
    await stack.member('processor-1').kill();
    await stack.member('processor-1').start();
  }
  const ids = await paid;
  const settled = async () =>
    (await payments().countDocuments({ ...(byIds(ids) as object), work: { $exists: true } } as never)) === 0;
  await until(settled, 'every payment is settled');
  const books = await facts();
  const stored = await payments().find(byIds(ids)).toArray();
  expect(stored).toHaveLength(ROUTED);
  const attemptsOf = ({ transactions }: Payment) => transactions.filter(({ kind }) => kind === 'purchase');
  for (const payment of stored) {
    const attempts = attemptsOf(payment);
    // After enough refusals the worker leads the next payments around the first route: they are never sent there.
    for (const { id, leftRoute } of attempts.slice(0, -1))
      expect([leftRoute?.acquirer, books.approved(id)]).toEqual(['first', 0]);
    const { status, processor } = payment;
    const last = attempts.at(-1)?.id ?? '';
    expect([processor, books.approved(last) <= 1]).toEqual(['sandbox-lagging', true]);
    expect([status, books.net(last)]).toEqual(status === 'failed' ? ['failed', 0] : ['approved', 1]);
  }
  expect(stored.filter((payment) => attemptsOf(payment).length === 2).length).toBeGreaterThan(0);
  // A call that was in flight when the worker died may be found and kept, or reversed. The other payments were never sent before.
  expect(stored.filter(({ status }) => status === 'approved').length).toBeGreaterThan(0);
  proxy.disarm();
});
