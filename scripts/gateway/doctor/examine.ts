/**
 * THE LIST of checks of `./gateway doctor`. A check changes nothing, here or outside. A check that fails or takes too long is a
 * finding, and the others continue.
 */
import { limits } from '../../../config/limits.js';
import { type Database, databaseProblem, openDatabase } from '../../../shared/store/database.js';
import { checkCallbacks, checkMetrics, checkPublicAddress } from './check-addresses.js';
import { checkBins } from './check-bins.js';
import { checkCertificates } from './check-certificates.js';
import { checkKeysInUse, checkProcesses, checkVault } from './check-keys.js';
import { checkMerchants } from './check-merchants.js';
import { checkClock, checkEnvironment, checkIndexes, checkMongodb, checkWrites } from './check-mongodb.js';
import { checkOpenPayments, checkProcessors } from './check-processors.js';
import { checkRedis } from './check-redis.js';
import { checkSafeMode } from './check-safe-mode.js';
import { checkSettings } from './check-settings.js';
import { checkThreeDs } from './check-threeds.js';
import { checkWalletCertificates, checkWalletTrust } from './check-wallets.js';
import { type Check, type Examined, type ExaminedDatabase, reasonOf } from './examined.js';
import { type Finding, findingsOf } from './finding.js';

const withoutDatabase = { settings: checkSettings, certificates: checkCertificates, redis: checkRedis } as const;

const withDatabase = {
  mongodb: checkMongodb,
  'mongodb writes': checkWrites,
  'mongodb indexes': checkIndexes,
  environment: checkEnvironment,
  clock: checkClock,
  'safe mode': checkSafeMode,
  keys: checkKeysInUse,
  vault: checkVault,
  processes: checkProcesses,
  processors: checkProcessors,
  'open payments': checkOpenPayments,
  '3D Secure': checkThreeDs,
  merchants: checkMerchants,
  'BIN table': checkBins,
  wallets: checkWalletTrust,
  'wallet certificates': checkWalletCertificates,
} as const satisfies Record<string, Check<ExaminedDatabase>>;

const addresses = { 'public address': checkPublicAddress, callbacks: checkCallbacks, metrics: checkMetrics } as const;

const backups = findingsOf('backups', 'docs/operations.md#backup').notice(
  'not known here',
  'Back up MongoDB, and apart from it the master keys; try a restore.',
);

const DOCS = 'docs/operations.md';

async function runCheck<E extends Examined>(name: string, check: Check<E>, examined: E): Promise<readonly Finding[]> {
  const { wrong } = findingsOf(name, DOCS);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([wrong('no answer in time')]), limits.doctorCheckMs);
  });
  try {
    return await Promise.race([Promise.resolve(check(examined)), late]);
  } catch (error) {
    return [wrong(databaseProblem(error) ?? `could not be looked at: ${reasonOf(error)}`)];
  } finally {
    clearTimeout(timer);
  }
}

/** Runs the checks one after another, so that a failing machine is not asked for everything at once. */
async function runChecks<E extends Examined>(checks: Readonly<Record<string, Check<E>>>, examined: E) {
  const found: Finding[] = [];
  for (const [name, check] of Object.entries(checks)) found.push(...(await runCheck(name, check, examined)));
  return found;
}

async function runDatabaseChecks(examined: Examined): Promise<readonly Finding[]> {
  const { mongodbUri } = examined.config;
  const mongodb = findingsOf('mongodb', 'docs/production.md#settings');
  const rest = 'Nothing that is stored was looked at.';
  if (mongodbUri === undefined) return [mongodb.missing(`MONGODB_URI cannot be used. ${rest}`)];
  let database: Database;
  try {
    database = await openDatabase(mongodbUri);
  } catch (error) {
    return [mongodb.wrong(`${databaseProblem(error) ?? reasonOf(error)} ${rest}`)];
  }
  try {
    return await runChecks(withDatabase, { ...examined, database });
  } finally {
    await database.close();
  }
}

export async function examine(examined: Examined): Promise<readonly Finding[]> {
  return [
    ...(await runChecks(withoutDatabase, examined)),
    ...(await runDatabaseChecks(examined)),
    ...(await runChecks(addresses, examined)),
    backups,
  ];
}
