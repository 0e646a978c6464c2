/** Entry of a worker process: `node dist/workers/run.js <pool> [<pool> …]`. */
import { type ConfigOf, forgetSecrets, loadConfigOf } from '../config/index.js';
import { limits } from '../config/limits.js';
import { misspeltSettings } from '../config/misspelt.js';
import { version } from '../config/version.js';
import { endWith, exitOnCrash, stopOnSignals } from '../shared/lifecycle.js';
import { createLog, type Log } from '../shared/log.js';
import { createMetrics, type Metrics } from '../shared/metrics.js';
import { createRestoreWitness } from '../shared/queue/restore-witness.js';
import { ensureIndexes } from '../shared/store/collections.js';
import { openDatabase } from '../shared/store/database.js';
import { openDatabaseClock } from '../shared/store/database-clock.js';
import { claimEnvironment } from '../shared/store/environment.repository.js';
import { checkKeys } from '../shared/store/key-checks.repository.js';
import { openRestoreWatch, type RestoreWatch } from '../shared/store/restore-watch.js';
import { checkServerVersion } from '../shared/store/server-version.js';
import { reportKeys } from '../shared/vault/report-keys.js';
import { startOperatorServer } from './operator-server.js';
import { type PoolName, stopsInSafeMode } from './pool.js';
import { isPoolName, openPools, poolNames } from './pools.js';
import { runPool } from './run-pool.js';
import { stopWorker } from './stop-worker.js';

function namesFrom(args: readonly string[]) {
  const names = args.filter(isPoolName);
  if (names.length > 0 && names.length === args.length) return names;
  const unknown = args.find((name) => !isPoolName(name));
  if (unknown !== undefined) process.stderr.write(`There is no pool "${unknown}". `);
  process.stderr.write(`Name one or more pools: node dist/workers/run.js ${poolNames.join(' | ')}\n`);
  process.exit(2);
}

/** Connects to MongoDB and its clock, and checks server, environment, keys and indexes. */
async function connect(config: ConfigOf<PoolName>, log: Log, metrics: Metrics) {
  const { environment } = config;
  const database = await openDatabase(config.mongodbUri, limits.mongoOperationMs);
  const clock = await openDatabaseClock({ database, environment, log, metrics });
  await checkServerVersion({ ...config, database, log });
  await claimEnvironment(database, environment);
  await checkKeys(database, config);
  await ensureIndexes(database);
  return { database, clock };
}

/** Loads the settings, opens the log and warns about misspelt settings. */
function begin(names: readonly PoolName[]) {
  const config = loadConfigOf(names);
  const misspelt = misspeltSettings();
  forgetSecrets();
  const log = createLog(names.join('+'), config.logLevel);
  exitOnCrash(log);
  for (const reason of misspelt) log.warn('setting.misspelt', { reason });
  return { config, log };
}

async function main(): Promise<void> {
  const names = namesFrom(process.argv.slice(2));
  const { config, log } = begin(names);
  // Checked before anything is connected: in production the pool does not start with published keys.
  if (names.includes('wallet')) (await import('../shared/wallets/load-trust.js')).loadTrust(config);
  const metrics = createMetrics({ process: names.join('+'), runtime: true, log });
  const { database, clock } = await connect(config, log, metrics);
  let watch: RestoreWatch | undefined;
  const restored = () => watch?.problem();
  const opened = await openPools(names, { config, log, metrics, database, clock, restored });
  const processors = opened.pools.find(({ name }) => name === 'processor')?.processors;
  const unreport = await reportKeys({ database, config, role: names.join('+'), processors, log });
  watch = await openRestoreWatch({
    database,
    clock,
    log,
    metrics,
    redis: createRestoreWitness(opened.redis, config.redisPrefix),
    moves: names.some(stopsInSafeMode),
  });
  const running = opened.pools.map((pool) =>
    runPool(pool, {
      redisUrl: config.redisUrl,
      redisPrefix: config.redisPrefix,
      concurrency: config.workerConcurrency,
      mayTakeWork: () => clock.problem() === undefined && !(restored() && stopsInSafeMode(pool.name)),
      log,
      metrics,
    }),
  );
  const problem = () => clock.problem() ?? (names.some(stopsInSafeMode) ? restored() : undefined);
  const { redisEvicts } = opened;
  const operator = await startOperatorServer({
    config,
    metrics,
    ping: () => database.ping(),
    problem,
    redisEvicts,
    log,
  });
  log.info('workers.running', { pool: names.join(' '), release: version });
  const rest = [() => operator.close(), () => opened.close(), unreport, () => database.close()];
  const parts = { clock, watch, pools: running, rest };
  stopOnSignals(() => stopWorker(parts), log);
  process.send?.({ ready: true });
}

main().catch(endWith);
