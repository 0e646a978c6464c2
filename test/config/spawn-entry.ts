/** Starts a real process of the gateway: from `dist/` as operators do, or from its sources when `dist/` is not fresh. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { isBuilt } from '../../scripts/setup/build.mjs';

export type Entry = 'api/main' | 'workers/run' | 'scripts/sandbox/simulator/main' | 'scripts/gateway/main';

let fresh: boolean | undefined;
/** Arguments of node, behind its flags. Compiled code starts in a third of the time, and is what operators run. */
export function commandOf(entry: Entry): string[] {
  fresh ??= isBuilt(process.cwd());
  return fresh ? [`dist/${entry}.js`] : ['--import', 'tsx', `${entry}.ts`];
}

export interface Spawned {
  readonly child: ChildProcess;
  /** All that the process wrote so far. */
  output(): { stdout: string; stderr: string };
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** The message of a process that is ready; rejects with what it said when it ends instead. */
  readonly ready: Promise<{ port: number; operatorPort: number }>;
}

const running = new Set<ChildProcess>();

/** Ends what a suite started. */
export function endSpawned(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

/** `flags`: for node, as the Procfile has them. */
export function spawnEntry(
  entry: Entry,
  env: Record<string, string>,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Spawned {
  const child = spawn(process.execPath, [...flags, ...commandOf(entry), ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk) => {
      said[stream] += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }));
  const message = new Promise<{ port: number; operatorPort: number }>((resolve) =>
    child.once('message', (sent) => resolve(sent as never)),
  );
  const ready = Promise.race([
    message,
    ended.then(({ code, stderr }) => {
      throw new Error(`ended with ${code}: ${stderr}`);
    }),
  ]);
  ready.catch(() => undefined);
  return { child, output: () => ({ ...said }), ended, ready };
}

const key = () => randomBytes(32).toString('base64');

/** Settings with which every process starts, given a MongoDB. */
export const soundSettings = (): Record<string, string> => ({
  GATEWAY_ENVIRONMENT: 'testing',
  PORT: '0',
  OPERATOR_PORT: '0',
  OPERATOR_PASSWORD: 'a-long-password-of-the-tests',
  MONGODB_URI: 'mongodb://127.0.0.1:1/none?replicaSet=rs0',
  REDIS_URL: 'redis://127.0.0.1:1',
  VAULT_MASTER_KEYS: `k1:${key()}`,
  API_KEY_PEPPER: key(),
  FINGERPRINT_KEY: key(),
  DIGEST_KEY: key(),
  REPLY_KEY: key(),
  LOG_LEVEL: 'info',
});

/** The same, as production takes them. */
export const soundProduction = (): Record<string, string> => ({
  ...soundSettings(),
  GATEWAY_ENVIRONMENT: 'production',
  TRUSTED_PROXIES: '1',
  PUBLIC_BASE_URL: 'https://pay.example.com',
  // The servers of the tests have neither passwords nor TLS, and MongoDB may be an older one.
  ALLOW_INSECURE_STORES: 'true',
  ALLOW_OLD_MONGODB: 'true',
});
