/** Runs the API as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { commandOf } from '../config/spawn-entry.js';
import { testMongoUri, testRedisPrefix, testRedisUrl } from './services.js';

const key = () => randomBytes(32).toString('base64');

/** Returns the settings that the process starts with. `name` selects a separate database. */
export const apiEnvironment = (name: string, more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  GATEWAY_ENVIRONMENT: 'testing',
  PORT: '0',
  OPERATOR_PORT: '0',
  OPERATOR_PASSWORD: 'a-long-password-1',
  MONGODB_URI: testMongoUri(name),
  REDIS_URL: testRedisUrl(),
  REDIS_PREFIX: testRedisPrefix(name),
  VAULT_MASTER_KEYS: `k1:${key()}`,
  API_KEY_PEPPER: key(),
  FINGERPRINT_KEY: key(),
  DIGEST_KEY: key(),
  REPLY_KEY: key(),
  LOG_LEVEL: 'warn',
  ...more,
});

export interface ApiProcess {
  readonly child: ChildProcess;
  /** Exit code, and everything that the process wrote to stderr. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
  /** @throws with the output of the process when it ended before it was ready */
  readonly ready: Promise<{ readonly ready: boolean; readonly port: number; readonly operatorPort: number }>;
}

const running: ChildProcess[] = [];
/** Kills the processes that still run. */
export function killApis(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}

export function runApi(env: Record<string, string>): ApiProcess {
  const child = spawn(process.execPath, commandOf('api/main'), {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.push(child);
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  child.stdout?.resume();
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, errors }));
  const started = new Promise<Awaited<ApiProcess['ready']>>((resolve) => child.once('message', resolve as never));
  const failed = ended.then(({ errors: said }): never => {
    throw new Error(said);
  });
  return { child, ended, ready: Promise.race([started, failed]) };
}
