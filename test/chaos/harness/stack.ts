/**
 * A whole gateway as real processes from `dist/`: APIs, workers and the test processor. A suite may kill, stop and restart each of
 * them. All their logs are in one folder. MongoDB and Redis belong to the caller.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxFile } from '../../../api/pages/sandbox/sandbox-file.js';
import { type Config, loadConfig } from '../../../config/index.js';
import { configureMethod } from '../../../scripts/provisioning/configure-method.js';
import { createMerchant } from '../../../scripts/provisioning/create-merchant.js';
import { openProvisioning } from '../../../scripts/provisioning/provisioning.js';
import { seedSandbox } from '../../../scripts/sandbox/seed-sandbox.js';
import { local, testFolders } from '../../../scripts/setup/paths.mjs';
import { freePort } from '../../../scripts/setup/ports.mjs';
import { systemClock } from '../../../shared/clock.js';
import { cardBrands } from '../../../shared/domain/payment-method-catalog.js';
import { ensureIndexes } from '../../../shared/store/collections.js';
import { type Database, openDatabase } from '../../../shared/store/database.js';
import { claimEnvironment } from '../../../shared/store/environment.repository.js';
import { refuseDrift } from '../../support/refuse-drift.js';
import { builtFolder, earlierFolder } from './built.js';
import { createMember, type Member, type Role } from './member.js';
import { createWorkerClock, type WorkerClock } from './worker-clock.js';

/** Merchants by the processor behind them. */
export const merchants = { sandbox: 1001, 'sandbox-forgetful': 1101, 'sandbox-lagging': 1102 } as const;

export interface StackOptions {
  /** Name of the folder of its artefacts. */
  readonly name: string;
  readonly mongodbUri: string;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  /** Number of processes of each kind. Absent: none. */
  readonly counts: Partial<Record<Role, number>>;
  readonly settings?: Record<string, string>;
  /** Divides the waits of the test processor. */
  readonly simulatorTimeScale?: number;
  /** Address that the workers use instead of the test processor's. */
  readonly processorUrl?: string;
  /** Processor that charges the cards of the first merchant instead of the test processor. */
  readonly cardProcessor?: 'iso8583' | undefined;
  /** Path of libfaketime: each worker gets a separate clock, and an operator port. */
  readonly faketime?: string | undefined;
  /** Names of members that are not started yet, for example `processor-1`. */
  readonly startedLater?: readonly string[];
}

export interface Stack {
  /** Folder of everything that the run leaves behind. */
  readonly folder: string;
  readonly config: Config;
  readonly sandbox: SandboxFile;
  readonly database: Database;
  readonly simulatorUrl: string;
  readonly ledgerFile: string;
  readonly apiUrls: readonly string[];
  readonly members: readonly Member[];
  /** Clocks of workers, by name. Empty without `faketime`. */
  readonly clocks: ReadonlyMap<string, WorkerClock>;
  /** Values that must not be found anywhere, by description. */
  readonly secrets: Readonly<Record<string, string>>;
  /** @throws when there is no member of this name */
  member(name: string): Member;
  /** Returns the books of one personality, or of all. */
  ledger(personality?: string): Promise<readonly import('../../../shared/processors/processor.js').LedgerEntry[]>;
  /** Sets a switch of the test processor, for example `('/faults', {…})`. */
  switchProcessor(path: string, body: unknown): Promise<void>;
  stop(): Promise<void>;
}

const key = () => randomBytes(32).toString('base64');

function makeSecrets(): Record<string, string> {
  return {
    OPERATOR_PASSWORD: randomBytes(24).toString('base64url'),
    VAULT_MASTER_KEYS: `c1:${key()}`,
    API_KEY_PEPPER: key(),
    FINGERPRINT_KEY: key(),
    DIGEST_KEY: key(),
    REPLY_KEY: key(),
  };
}

async function provision(
  database: Database,
  config: Config,
  cardProcessor: StackOptions['cardProcessor'],
): Promise<SandboxFile> {
  await database.connection.dropDatabase();
  await claimEnvironment(database, config.environment);
  await ensureIndexes(database);
  await refuseDrift(database);
  const sandbox = await seedSandbox(database, config);
  const provisioning = openProvisioning(database, config, systemClock);
  for (const [processor, id] of Object.entries(merchants)) {
    if (processor === 'sandbox') continue;
    const { clientId } = sandbox;
    await createMerchant(provisioning, { id, clientId, name: processor, country: 'UY', defaultCurrency: 'USD' });
    const settings = { paymentProcessor: { id: processor, acquirer: `${processor}-acquirer` } };
    for (const brand of cardBrands) {
      await configureMethod(provisioning, { merchantId: id, id: brand, mode: 'gateway', settings });
    }
  }
  if (cardProcessor) {
    const paymentProcessor = { id: cardProcessor, acquirer: 'acquirer' };
    const settings = { merchantIdentificationNumber: '1001', terminalNumber: 'CHAOS001', paymentProcessor };
    for (const brand of cardBrands) {
      await configureMethod(provisioning, { merchantId: merchants.sandbox, id: brand, mode: 'gateway', settings });
    }
  }
  return sandbox;
}

const pathOf = {
  api: ['api/main.js'],
  threeds: ['workers/run.js', 'threeds'],
  qr: ['workers/run.js', 'qr'],
  processor: ['workers/run.js', 'processor'],
  expiry: ['workers/run.js', 'expiry'],
  callback: ['workers/run.js', 'callback'],
  wallet: ['workers/run.js', 'wallet'],
  simulator: ['scripts/sandbox/simulator/main.js'],
} as const satisfies Record<Role, readonly [string, ...string[]]>;

async function environment(options: StackOptions, simulatorPort: number, folder: string) {
  const secrets = makeSecrets();
  const simulatorUrl = `http://127.0.0.1:${simulatorPort}`;
  const env: Record<string, string> = {
    ...secrets,
    GATEWAY_ENVIRONMENT: 'testing',
    MONGODB_URI: options.mongodbUri,
    REDIS_URL: options.redisUrl,
    REDIS_PREFIX: options.redisPrefix,
    CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    // A single client makes all the load.
    API_WRITES_PER_SECOND: '0',
    API_READS_PER_SECOND: '0',
    SIGN_IN_FAILURES_PER_MINUTE: '0',
    MERCHANT_MISSES_PER_MINUTE: '0',
    SANDBOX_PROCESSOR_URL: options.processorUrl ?? simulatorUrl,
    OPERATOR_PORT: '0',
    DRAIN_DELAY_MS: '0',
    LOG_LEVEL: 'info',
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_LEDGER_FILE: join(folder, 'ledger.jsonl'),
    ...options.settings,
  };
  return { env, secrets, simulatorUrl };
}

/** Number of runs whose artefacts are kept. */
const RUNS_KEPT = 20;

function newRunFolder(name: string): string {
  const parent = join(local, 'chaos/runs');
  mkdirSync(parent, { recursive: true });
  const runs = readdirSync(parent).map((run) => ({ path: join(parent, run), at: statSync(join(parent, run)).mtimeMs }));
  for (const { path } of runs.sort((a, b) => b.at - a.at).slice(RUNS_KEPT))
    rmSync(path, { recursive: true, force: true });
  return mkdtempSync(join(parent, `${name}-`));
}

/** Starts everything except `later`. Resolves when all of it is ready. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = newRunFolder(options.name);
  const [dist, earlier] = [await builtFolder(), earlierFolder()];
  /** When two releases run side by side, the first and third process of each kind are of the earlier one. */
  const distOf = (number: number) => (number % 2 === 1 ? (earlier ?? dist) : dist);
  const { env, secrets, simulatorUrl } = await environment(options, await freePort(), folder);
  const config = loadConfig(env);
  const database = await openDatabase(config.mongodbUri);
  const sandbox = await provision(database, config, options.cardProcessor);

  const members: Member[] = [];
  const clocks = new Map<string, WorkerClock>();
  const apiUrls: string[] = [];
  const folders = { data: folder, logs: join(folder, 'logs'), run: testFolders.run };
  for (const [role, count] of Object.entries({ simulator: 1, ...options.counts }) as [Role, number][]) {
    for (let number = 1; number <= count; number += 1) {
      const port = role === 'api' ? String(await freePort()) : undefined;
      if (port) apiUrls.push(`http://127.0.0.1:${port}`);
      const timeScale = role === 'simulator' ? String(options.simulatorTimeScale ?? 1) : undefined;
      const name = `${role}-${number}`;
      if (options.faketime && role !== 'api' && role !== 'simulator') {
        clocks.set(name, await createWorkerClock(options.faketime, folder, name, env));
      }
      const memberEnv = {
        ...(port && { PORT: port }),
        ...(timeScale && { TIME_SCALE: timeScale }),
        ...clocks.get(name)?.env,
      };
      const [script, ...rest] = pathOf[role];
      const args = [join(distOf(number), script), ...rest];
      members.push(createMember({ name, role, args, env: { ...env, ...memberEnv }, folders }));
    }
  }
  const first = members.filter(({ name }) => !options.startedLater?.includes(name));
  await Promise.all(first.map((member) => member.start()));

  const { apiKey, secondary, other } = sandbox;
  return {
    folder,
    config,
    sandbox,
    database,
    simulatorUrl,
    ledgerFile: env.SIMULATOR_LEDGER_FILE ?? '',
    apiUrls,
    members,
    clocks,
    secrets: { ...secrets, apiKey, secondaryApiKey: secondary.apiKey, otherApiKey: other.apiKey },
    member: (name) => {
      const found = members.find((member) => member.name === name);
      if (!found) throw new Error(`there is no member ${name}`);
      return found;
    },
    ledger: async (personality) => {
      const response = await fetch(`${simulatorUrl}${personality ? `/${personality}` : ''}/ledger`);
      return (await response.json()) as never;
    },
    switchProcessor: async (path, body) => {
      const response = await fetch(`${simulatorUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`the test processor refused ${path}`);
    },
    stop: async () => {
      await Promise.all(members.filter(({ role }) => role !== 'simulator').map((member) => member.stop()));
      await Promise.all(members.map((member) => member.stop()));
      await database.close();
    },
  };
}
