/** Finds a command's settings: in the environment, in a file, or in the sandbox of this checkout. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { fileProblem } from '../../config/file-problem.js';
import { ConfigError } from '../../config/index.js';
import type { CommandLine } from './read-command-line.js';

/** Finds the checkout that this file belongs to, compiled or not. */
export function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json was not found above the program');
    folder = parent;
  }
  return folder;
}

/** Returns the version of the gateway that the command belongs to. */
export const versionOf = (): string => JSON.parse(readFileSync(join(findRoot(), 'package.json'), 'utf8')).version;

/** Content of `servers.json`. `settings` are those that `npm start` got. */
interface Servers {
  readonly mongodbUri?: string;
  readonly redisUrl?: string;
  readonly publicBaseUrl?: string;
  readonly processorUrl?: string;
  readonly settings?: Record<string, string>;
}

/** Reads a file of `npm start`. @throws {ConfigError} when it is missing or damaged */
function readSandboxFile<T>(local: string, name: string): T {
  const path = join(local, name);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    throw new ConfigError([`--sandbox: ${path} cannot be read. Run \`npm start\` first; it keeps its settings there`]);
  }
}

function sandboxSettings(local: string): Record<string, string> {
  const { mongodbUri, redisUrl, publicBaseUrl, processorUrl, settings } = readSandboxFile<Servers>(
    local,
    'servers.json',
  );
  return {
    ...readSandboxFile<Record<string, string>>(local, 'secrets.json'),
    CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    ...settings,
    GATEWAY_ENVIRONMENT: 'testing',
    MONGODB_URI: mongodbUri ?? '',
    REDIS_URL: redisUrl ?? '',
    ...(publicBaseUrl && { PUBLIC_BASE_URL: publicBaseUrl }),
    ...(processorUrl && { SANDBOX_PROCESSOR_URL: processorUrl }),
  };
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    // A byte order mark, with which some editors begin a file, would become a part of the first name.
    return parseEnv(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ConfigError([`--env-file: ${path} cannot be read: ${fileProblem(error)}`]);
  }
}

/**
 * Returns the settings that a command works with.
 * @param local the folder `.local` of the checkout; tests pass another one
 * @throws {ConfigError} when a file cannot be read
 */
export function environmentOf(
  { sandbox, envFile }: Pick<CommandLine, 'sandbox' | 'envFile'>,
  env: NodeJS.ProcessEnv,
  local = join(findRoot(), '.local'),
): NodeJS.ProcessEnv {
  return {
    ...(envFile === undefined ? {} : readEnvFile(envFile)),
    ...env,
    ...(sandbox && sandboxSettings(local)),
  };
}
