/** Several processes with different master keys on one MongoDB, as during a rotation of keys. */

import { randomBytes } from 'node:crypto';
import { limits } from '../../config/limits.js';
import { createLog } from '../../shared/log.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { createKeyReportRepository, createProcessReportRepository } from '../../shared/store/key-reports.repository.js';
import { openVault } from '../../shared/vault/open-vault.js';
import { reportKeys } from '../../shared/vault/report-keys.js';
import { endSpawned, soundSettings, spawnEntry } from '../config/spawn-entry.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri, testRedisUrl } from '../support/services.js';

const binding = { recordId: 'pay_1', field: 'card', clientId: 'cli_1', owner: { merchantId: 1 } };
const [k1, k2] = ['k1', 'k2'].map((id) => ({ id, key: randomBytes(32) })) as [
  { id: string; key: Buffer },
  { id: string; key: Buffer },
];
const log = createLog('test', 'silent');
const clock = { ms: 0, now: () => new Date(clock.ms) };

let database: Database;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await openDatabase(testMongoUri('reports'));
});
beforeEach(async () => {
  clock.ms = Date.UTC(2027, 0, 1);
  await dropDatabase(database);
  await ensureIndexes(database);
});
afterEach(async () => {
  endSpawned();
  for (const stop of stops.splice(0)) await stop();
});
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.close();
});

/** Starts a process: it reports its keys and opens its vault. */
async function start(role: string, vaultMasterKeys: readonly (typeof k1)[]) {
  const stop = await reportKeys({ database, config: { vaultMasterKeys }, role, log });
  stops.push(stop);
  return { stop, vault: openVault(database, { vaultMasterKeys }, clock) };
}
const live = async () =>
  (await createKeyReportRepository(database).findLive()).map(({ role, masterKeyIds }) => [role, ...masterKeyIds]);
const wrappedBy = async (kid: string) =>
  (await database.collection<{ _id: string; masterKeyId: string }>('vault_keys').findOne({ _id: kid }))?.masterKeyId;
const nextHour = () => {
  clock.ms += limits.dataKeyEpochMs;
};

test('new data keys are wrapped with the old master key until every process has the new one', async () => {
  const old = await start('processor', [k1]);
  const first = await start('web', [k2, k1]);
  const sealed = await first.vault.seal('card', 'one', binding);
  expect(await wrappedBy(sealed.kid)).toBe('k1');
  expect((await old.vault.open(sealed, binding)).toString()).toBe('one');

  await old.stop();
  const restarted = await start('processor', [k2, k1]);
  nextHour();
  const later = await first.vault.seal('card', 'two', binding);
  expect(await wrappedBy(later.kid)).toBe('k2');
  expect((await restarted.vault.open(later, binding)).toString()).toBe('two');
});

test('nothing is sealed without a master key that all processes have, and the error names who lacks which', async () => {
  await start('processor', [k1]);
  const { vault } = await start('web', [k2]);
  const refused = await vault.seal('card', 'one', binding).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'VaultError', code: 'master-key-missing' });
  expect(String(refused)).toMatch(/processor on .+ \(pid \d+\) lacks k2/);
  expect(await database.collection('vault_keys').countDocuments()).toBe(0);
});

test('a process that lacks a key in use by others does not start, unless no process has it any more', async () => {
  const { vault, stop } = await start('web', [k2, k1]);
  await vault.seal('cvc', 'one', binding);
  await expect(start('processor', [k1])).rejects.toThrow(/VAULT_MASTER_KEYS lacks k2: .+ web on/);
  expect(await live()).toEqual([['web', 'k2', 'k1']]);
  // No process has the key any more: it is lost, and the gateway continues without the data under it. The log says so.
  await stop();
  const error = jest.spyOn(log, 'error');
  await start('processor', [k1]);
  expect(await live()).toEqual([['processor', 'k1']]);
  const reason = expect.stringMatching(/^VAULT_MASTER_KEYS lacks k2, .*no process holds it/);
  expect(error.mock.calls).toEqual([['vault.master-key-lost', { reason }]]);
});

test('a report has only ids, and ends with its process or, if that was killed, by itself', async () => {
  const reports = createKeyReportRepository(database);
  const { stop } = await start('web', [k2, k1]);
  const rows = database.collection<{ _id: string; expireAt: Date }>('key_reports');
  const [row] = await rows.find().toArray();
  expect(row).toEqual({
    _id: expect.any(String),
    role: 'web',
    host: expect.any(String),
    pid: process.pid,
    masterKeyIds: ['k2', 'k1'],
    expireAt: expect.any(Date),
  });
  await rows.updateOne({}, { $set: { expireAt: new Date(0) } });
  expect(await live()).toEqual([]);
  // The process was cut off and reports again, with a host name that looks like an expression.
  const holder = { role: 'web', host: '$name', pid: 1, masterKeyIds: ['k1'] };
  await reports.renew(row?._id ?? '', holder);
  expect(await reports.findLive()).toEqual([holder]);
  await stop();
  expect(await live()).toEqual([]);
  expect((await rows.indexes()).map(({ expireAfterSeconds }) => expireAfterSeconds)).toContain(0);
});

test('a process without master keys reports that it runs, and does not count as one that lacks keys', async () => {
  const { vault } = await start('web', [k1]);
  const stop = await reportKeys({ database, config: {}, role: 'expiry', log });
  const running = createProcessReportRepository(database);
  expect(await running.findLive()).toEqual([{ role: 'expiry', host: expect.any(String), pid: process.pid }]);
  expect(await live()).toEqual([['web', 'k1']]);
  await vault.seal('card', 'one', binding);
  const rows = database.collection('process_reports');
  expect((await rows.indexes()).map(({ expireAfterSeconds }) => expireAfterSeconds)).toContain(0);
  await stop();
  expect(await running.findLive()).toEqual([]);
});

test('every process reports itself while it runs, with the master keys that it holds', async () => {
  const env = {
    ...soundSettings(),
    MONGODB_URI: testMongoUri('reports'),
    REDIS_URL: testRedisUrl(),
    WORKER_OPERATOR_PORT: '0',
  };
  const started = [
    spawnEntry('api/main', env),
    spawnEntry('workers/run', env, ['processor', 'threeds']),
    spawnEntry('workers/run', env, ['expiry']),
  ];
  await Promise.all(started.map(({ ready }) => ready));
  expect(await live()).toEqual([
    ['processor+threeds', 'k1'],
    ['web', 'k1'],
  ]);
  expect(await createProcessReportRepository(database).findLive()).toMatchObject([{ role: 'expiry' }]);
  // The workers report that they have no processor. The API does not report processors.
  const said = (await createKeyReportRepository(database).findLive()).map(({ processors }) => processors);
  expect(said).toEqual([[], undefined]);
  for (const { child } of started) child.kill('SIGTERM');
  const ends = await Promise.all(started.map(({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await createProcessReportRepository(database).findLive()).toEqual([]);
  expect(await live()).toEqual([]);
});
