/**
 * A worker is killed at exact points of a call to the processor: after the claim and before the processor gets the call, and after the
 * processor acted and before the outcome is recorded. For every kind of processor, the books show one effect at most.
 */

import type { Payment } from '../../shared/domain/payment/payment.js';
import { dedupes } from '../../shared/processors/capabilities.js';
import { until } from '../support/patience.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from '../support/services.js';
import { newReference, paymentOf } from './harness/bodies.js';
import { type Caller, createCaller } from './harness/caller.js';
import { waitsForPerson } from './harness/evidence.js';
import { type FaultProxy, startFaultProxy, type Treatment } from './harness/fault-proxy.js';
import { type LedgerFacts, readLedger } from './harness/ledger-facts.js';
import { merchants, type Stack, startStack } from './harness/stack.js';

type Processor = keyof typeof merchants;
const processors = Object.keys(merchants) as Processor[];

/** Points of the call, each with an amount by which the proxy knows it. */
const points = {
  recorded: { minor: 1111, treatment: 'hold-answer' },
  lost: { minor: 2222, treatment: 'hold-request' },
  late: { minor: 3333, treatment: 'hold-request' },
} as const satisfies Record<string, { minor: number; treatment: Treatment }>;
type Point = keyof typeof points;

interface Case {
  readonly processor: Processor;
  readonly operation: 'purchase' | 'capture' | 'cancellation' | 'refund';
  readonly point: Point;
  paymentId: string;
}

let stack: Stack;
let caller: Caller;
let proxy: FaultProxy;
let facts: LedgerFacts;
const stored = new Map<string, Payment>();
const cases: Case[] = processors.flatMap((processor) =>
  (['purchase', 'capture', 'cancellation', 'refund'] as const).flatMap((operation) =>
    (Object.keys(points) as Point[]).map((point) => ({ processor, operation, point, paymentId: '' })),
  ),
);

const textOf = (minor: number) => (minor / 100).toFixed(2);
const payments = () => stack.database.collection<Payment>('payments');

/** Makes the payment that the operation of a case works on. */
async function openPayment(one: Case): Promise<void> {
  if (one.operation === 'purchase') return;
  const { minor } = points[one.point];
  const method = one.operation === 'refund' ? 'automatic' : 'manual';
  const body = paymentOf('visa', { merchantId: merchants[one.processor], total: textOf(minor), capture: { method } });
  const { answer } = await caller.call('POST', '/v1/payments', body);
  expect(answer?.status).toBe(200);
  one.paymentId = answer?.body.id;
  // A busy machine may take longer than the short wait for an answer.
  const ready = method === 'manual' ? 'authorized' : 'approved';
  const isReady = async () => (await payments().countDocuments({ _id: one.paymentId, status: ready } as never)) === 1;
  await until(isReady, `${one.paymentId} is ${ready}`);
}

const paths = { capture: 'captures', cancellation: 'cancellations', refund: 'refunds' } as const;

/** Starts the operation, and notes its payment when the API accepts it. The crash does not wait for that. */
async function startOperation(one: Case): Promise<void> {
  const { minor } = points[one.point];
  const exchange =
    one.operation === 'purchase'
      ? caller.call(
          'POST',
          '/v1/payments',
          paymentOf('visa', { merchantId: merchants[one.processor], total: textOf(minor) }),
        )
      : caller.call('POST', `/v1/payments/${one.paymentId}/${paths[one.operation]}`, {
          referenceId: newReference('op'),
        });
  const { answer, error } = await exchange;
  if (answer?.status !== 200)
    throw new Error(`${one.operation} was not accepted: ${error ?? JSON.stringify(answer?.body)}`);
  one.paymentId ||= answer.body.id;
}

/** Kills the only worker in the middle of all calls, and starts it again. */
async function crash(): Promise<Promise<unknown>> {
  proxy.arm(new Map(Object.values(points).map(({ minor, treatment }) => [minor, treatment])));
  const operations = Promise.all(cases.map(startOperation));
  const underWay = () => new Set(proxy.held.map(({ key }) => key)).size;
  await until(() => underWay() === cases.length, 'every call is under way');
  await stack.member('processor-1').kill();
  proxy.disarm();
  await stack.member('processor-1').start();
  return operations;
}

beforeAll(async () => {
  let simulatorUrl = '';
  proxy = await startFaultProxy(() => simulatorUrl);
  stack = await startStack({
    name: 'crash-points',
    mongodbUri: testMongoUri('crashes'),
    redisUrl: testRedisUrl(),
    redisPrefix: testRedisPrefix('crashes'),
    counts: { api: 1, processor: 1 },
    settings: { PROCESSOR_TIMEOUT_MS: '4000', TIME_SCALE: '60', RESPONSE_WAIT_MS: '1000' },
    simulatorTimeScale: 60,
    processorUrl: proxy.url,
  });
  simulatorUrl = stack.simulatorUrl;
  caller = createCaller({ urls: stack.apiUrls, ...stack.sandbox });
  await Promise.all(cases.map(openPayment));
  const operations = await crash();
  // The bytes that were in flight when the worker died arrive now, well before any process gives them up.
  const late = new Set(proxy.held.flatMap(({ treatment, key }) => (treatment === 'hold-request' ? [key] : [])));
  expect(late.size).toBe(cases.filter(({ point }) => points[point].treatment === 'hold-request').length);
  await releaseLate();
  await operations;
  const settled = async () => {
    const all = await payments().find({}).toArray();
    return all.every((payment) => (!payment.work && !payment.activeOp) || waitsForPerson(payment));
  };
  await until(settled, 'every payment is settled');
  facts = readLedger(await stack.ledger());
  for (const payment of await payments().find({}).toArray()) stored.set(payment._id, payment);
});

afterAll(async () => {
  await caller?.close();
  await stack?.database.connection.dropDatabase();
  await stack?.stop();
  await proxy?.close();
});

/** Releases only the calls that are meant to arrive late; the others were lost with the worker. */
async function releaseLate(): Promise<void> {
  const keys = new Set<string>();
  for (const one of cases.filter(({ point }) => point === 'late')) {
    const payment = one.paymentId && (await payments().findOne({ _id: one.paymentId } as never));
    const own = payment ? payment.transactions.at(-1)?.id : undefined;
    if (own) keys.add(own);
  }
  const purchases = await payments()
    .find({
      'amount.totalMinor': points.late.minor,
      'transactions.0.kind': 'purchase',
      status: { $in: ['created', 'pending'] },
    } as never)
    .toArray();
  for (const payment of purchases) keys.add(payment.transactions[0]?.id ?? '');
  await proxy.release((key) => keys.has(key));
}

const kinds = { purchase: 'purchase', capture: 'capture', cancellation: 'cancellation', refund: 'refund' } as const;
const resultOf = { purchase: 'approved', capture: 'approved', cancellation: 'cancelled', refund: 'refunded' } as const;

test.each(cases)('$operation at $processor, $point: one effect or none, and the gateway knows which', (one) => {
  const payment = stored.get(one.paymentId) as Payment;
  const tx = payment.transactions.find(({ kind }) => kind === kinds[one.operation]);
  const key = tx?.id ?? '';
  expect(facts.approved(key)).toBeLessThanOrEqual(1);
  // A call that was lost is sent again only if the processor dedupes.
  const done = one.point !== 'lost' || dedupes(one.processor);
  expect(facts.net(key)).toBe(done ? 1 : 0);
  if (done) {
    expect(payment.status).toBe(resultOf[one.operation]);
    expect(tx?.status).toBe('approved');
  } else if (one.operation === 'purchase') {
    expect(payment.status).toBe('failed');
  } else if (one.operation === 'refund') {
    expect([payment.status, tx?.status]).toEqual(['approved', 'failed']);
  } else {
    expect(waitsForPerson(payment)).toBe(true);
  }
});
