import type mongoose from 'mongoose';
import { limits } from '../../config/limits.js';
import { ensureIndexes, indexesReady } from '../../shared/store/collections.js';
import { type Database, isDuplicateKey, openDatabase } from '../../shared/store/database.js';
import { claimEnvironment } from '../../shared/store/environment.repository.js';
import { createMerchantRepository } from '../../shared/store/merchant.repository.js';
import { createMerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import { dropDatabase } from '../support/drop-database.js';
import { startOwnMongo } from '../support/own-servers.js';
import { until } from '../support/patience.js';
import { testMongoUri } from '../support/services.js';

let database: Database;
const clock = { ms: Date.UTC(2027, 0, 1), now: () => new Date(clock.ms) };

beforeAll(async () => {
  database = await openDatabase(testMongoUri('store'));
  await dropDatabase(database);
});
afterAll(async () => {
  await dropDatabase(database);
  await database.close();
});

test('indexes are ready once they are made, also by several processes at once', async () => {
  expect(await indexesReady(database)).toBe(false);
  const second = await openDatabase(testMongoUri('store'));
  try {
    await Promise.all([ensureIndexes(database), ensureIndexes(second), ensureIndexes(database)]);
    expect(await indexesReady(second)).toBe(true);
    expect(await indexesReady(database)).toBe(true);
    await database.collection('apiKeys').dropIndex('digest_1');
    expect(await indexesReady(database)).toBe(false);
    await ensureIndexes(database);
    expect(await indexesReady(database)).toBe(true);
  } finally {
    await second.close();
  }
});

test('an index that is still being built is not ready, and the process that started the build waits for it', async () => {
  const name = 'clientId_1_createdAt_-1__id_-1';
  const mongo = await startOwnMongo(['--setParameter', 'enableTestCommands=1']);
  const own = await openDatabase(mongo.uri('building'));
  const hang = (mode: string) =>
    own.connection.getClient().db('admin').command({ configureFailPoint: 'hangAfterStartingIndexBuild', mode });
  try {
    await ensureIndexes(own);
    const customers = own.collection<{ _id: string }>('customers');
    // In an empty collection an index is built at once.
    await customers.insertOne({ _id: 'cus_1' });
    await customers.dropIndex(name);
    await hang('alwaysOn');
    let made = false;
    const making = ensureIndexes(own).then(() => {
      made = true;
    });
    // MongoDB lists an index as soon as its build begins.
    await until(() => customers.indexExists(name));
    const meanwhile = [made, await indexesReady(own)];
    await hang('off');
    await making;
    expect(meanwhile).toEqual([false, false]);
    expect(await indexesReady(own)).toBe(true);
  } finally {
    await own.close();
    await mongo.stop();
  }
});

/** Collections whose documents the database removes by itself, with the date field. It keeps the documents of all others. */
const removedByTime = {
  card_declines: 'expireAt',
  deliveries: 'expireAt',
  idempotency_rows: 'expireAt',
  iso8583_exchanges: 'expireAt',
  iso8583_stans: 'expireAt',
  key_reports: 'expireAt',
  process_reports: 'expireAt',
  processor_updates: 'expireAt',
  sessions: 'removeAt',
};

/** Fields of which no two documents of a collection have the same values. */
const UNIQUE = [
  'apiKeys digest',
  'audit link.chain,link.seq',
  'customers clientId,referenceId',
  'payment_link_settings businessUrlName',
  'payment_links externalId',
  'payments clientId,refKeys',
  'payments threeDs.sessionId',
  'sessions clientId,referenceId',
];

/** The indexes of both databases, with the collections that they are of. */
async function allIndexes() {
  await ensureIndexes(database);
  const client = database.connection.getClient();
  const names = [database.connection.name, `${database.connection.name}_ephemeral`];
  const found: { of: string; fields: string; index: mongoose.mongo.IndexDescriptionInfo }[] = [];
  for (const db of names.map((name) => client.db(name))) {
    for (const { name: of } of await db.listCollections().toArray()) {
      for (const index of await db.collection(of).indexes()) {
        found.push({ of, fields: Object.keys(index.key).join(), index });
      }
    }
  }
  return found;
}

test('the database removes by time only what is on the list: never a payment, whose envelopes a sweep removes', async () => {
  const timed = (await allIndexes()).filter(({ index }) => index.expireAfterSeconds !== undefined);
  expect(Object.fromEntries(timed.map(({ of, fields }) => [of, fields]))).toEqual(removedByTime);
});

test('the database refuses a second document of what is on the list, however many processes write at once', async () => {
  const unique = (await allIndexes()).filter(({ index }) => index.unique);
  expect(unique.map(({ of, fields }) => `${of} ${fields}`).sort()).toEqual(UNIQUE);
});

describe('environment', () => {
  test('of several first starts at once one environment wins, and the others are refused with its name', async () => {
    const starts = ['testing', 'production', 'testing', 'production', 'testing', 'production'] as const;
    const results = await Promise.allSettled(starts.map((environment) => claimEnvironment(database, environment)));
    const winner = (await database.collection<{ _id: string; environment: string }>('installation').findOne({}))
      ?.environment;
    results.forEach((result, index) => {
      expect(result.status).toBe(starts[index] === winner ? 'fulfilled' : 'rejected');
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ name: 'EnvironmentMismatchError' });
        expect(result.reason.message).toContain(`belongs to the ${winner} environment`);
      }
    });
  });

  test('the environment of an installation is remembered', async () => {
    await database.collection('installation').deleteMany({});
    await claimEnvironment(database, 'testing');
    await claimEnvironment(database, 'testing');
    await expect(claimEnvironment(database, 'production')).rejects.toMatchObject({ name: 'EnvironmentMismatchError' });
  });
});

describe('merchants', () => {
  const merchantsOf = () => createMerchantRepository(database, clock);
  const shop = (more: object = {}) => ({ clientId: 'cli_a', name: 'Shop', ...more });

  test('merchant ids are assigned in order; an id chosen by hand is skipped and a taken id is refused', async () => {
    const merchants = merchantsOf();
    const first = await merchants.insertMerchant(shop());
    await merchants.insertMerchant(shop({ id: first.id + 1 }));
    const third = await merchants.insertMerchant(shop());
    expect([first.id, third.id]).toEqual([10_001, 10_003]);
    const again = await merchants.insertMerchant(shop({ id: first.id })).catch((error: unknown) => error);
    expect(isDuplicateKey(again)).toBe(true);
    expect((await merchants.findMerchantsOf('cli_a')).map(({ id }) => id)).toEqual([10_001, 10_002, 10_003]);
  });

  test('merchants inserted at once get different ids', async () => {
    const merchants = merchantsOf();
    const made = await Promise.all(Array.from({ length: 20 }, () => merchants.insertMerchant(shop())));
    expect(new Set(made.map(({ id }) => id)).size).toBe(20);
  });

  test('a merchant is read as it was inserted', async () => {
    const made = await merchantsOf().insertMerchant(
      shop({ id: 77, legalName: 'Shop SA', country: 'UY', defaultCurrency: 'UYU' }),
    );
    expect(made).toEqual({
      id: 77,
      clientId: 'cli_a',
      name: 'Shop',
      legalName: 'Shop SA',
      status: 'active',
      country: 'UY',
      defaultCurrency: 'UYU',
      createdAt: clock.now(),
      updatedAt: clock.now(),
    });
    expect(await merchantsOf().findMerchant(77)).toEqual(made);
    expect(await merchantsOf().findMerchant(78)).toBeUndefined();
  });

  test('fields that are not in the schema are refused', async () => {
    await expect(merchantsOf().insertMerchant(shop({ id: 79, role: 'admin' }))).rejects.toThrow(/strict/i);
  });

  test('a suspension takes effect at once in its own process and within the cache time in others', async () => {
    const [here, elsewhere] = [merchantsOf(), merchantsOf()];
    await here.insertMerchant(shop({ id: 80 }));
    expect((await here.findMerchant(80))?.status).toBe('active');
    expect((await elsewhere.findMerchant(80))?.status).toBe('active');
    expect(await here.setStatus(80, 'suspended')).toBe(true);
    expect((await here.findMerchant(80))?.status).toBe('suspended');
    clock.ms += limits.merchantCacheMs;
    expect((await elsewhere.findMerchant(80))?.status).toBe('suspended');
    expect(await here.setStatus(81, 'suspended')).toBe(false);
  });
});

describe('merchant payment methods', () => {
  const methodsOf = () => createMerchantPaymentMethodRepository(database, clock);
  const visa = {
    merchantId: 1,
    id: 'visa',
    mode: 'gateway',
    enabled: true,
    settings: { merchantIdentificationNumber: '42', paymentProcessor: { id: 'sandbox', acquirer: 'a' } },
  } as const;

  test('a payment method is read as it was saved; saving again replaces it and keeps its creation time', async () => {
    const methods = methodsOf();
    const madeAt = clock.now();
    await methods.savePaymentMethod(visa);
    expect(await methods.findPaymentMethod(1, 'visa')).toEqual({ ...visa, createdAt: madeAt, updatedAt: madeAt });
    clock.ms += 1_000;
    const next = {
      ...visa,
      mode: 'payment-facilitator',
      settings: { paymentFacilitator: { id: 'f', merchantId: 'm' } },
    } as const;
    await methods.savePaymentMethod(next);
    expect(await methods.findPaymentMethod(1, 'visa')).toEqual({ ...next, createdAt: madeAt, updatedAt: clock.now() });
    expect(await methodsOf().findPaymentMethodsOf(1)).toHaveLength(1);
  });

  test('a payment method is found only after it is saved and before it is deleted, and never as __proto__', async () => {
    const methods = methodsOf();
    expect(await methods.findPaymentMethod(2, 'visa')).toBeUndefined();
    expect(await methods.findPaymentMethod(2, '__proto__')).toBeUndefined();
    await methodsOf().savePaymentMethod({ ...visa, merchantId: 2 });
    expect(await methods.findPaymentMethod(2, 'visa')).toBeDefined();
    expect(await methods.deletePaymentMethod(2, 'visa')).toBe(true);
    expect(await methods.deletePaymentMethod(2, 'visa')).toBe(false);
    expect(await methods.findPaymentMethod(2, 'visa')).toBeUndefined();
  });

  test('settings that are not in the schema are refused', async () => {
    const settings = { ...visa.settings, secret: 'x' };
    await expect(methodsOf().savePaymentMethod({ ...visa, settings })).rejects.toThrow(/strict/i);
  });
});
