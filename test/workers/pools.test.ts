/** The list of pools and what they share, on the real MongoDB and Redis. Pools are opened as a process opens them, but not run. */
import { type Config, loadConfig } from '../../config/index.js';
import { createLog } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import { queuePrefix } from '../../shared/queue/nudges.js';
import { workPayment } from '../../shared/queue/work-payment.job.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { stopsInSafeMode } from '../../workers/pool.js';
import { isPoolName, openPools, type Pools, poolNames } from '../../workers/pools.js';
import { authorizedPayment, createdPayment, start } from '../domain/payment/a-payment.js';
import { dropDatabase } from '../support/drop-database.js';
import { testSettings } from '../support/gateway.js';
import { until } from '../support/patience.js';
import { testMongoUri, testRedisPrefix } from '../support/services.js';

const log = createLog('test', 'silent');
const metrics = createMetrics({ process: 'test' });
let config: Config;
let database: Database;
let opened: Pools | undefined;

beforeAll(async () => {
  config = loadConfig(testSettings({ MONGODB_URI: testMongoUri('pools'), REDIS_PREFIX: testRedisPrefix('pools') }));
  database = await openDatabase(config.mongodbUri);
  await ensureIndexes(database);
});
beforeEach(() => database.collection('payments').deleteMany({}));
afterEach(async () => {
  await Promise.all(opened?.pools.map((pool) => pool.close()) ?? []);
  await opened?.close();
  opened = undefined;
});
afterAll(async () => {
  await dropDatabase(database);
  await database?.close();
});

test('only the name of a pool is a pool name', () => {
  expect(poolNames.every(isPoolName)).toBe(true);
  expect(['', 'web', 'toString', 'processors', 'Wallet'].filter(isPoolName)).toEqual([]);
});

test('after a restore the pools wait that send to processors, or lead to it', () => {
  expect(poolNames.filter(stopsInSafeMode).sort()).toEqual(['processor', 'qr', 'threeds']);
});

test('all pools open side by side, each under its name, and closing them closes what they share', async () => {
  opened = await openPools(poolNames, { config, log, metrics, database });
  expect(opened.pools.map(({ name }) => name)).toEqual(poolNames);
  const { redis } = opened;
  await until(() => redis.status === 'ready');
  expect(opened.redisEvicts()).toBe(false);
  await Promise.all(opened.pools.map((pool) => pool.close()));
  await opened.close();
  await until(() => redis.status === 'end');
  opened = undefined;
});

test('only the named pools are opened, with the given clock', async () => {
  const clock = { now: () => start };
  opened = await openPools(['expiry'], { config, log, metrics, database, clock });
  expect(opened.pools.map(({ name }) => name)).toEqual(['expiry']);
  const { cvc, ...payment } = createdPayment();
  // Due by the clock of this machine, but not by the clock that the pools get.
  await database.collection('payments').insertOne({ ...payment, cvc, cvcDestroyAt: new Date(start.getTime() + 1) });
  await opened.pools[0]?.sweep();
  expect(await database.collection('payments').findOne({})).toHaveProperty('cvc');
  await opened.close();

  opened = await openPools(['expiry'], { config, log, metrics, database });
  await opened.pools[0]?.sweep();
  expect(await database.collection('payments').findOne({})).not.toHaveProperty('cvc');
});

test('a pool nudges in the queues of this installation, and begins nothing after a restore', async () => {
  let restored: string | undefined = 'a test';
  opened = await openPools(['expiry'], { config, log, metrics, database, restored: () => restored });
  const { redis } = opened;
  await until(() => redis.status === 'ready');
  const hold = { ...authorizedPayment(), deadline: { kind: 'expire', at: start } };
  await database.collection('payments').insertOne(hold as never);
  const begun = async () => (await database.collection('payments').findOne({ activeOp: { $exists: true } })) !== null;
  await opened.pools[0]?.sweep();
  expect(await begun()).toBe(false);
  restored = undefined;
  await opened.pools[0]?.sweep();
  expect(await begun()).toBe(true);
  const key = `${queuePrefix(config.redisPrefix, workPayment.cancel.queue)}:${workPayment.cancel.queue}:wait`;
  await until(async () => (await redis.llen(key)) === 1);
  await redis.del(...(await redis.keys(`${queuePrefix(config.redisPrefix, workPayment.cancel.queue)}*`)));
});
