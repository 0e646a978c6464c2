/**
 * The sweeps of all pools, opened as processes open them, on the real MongoDB and without Redis. Each sweep finds due work of the last
 * release (without a schema version) and of this release, and leaves work of a newer release alone.
 */
import { loadConfig } from '../../config/index.js';
import { freePort } from '../../scripts/setup/ports.mjs';
import type { Payment, WorkKind } from '../../shared/domain/payment/payment.js';
import { newWork } from '../../shared/domain/payment/work.js';
import type { Session } from '../../shared/domain/session/session.js';
import { after } from '../../shared/domain/time.js';
import type { Log } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createProcessorUpdateRepository } from '../../shared/store/processor-update.repository.js';
import { schemaVersions, type VersionedCollection } from '../../shared/store/schema-version.js';
import { createSessionRepository } from '../../shared/store/session.repository.js';
import type { PoolName } from '../../workers/pool.js';
import { openPools, type Pools, poolNames } from '../../workers/pools.js';
import { createdPayment, firstTx, paymentIn } from '../domain/payment/a-payment.js';
import { testSettings } from '../support/gateway.js';
import { PATIENCE_MS } from '../support/patience.js';
import { testMongoUri } from '../support/services.js';

interface Row {
  readonly version?: number;
  readonly _id: string;
}

let database: Database;
let pools: Pools;
const records: { message: string; fields: object }[] = [];
const logWith = (fields: object): Log => {
  const line = (message: string, more: object = {}) => void records.push({ message, fields: { ...fields, ...more } });
  return { debug: line, info: line, warn: line, error: line, with: (more) => logWith({ ...fields, ...more }) };
};
const metrics = createMetrics({ process: 'test' });

beforeAll(async () => {
  const closed = await freePort();
  const config = loadConfig(
    testSettings({
      MONGODB_URI: testMongoUri('two_releases'),
      REDIS_URL: `redis://127.0.0.1:${closed}`,
      SANDBOX_PROCESSOR_URL: `http://127.0.0.1:${closed}`,
      CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    }),
  );
  database = await openDatabase(config.mongodbUri);
  await database.connection.dropDatabase();
  await ensureIndexes(database);
  pools = await openPools(poolNames, { config, log: logWith({}), metrics, database });
});
afterAll(async () => {
  for (const pool of pools?.pools ?? []) await pool.close();
  await pools?.close();
  await database?.connection.dropDatabase();
  await database?.close();
});

const past = after(new Date(), -3_600_000);
const callbackUrl = 'http://127.0.0.1:1/callbacks';
const callback = { seq: 1, at: past, notBefore: past, body: '{}' };

/** Removes the sealed data of a payment: every release destroys sealed data that is due. */
function withoutSealedData({ cvc: _cvc, cvcDestroyAt: _at, cardDestroyAt: _other, ...rest }: Payment): Payment {
  return rest;
}
const payment = (more: Partial<Payment>) => withoutSealedData(createdPayment({ createdAt: past, ...more }));
const paid = (...given: Parameters<typeof paymentIn>) => withoutSealedData(paymentIn(...given));
const working = (kind: WorkKind) => {
  const created = payment({ authorizeBy: after(new Date(), 3_600_000) });
  return { ...created, work: newWork(kind, firstTx(created).id, past) };
};
let nth = 0;
const next = () => {
  nth += 1;
  return nth;
};
const session = (more: Partial<Session>) => {
  nth += 1;
  return {
    ...{ _id: `ses_${nth}`, clientId: 'cli_a', keyId: 'key_a', merchants: 'all', merchantId: 1001, traceId: 'trace' },
    ...{ type: 'checkout', referenceId: `ref-${nth}`, requestDigest: 'd', status: 'pending', version: 1, tries: 0 },
    ...{ createdAt: past, updatedAt: past, expiresAt: past, events: [], eventSeq: 0, removeAt: after(past, 1e9) },
    settings: { paymentMethodTypes: ['card'], tokenization: { features: [] } },
    ...more,
  };
};
const link = (more: object) => {
  nth += 1;
  return {
    ...{ _id: `link-${nth}`, externalId: `external-${nth}`, clientId: 'cli_a', merchantId: 1001, type: 'regular' },
    ...{ status: 'active', createdAt: past, updatedAt: past, entries: 0, claim: 1, ...more },
  };
};

/** A due document for each kind of work that a sweep finds. */
const due: readonly (readonly [PoolName, VersionedCollection, string, () => Row])[] = [
  ['processor', 'payments', 'work', () => working('authorize')],
  [
    'processor',
    'payments',
    'a refund to ask about again',
    () => paid('refunded', { refundChecks: [{ txId: 'txn_r', tries: 0, at: past }], refundCheckAt: past }),
  ],
  [
    'processor',
    'processor_updates',
    'an update',
    () => ({
      ...{ _id: `upd_${next()}`, processor: 'sandbox', traceId: 't', status: 'waiting', tries: 0 },
      ...{ receivedAt: past, dueAt: past, leaseUntil: new Date(0), expireAt: after(new Date(), 1e9) },
      update: { kind: 'changed', eventId: 'evt', key: 'txn_unknown' },
    }),
  ],
  ['threeds', 'payments', 'work', () => working('authenticate')],
  ['qr', 'payments', 'work', () => working('issue-code')],
  ['qr', 'payments', 'a code that is over', () => paid('expired', { transferChecks: [past], transferCheckAt: past })],
  ['qr', 'payment_links', 'a picture', () => link({ picture: { address: 'https://pay.test/l/1', drawAt: past } })],
  ['expiry', 'payments', 'a deadline', () => paid('authorized', { deadline: { kind: 'expire', at: past } })],
  ['expiry', 'sessions', 'the end of a session', () => session({ checkAt: past })],
  ['expiry', 'payment_links', 'the end of a link', () => link({ validUntil: past, checkAt: past })],
  [
    'callback',
    'payments',
    'an event',
    () =>
      paid('approved', {
        ...{ callbackUrl, announceAt: past, eventSeq: 1, fannedOutSeq: 0 },
        events: [{ ...callback, status: 'approved' }],
      }),
  ],
  [
    'callback',
    'sessions',
    'an event',
    () => session({ announceAt: past, eventSeq: 1, events: [{ seq: 1, at: past, url: callbackUrl, body: '{}' }] }),
  ],
  [
    'callback',
    'deliveries',
    'a delivery',
    () => ({
      ...{ _id: `pay_d${next()}:1`, paymentId: `pay_d${nth}`, clientId: 'cli_a', seq: 1, eventId: `evt_${nth}` },
      ...{ url: callbackUrl, host: '127.0.0.1:1', body: '{}', resourceVersion: 1, createdAt: past, dueAt: past },
      ...{ state: 'waiting', tries: 0, leaseUntil: new Date(0), attempts: [] },
    }),
  ],
  [
    'wallet',
    'wallet_openings',
    'a token',
    () => ({
      ...{ _id: `wop_${next()}`, clientId: 'cli_a', merchantId: 1001, walletType: 'wallet-a', status: 'waiting' },
      ...{ createdAt: past, leaseUntil: new Date(0), destroyAt: after(new Date(), 3_600_000) },
      payload: createdPayment().cvc,
    }),
  ],
];

const rows = (collection: VersionedCollection) => database.collection<Row>(collection);
const read = (collection: VersionedCollection, { _id }: Row) => rows(collection).findOne({ _id });

describe.each(due)('the %s pool, in %s: %s', (name, collection, _what, make) => {
  const pool = () => pools.pools.find((one) => one.name === name);

  test.each([
    ['the last release', {}],
    ['this release', { schemaVersion: schemaVersions[collection] }],
  ])('of %s is found, and one of a newer release is left alone', async (_release, versioned) => {
    const [known, newer] = [
      { ...make(), ...versioned },
      { ...make(), schemaVersion: schemaVersions[collection] + 1 },
    ];
    await rows(collection).insertMany([newer, known]);
    const [before, left] = [await read(collection, known), await read(collection, newer)];
    const endMs = performance.now() + PATIENCE_MS;
    let now = before;
    while (JSON.stringify(now) === JSON.stringify(before) && performance.now() < endMs) {
      await pool()?.sweep();
      await new Promise((resolve) => setTimeout(resolve, 20));
      now = await read(collection, known);
    }
    expect(now).not.toEqual(before);
    expect(await read(collection, newer)).toEqual(left);
  });
});

beforeEach(async () => {
  for (const collection of Object.keys(schemaVersions) as VersionedCollection[]) await rows(collection).deleteMany({});
});

test('no write replaces a document of a newer release', async () => {
  const payments = createPaymentRepository(database, true);
  const sessions = createSessionRepository(database);
  const newer = { ...createdPayment(), schemaVersion: schemaVersions.payments + 1 };
  const ended = session({ schemaVersion: schemaVersions.sessions + 1 }) as unknown as Session;
  await rows('payments').insertOne(newer);
  await rows('sessions').insertOne(ended);
  const refused = { name: 'NewerDocumentError' };
  await expect(payments.update(newer, (current) => current)).rejects.toMatchObject(refused);
  await expect(payments.save(newer, newer)).rejects.toMatchObject(refused);
  await expect(sessions.update(ended, (current) => current)).rejects.toMatchObject(refused);
  // A newer release wrote the payment between the read and the write: the version that was read is gone.
  const { schemaVersion: _, ...older } = newer;
  await rows('payments').updateOne({ _id: newer._id }, { $inc: { version: 1 } });
  await expect(payments.update(older, (current) => ({ ...current, updatedAt: new Date() }))).rejects.toMatchObject(
    refused,
  );
  expect(await read('payments', newer)).toMatchObject({ version: 2, updatedAt: newer.updatedAt });
});

test('an update of a kind that this release does not know waits for a process that knows it', async () => {
  const updates = createProcessorUpdateRepository(database);
  const [row] = due.flatMap(([, collection, , make]) => (collection === 'processor_updates' ? [make()] : []));
  const unknown = { ...row, _id: 'upd_unknown', update: { kind: 'payout', eventId: 'evt' } };
  await rows('processor_updates').insertOne(unknown);
  expect(await updates.findDue(new Date(), 10)).toEqual([]);
  expect(await updates.claim(unknown._id, new Date())).toBeUndefined();
  expect(await read('processor_updates', unknown)).toEqual(unknown);
});

test('documents of a newer release are counted and logged by collection', async () => {
  records.length = 0;
  await rows('deliveries').insertMany([2, 3].map((n) => ({ _id: `newer:${n}`, schemaVersion: 2, state: 'waiting' })));
  await rows('processor_updates').insertOne({ _id: 'upd', status: 'waiting', update: { kind: 'payout' } } as Row);
  const config = loadConfig(testSettings({ MONGODB_URI: testMongoUri('two_releases') }));
  const opened = await openPools(['expiry'], { config, log: logWith({}), metrics, database });
  await opened.pools[0]?.sweep();
  await opened.pools[0]?.sweep();
  await opened.close();
  const said = records.flatMap(({ message, fields }) => (message === 'document.newer' ? [fields] : []));
  expect(said).toEqual([
    { kind: 'deliveries', count: 2 },
    { kind: 'processor_updates', count: 1 },
  ]);
  expect(await metrics.text()).toMatch(/event="document-newer"[^\n]* [1-9]/);
});
