/**
 * What a payment depends on is acknowledged only by a majority, journaled: otherwise the next primary may not have it, and then a card
 * is charged twice, or an answer is wrong. Read from the commands that the driver sends.
 */
import { limits } from '../../config/limits.js';
import { createClaims } from '../../shared/store/claim-work.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { DELIVERIES } from '../../shared/store/delivery.model.js';
import { createDeliveryRepository } from '../../shared/store/delivery.repository.js';
import { createIdempotencyRepository } from '../../shared/store/idempotency.repository.js';
import { createPaymentWrites } from '../../shared/store/payment-writes.js';
import { createProcessorUpdateRepository } from '../../shared/store/processor-update.repository.js';
import { createdPayment, firstTx, later, start } from '../domain/payment/a-payment.js';
import { testMongoUri } from '../support/services.js';
import { openPaymentStore, type PaymentStore } from './payment-store.js';

interface Sent {
  readonly name: string;
  readonly writeConcern: unknown;
  readonly readConcern: unknown;
}

const MAJORITY = { w: 'majority', j: true, wtimeout: limits.mongoWriteConcernMs };
const sent: Sent[] = [];
let store: PaymentStore;
let database: Database;

beforeAll(async () => {
  store = await openPaymentStore('durable');
  const uri = new URL(testMongoUri('durable'));
  uri.searchParams.set('monitorCommands', 'true');
  database = await openDatabase(uri.href);
  database.connection.getClient().on('commandStarted', ({ commandName: name, command }) => {
    const { writeConcern, readConcern } = command;
    sent.push({ name, writeConcern, readConcern });
  });
});
beforeEach(() => {
  sent.length = 0;
});
afterAll(async () => {
  await database?.close();
  await store?.close();
});

/** Expects only writes that wait for a majority, of these commands. */
function expectDurable(...names: readonly string[]) {
  const writes = sent.filter(({ name }) => /^(insert|update|delete|findAndModify)$/.test(name));
  expect([...new Set(writes.map(({ name }) => name))].sort()).toEqual([...names].sort());
  for (const { writeConcern } of writes) expect(writeConcern).toEqual(MAJORITY);
}

const payments = () => database.collection<ReturnType<typeof createdPayment>>('payments');
const pair = () => [createdPayment(), createdPayment()] as const;
const nudgeOf = (payment: ReturnType<typeof createdPayment>) => ({ paymentId: payment._id, txId: firstTx(payment).id });

describe.each([
  ['batched', true],
  ['alone', false],
])('payments written %s', (_name, batched) => {
  test('inserted and saved', async () => {
    const { insert, save } = createPaymentWrites(payments(), batched);
    await Promise.all(pair().map((payment) => insert(payment)));
    const before = createdPayment();
    await insert(before);
    expect(await save(before, { ...before, invoiceNumber: 'changed' })).toMatchObject({ invoiceNumber: 'changed' });
    expectDurable('insert', 'update');
  });

  test('claimed, one and many', async () => {
    const [first, second] = pair();
    const alone = createdPayment();
    await store.put(first, second, alone);
    const { claim } = createClaims(payments(), 'processor', () => start, batched);
    expect(await Promise.all([claim(nudgeOf(first)), claim(nudgeOf(second))])).not.toContain(undefined);
    expect(await claim(nudgeOf(alone))).toBeDefined();
    expectDurable('findAndModify', ...(batched ? ['update'] : []));
  });
});

test('the start of a call with an idempotency key', async () => {
  const { start: begin } = createIdempotencyRepository(database);
  const scope = { clientId: 'shop', path: 'POST /v1/payments' };
  await begin({ ...scope, key: 'alone' }, 'digest', 1_000);
  await Promise.all(['a', 'b', 'c'].map((key) => begin({ ...scope, key }, 'digest', 1_000)));
  expectDurable('findAndModify', 'update');
});

test('an update of a processor, before it is acknowledged', async () => {
  const { store: keep } = createProcessorUpdateRepository(database);
  const update = { kind: 'changed', eventId: 'a' } as const;
  await keep([{ processor: 'stripe', traceId: 'trace', receivedAt: new Date(), update }]);
  expectDurable('update');
});

test('what says nothing else: deliveries are written for a majority, and reads see only what a majority has', async () => {
  const deliveries = createDeliveryRepository(database);
  const one = {
    _id: 'p:1',
    paymentId: 'p',
    clientId: 'shop',
    seq: 1,
    url: 'https://a.example/hook',
    host: 'a.example',
  };
  const due = await deliveries.insert([{ ...one, body: '{}', resourceVersion: 1, createdAt: start }], later(1));
  expect(due).toHaveLength(1);
  expectDurable('update');
  await database.collection<{ _id: string }>(DELIVERIES).findOne({ _id: 'p:1' });
  expect(sent.at(-1)).toMatchObject({ name: 'find', readConcern: { level: 'majority' } });
});
