/**
 * Fills a testing database with the sandbox and writes its credentials to SANDBOX_FILE, readable by its owner only. `npm
 * start` runs it at every start. Keys of an earlier run that still work are kept.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readSandboxKeys, type SandboxFile } from '../api/pages/sandbox/sandbox-file.js';
import { ConfigError, loadConfig } from '../config/index.js';
import { loadSandboxFile } from '../config/sandbox-file.js';
import { ensureIndexes } from '../shared/store/collections.js';
import { openDatabase } from '../shared/store/database.js';
import { claimEnvironment, EnvironmentMismatchError } from '../shared/store/environment.repository.js';
import { ProvisioningError } from './provisioning/provisioning.js';
import { seedSandbox } from './sandbox/seed-sandbox.js';

async function readEarlierKeys(path: string) {
  try {
    return readSandboxKeys(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file in one step: a reader finds the whole old file or the whole new one, and never one that other users may read. */
async function writeSandboxFile(path: string, file: SandboxFile): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function main(): Promise<void> {
  const config = loadConfig();
  if (config.environment === 'production') throw new ProvisioningError('There is no sandbox in production.');
  const path = loadSandboxFile();
  if (config.sandboxProcessorUrl === undefined) {
    throw new ConfigError(['SANDBOX_PROCESSOR_URL is missing: the sandbox pays at the test processor']);
  }
  const database = await openDatabase(config.mongodbUri);
  try {
    await claimEnvironment(database, config.environment);
    await ensureIndexes(database);
    const earlier = await readEarlierKeys(path);
    await writeSandboxFile(path, await seedSandbox(database, config, earlier ? { earlier } : {}));
  } finally {
    await database.close();
  }
}

/** Errors whose message is enough. For all others the stack is printed. */
const plain = [ConfigError, ProvisioningError, EnvironmentMismatchError];

try {
  await main();
} catch (error) {
  console.error(plain.some((kind) => error instanceof kind) ? (error as Error).message : error);
  process.exitCode = 1;
}
