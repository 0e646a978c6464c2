/** What the doctor says of a Redis that answers, but refuses what the gateway does there. */
import { checkRedis } from '../../scripts/gateway/doctor/check-redis.js';
import { createPatientRedis, type Redis } from '../../shared/queue/redis.js';
import { memoryLog } from '../http/app-under-test.js';
import { type OwnRedis, startOwnRedis } from '../support/own-servers.js';

/** The rights that docs/production.md lists, for the default prefix. */
const RIGHTS = ['~gateway:*', '~{gateway-*', '&gateway:*', '+@all', '-@admin', '-@dangerous', '+info'];

let server: OwnRedis;
let admin: Redis;
beforeAll(async () => {
  server = await startOwnRedis();
  admin = createPatientRedis(server.url, memoryLog([]));
});
afterAll(async () => {
  admin?.disconnect();
  await server?.stop();
});

const withRights = (...rules: string[]) => admin.call('ACL', 'SETUSER', 'doctor', 'reset', 'on', '>secret', ...rules);

async function examined() {
  const config = { redisUrl: server.url.replace('//', '//doctor:secret@'), redisPrefix: 'gateway' };
  const found = await checkRedis({ config } as Parameters<typeof checkRedis>[0]);
  return found.filter(({ check }) => check === 'redis use').map(({ state, found: text }) => `${state}: ${text}`);
}

const FINE = 'ok: takes nudges, and passes replies on';

test.each([
  ['all that the gateway needs', RIGHTS, [FINE]],
  ['no channel, as a new user since Redis 7', ['~*', '+@all'], ['wrong: it does not pass replies on: NOPERM']],
  ['keys of another prefix', ['~other*', 'allchannels', '+@all'], ['wrong: it does not take nudges: NOPERM']],
  ['no scripts', ['~*', 'allchannels', '+@all', '-@scripting'], ['wrong: it does not take nudges: NOPERM']],
  [
    'reading only',
    ['~*', 'allchannels', '+@read', '+info', '+@connection', '+@pubsub'],
    ['wrong: it does not take nudges: NOPERM'],
  ],
] as const)('a user with %s', async (_name, rights, findings) => {
  await withRights(...rights);
  expect(await examined()).toEqual(findings);
});

test.each([
  ['no memory', 'maxmemory', '1', '0', 'wrong: it does not take nudges: OOM'],
  ['too few replicas', 'min-replicas-to-write', '1', '0', 'wrong: it does not take nudges: NOREPLICAS'],
])('a server with %s', async (_name, setting, bad, good, finding) => {
  await withRights(...RIGHTS);
  await admin.config('SET', setting, bad);
  expect(await examined()).toEqual([finding]);
  await admin.config('SET', setting, good);
  expect(await examined()).toEqual([FINE]);
});

test('nothing is left in Redis', async () => {
  await withRights(...RIGHTS);
  expect(await examined()).toEqual([FINE]);
  expect(await admin.dbsize()).toBe(0);
});
