/**
 * T16: from a backup to normal operation. A database is restored to a moment before payments, captures and refunds that the processor
 * made: the same requests are repeated, and nothing is done twice (docs/operations.md, "After a restore"). The processor's books decide.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/index.js';
import { run } from '../../scripts/gateway/run.js';
import { seedSandbox } from '../../scripts/sandbox/seed-sandbox.js';
import { startSimulator } from '../../scripts/sandbox/simulator/start-simulator.js';
import { createLog } from '../../shared/log.js';
import { createMetrics } from '../../shared/metrics.js';
import type { LedgerEntry } from '../../shared/processors/processor.js';
import { createRestoreWitness } from '../../shared/queue/restore-witness.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { openRestoreWatch } from '../../shared/store/restore-watch.js';
import { stopsInSafeMode } from '../../workers/pool.js';
import { openPools, poolNames } from '../../workers/pools.js';
import { runPool } from '../../workers/run-pool.js';
import { dropDatabase } from '../support/drop-database.js';
import { paymentBody, testSettings } from '../support/gateway.js';
import { until } from '../support/patience.js';
import { refuseDrift } from '../support/refuse-drift.js';
import { startSecondApi } from '../support/second-api.js';
import { testMongoUri, testRedisPrefix } from '../support/services.js';

type Settings = Record<string, string>;

const startApi = (settings: Settings) => startSecondApi({ config: loadConfig(settings) });

/** Starts the pools as `workers/run.ts` does. */
async function startWorkers(settings: Settings) {
  const config = loadConfig(settings);
  const log = createLog('test', config.logLevel);
  const metrics = createMetrics({ process: 'test' });
  const database = await openDatabase(config.mongodbUri);
  const clock = { now: () => new Date() };
  let watch: Awaited<ReturnType<typeof openRestoreWatch>> | undefined;
  const restored = () => watch?.problem();
  const opened = await openPools(poolNames, { config, log, metrics, database, restored });
  const redis = createRestoreWitness(opened.redis, config.redisPrefix);
  watch = await openRestoreWatch({ database, clock, log, metrics, redis, moves: true });
  const { redisUrl, redisPrefix, workerConcurrency: concurrency } = config;
  const running = opened.pools.map((pool) => {
    const mayTakeWork = () => !(restored() && stopsInSafeMode(pool.name));
    return runPool(pool, { redisUrl, redisPrefix, concurrency, log, mayTakeWork, metrics });
  });
  return {
    restored,
    stop: async () => {
      await watch?.stop();
      await Promise.all(running.map((pool) => pool.stop()));
      await opened.close();
      await database.close();
    },
  };
}

/** Backs up and restores as `mongodump --db=<database>` and `mongorestore --drop` do: all documents of this database only. */
async function takeBackup({ connection }: Database) {
  const db = connection.getClient().db(connection.name);
  const namesNow = async () => (await db.listCollections({ type: 'collection' }).toArray()).map(({ name }) => name);
  const dump = (name: string) => db.collection(name).find().toArray();
  const names = await namesNow();
  const kept = new Map(await Promise.all(names.map(async (name) => [name, await dump(name)] as const)));
  return {
    /** Ends the backup with a small collection while the gateway runs: its mark is newer than the payments of the backup. */
    end: async () => void kept.set('installation', await dump('installation')),
    restore: async () => {
      for (const [name, documents] of kept) {
        await db.collection(name).deleteMany({});
        if (documents.length > 0) await db.collection(name).insertMany(documents);
      }
      for (const name of await namesNow()) if (!names.includes(name)) await db.collection(name).drop();
    },
  };
}

interface Installation {
  readonly settings: Settings;
  readonly database: Database;
  readonly auth: string;
  ledger(): Promise<readonly LedgerEntry[]>;
  close(): Promise<void>;
}

/** Prepares a database, a processor, and merchants that use this processor. */
async function install(processor: string): Promise<Installation> {
  const name = `restore_${processor.replaceAll('-', '_')}`;
  const folder = await mkdtemp(join(tmpdir(), 'gateway-restore-'));
  const simulator = await startSimulator({ port: 0, ledgerFile: join(folder, 'ledger.jsonl') });
  const settings = testSettings({
    MONGODB_URI: testMongoUri(name),
    REDIS_PREFIX: testRedisPrefix(name),
    SANDBOX_PROCESSOR_URL: simulator.url,
  });
  const config = loadConfig(settings);
  const database = await openDatabase(config.mongodbUri);
  await ensureIndexes(database);
  await refuseDrift(database);
  const { clientId, apiKey } = await seedSandbox(database, config);
  await database.collection('paymentMethods').updateMany({}, { $set: { 'settings.paymentProcessor.id': processor } });
  return {
    settings,
    database,
    auth: `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`,
    ledger: async () => (await (await fetch(`${simulator.url}/ledger`)).json()) as LedgerEntry[],
    close: async () => {
      await dropDatabase(database);
      await database.close();
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const post = (auth: string) => async (baseUrl: string, path: string, body: unknown) => {
  const headers = { 'content-type': 'application/json', authorization: auth };
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  return { status: response.status, body: (await response.json()) as any };
};

async function gateway(settings: Settings, ...args: readonly string[]) {
  const said = { out: '', err: '' };
  const code = await run([...args], {
    env: settings,
    out: (text) => {
      said.out += `${text}\n`;
    },
    err: (text) => {
      said.err += `${text}\n`;
    },
  });
  return { code, ...said };
}

const manual = { capture: { method: 'manual' } };

/** One test per processor: it follows the restored database from the start of all processes to the next payment. */
test.each(['sandbox', 'sandbox-forgetful'])(
  'after a restore at %s nothing is done twice, and payments are made again',
  async (processor) => {
    const installed = await install(processor);
    const { settings, database, ledger, auth } = installed;
    const ask = post(auth);
    let api = await startApi(settings);
    let workers = await startWorkers(settings);
    try {
      const sold = await ask(api.baseUrl, '/v1/payments', paymentBody());
      const held = await ask(api.baseUrl, '/v1/payments', paymentBody(manual));
      expect([sold.body.status, held.body.status]).toEqual(['approved', 'authorized']);
      await workers.stop();
      const unsent = paymentBody();
      // No worker takes this payment: the backup has it as it was accepted.
      const hurried = await startApi({ ...settings, RESPONSE_WAIT_MS: '1000' });
      const waiting = await ask(hurried.baseUrl, '/v1/payments', unsent);
      await hurried.close();
      expect(waiting.body.status).toBe('pending');
      const backup = await takeBackup(database);
      const backedUp = (await ledger()).length;

      // The restored database will not know what the processor does from here on.
      workers = await startWorkers(settings);
      const requests = [
        ['/v1/payments', paymentBody()],
        ['/v1/payments', paymentBody()],
        ['/v1/payments', paymentBody()],
        ['/v1/payments', paymentBody(manual)],
        [`/v1/payments/${held.body.id}/captures`, { referenceId: 'capture-1' }],
        [`/v1/payments/${sold.body.id}/refunds`, { referenceId: 'refund-1', amount: 4 }],
      ] as const;
      for (const [path, body] of requests)
        expect([path, (await ask(api.baseUrl, path, body)).status]).toEqual([path, 200]);
      await until(async () => (await ledger()).length === backedUp + 7, 'the payment that waited is approved');
      const effects = await ledger();
      const markNow = async () => (await database.ephemeral('marks').findOne({}))?.number;
      const moved = async () => {
        const mark = await markNow();
        await until(async () => (await markNow()) > mark, 'the mark moved');
      };
      await moved();
      await backup.end();
      await moved();

      await workers.stop();
      await api.close();
      await backup.restore();
      api = await startApi(settings);
      workers = await startWorkers(settings);

      // The same requests are repeated, and nothing is stored or sent.
      expect(workers.restored()).toMatch(/^safe mode: the database is older/);
      for (const [path, body] of requests)
        expect([path, (await ask(api.baseUrl, path, body)).status]).toEqual([path, 503]);
      const ready = (await (await fetch(`${api.baseUrl}/readyz`)).json()) as { notices?: string[] };
      expect(ready.notices).toContain('safe-mode');
      expect(await ledger()).toEqual(effects);

      // A comparison without import shows all seven findings, and safe mode stays on.
      const looked = await gateway(settings, 'reconcile', '--json');
      expect(JSON.parse(looked.out)).toMatchObject({
        safeMode: 'on',
        blockedBy: expect.arrayContaining(['nothing was imported: run it with --import']),
        findings: { length: 7 },
      });
      expect([looked.code, (await gateway(settings, 'safe-mode', 'show')).out]).toEqual([
        1,
        expect.stringMatching(/is on/),
      ]);
      const compared = ['--compared', 'iso8583'];

      // Safe mode does not end either while a part of the time that may be lost was not compared.
      const late = await gateway(settings, 'reconcile', '--import', '--since', '0s', ...compared);
      expect([late.out, late.code]).toEqual([
        expect.stringMatching(/Safe mode goes on:\n {2}nothing was compared from \S+Z to \S+Z: leave out --since/),
        1,
      ]);
      // The warning comes first. Between two moments of one millisecond there is nothing to compare.
      expect(late.err).toMatch(
        /^Safe mode will go on, because nothing was compared from [^\n]+\n([\w-]+: compared up to [^\n]+\n)*$/,
      );
      expect((await gateway(settings, 'reconcile', '--import', '--since', '2999-01-01')).code).toBe(2);
      const imported = await gateway(settings, 'reconcile', '--import', ...compared);
      expect([imported.out, imported.code]).toEqual([
        expect.stringMatching(/Open: 0. Imported: 7.[\s\S]*Safe mode is over/),
        0,
      ]);

      // Every process notices the end of safe mode, and the requests find their references used.
      await until(async () => workers.restored() === undefined, 'the workers go on');
      await until(
        async () => (await ask(api.baseUrl, '/v1/payments', paymentBody())).status !== 503,
        'the API takes payments',
      );
      const again = [];
      for (const [path, body] of requests) again.push((await ask(api.baseUrl, path, body)).status);
      expect(again).toEqual(requests.map(() => 409));
      const known = new Set((await ledger()).slice(0, effects.length).map(({ key }) => key));
      expect((await ledger()).slice(effects.length).filter(({ key, original }) => known.has(original ?? key))).toEqual(
        [],
      );
      const statusOf = async (id: string) =>
        (await database.collection('payments').findOne({ _id: id as never }))?.status;
      expect(await Promise.all([held, sold, waiting].map(({ body }) => statusOf(body.id)))).toEqual([
        'approved',
        'partially-refunded',
        'approved',
      ]);

      // No difference is open any more, and new payments are approved.
      expect((await gateway(settings, 'findings', 'list')).out).toBe('No difference is open.\n');
      const next = await ask(api.baseUrl, '/v1/payments', paymentBody());
      expect([next.status, next.body.status]).toEqual([200, 'approved']);
    } finally {
      await workers.stop().catch(() => undefined);
      await api.close().catch(() => undefined);
      await installed.close();
    }
  },
);
