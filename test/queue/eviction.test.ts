/** A Redis that may evict nudges is noticed whenever a connection to it begins, and while it lasts, on a real server. */
import { pause } from '../../shared/clock.js';
import { evictionPolicyOf, watchEviction } from '../../shared/queue/eviction.js';
import { createProducerRedis, type Redis } from '../../shared/queue/redis.js';
import { type Line, memoryLog } from '../http/app-under-test.js';
import { type OwnRedis, startOwnRedis } from '../support/own-servers.js';
import { until } from '../support/patience.js';

let redis: OwnRedis;
const lines: Line[] = [];
const log = memoryLog(lines);
const open: Redis[] = [];

beforeAll(async () => {
  redis = await startOwnRedis();
});
afterAll(async () => {
  for (const connection of open) connection.disconnect();
  await redis?.stop();
});

async function connect(everyMs?: number) {
  const connection = createProducerRedis(redis.url, log);
  open.push(connection);
  const evicts = watchEviction(connection, log, everyMs);
  if (connection.status !== 'ready') await new Promise((resolve) => connection.once('ready', resolve));
  // Commands are answered in their order: the policy has been read.
  await connection.ping();
  return { connection, evicts };
}

test('noeviction logs nothing, and another policy is logged with what to do', async () => {
  const { connection, evicts } = await connect();
  expect(evicts()).toBe(false);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  await connection.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const later = await connect();
  expect(later.evicts()).toBe(true);
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    {
      message: 'redis.evicts',
      reason: expect.stringMatching(/^maxmemory-policy is allkeys-lru\. Set maxmemory-policy noeviction/),
    },
  ]);
});

test('a policy that is changed while the connection lasts is noticed in both directions, and logged once', async () => {
  const { connection, evicts } = await connect(20);
  await connection.config('SET', 'maxmemory-policy', 'noeviction');
  await until(() => !evicts());
  lines.splice(0);
  await connection.config('SET', 'maxmemory-policy', 'volatile-ttl');
  await until(evicts);
  await pause(100);
  expect(lines).toMatchObject([{ level: 'error', message: 'redis.evicts' }]);
  await connection.config('SET', 'maxmemory-policy', 'noeviction');
  await until(() => !evicts());
});

test('a Redis that does not say its policy is accepted', () => {
  expect(evictionPolicyOf('# Memory\r\nused_memory:1\r\n')).toBeUndefined();
});
