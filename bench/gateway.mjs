/** The gateway that is measured: the compiled API, one processor worker and the test processor, each a separate process. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../scripts/setup/paths.mjs';
import { freePort } from '../scripts/setup/ports.mjs';
import { Problem } from '../scripts/setup/problem.mjs';
import { readProcfile } from '../scripts/setup/procfile.mjs';
import { launch } from '../scripts/setup/program.mjs';
import { lastOutputLines, runCommand } from '../scripts/setup/run-command.mjs';
import { folders as benchFolders } from './environment.mjs';

/** A process of the gateway ends within 12 s of SIGTERM. Nothing is in flight when the benchmark ends it. */
export const STOP_MS = 13_000;
const SEED_LAST_LINES = 12;

/** File with the marks of a traced run, one per line. */
export const traceFile = join(benchFolders.logs, 'trace.jsonl');

/**
 * @typedef {object} Gateway
 * @property {NodeJS.ProcessEnv} env
 * @property {number} port of the API
 * @property {string} simulatorUrl
 * @property {{ clientId: string, apiKey: string }} client
 * @property {string} authorization header of that client
 * @property {Record<string, number>} pids
 */

const key = () => randomBytes(32).toString('base64');

/** Makes random keys, for a database that nothing else ever uses. */
export const newKeys = () => ({
  VAULT_MASTER_KEYS: `b1:${key()}`,
  API_KEY_PEPPER: key(),
  FINGERPRINT_KEY: key(),
  DIGEST_KEY: key(),
  REPLY_KEY: key(),
});

/** @param {import('./environment.mjs').Environment} environment @param {ReturnType<typeof newKeys>} [keys] */
export async function gatewayEnvironment({ mongodbUri, redisUrl, prefix, folders }, keys = newKeys()) {
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const { PATH, HOME, LOG_LEVEL, NODE_OPTIONS } = process.env;
  return {
    // No other variable is passed on: a developer's settings must not change the result.
    ...(PATH && { PATH }),
    ...(HOME && { HOME }),
    ...(LOG_LEVEL && { LOG_LEVEL }),
    ...(NODE_OPTIONS && { NODE_OPTIONS }),
    GATEWAY_ENVIRONMENT: 'testing',
    HOST: '127.0.0.1',
    PORT: String(port),
    OPERATOR_PORT: String(await freePort()),
    OPERATOR_PASSWORD: randomBytes(24).toString('base64url'),
    PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
    REDIS_PREFIX: prefix,
    ...keys,
    SANDBOX_PROCESSOR_URL: `http://127.0.0.1:${simulatorPort}`,
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_LEDGER_FILE: join(folders.data, 'ledger.jsonl'),
    CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    // A single client makes all the load.
    API_WRITES_PER_SECOND: '0',
    API_READS_PER_SECOND: '0',
    SANDBOX_FILE: join(folders.data, 'sandbox.json'),
  };
}

/**
 * Seeds the database.
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal} signal
 * @param {boolean} [keep] keeps the file, so that the next seeding finds the same keys
 * @param {string} [dist] the compiled folder whose seeds are used
 */
export async function seed(env, signal, keep = false, dist = 'dist') {
  const file = String(env.SANDBOX_FILE);
  mkdirSync(dirname(file), { recursive: true });
  const result = await runCommand(process.execPath, [join(dist, 'scripts/seed-sandbox.js')], {
    cwd: root,
    env,
    signal,
  });
  if (result.code !== 0) throw new Problem(`Seeding the sandbox failed:\n${lastOutputLines(result, SEED_LAST_LINES)}`);
  const { clientId, apiKey } = JSON.parse(readFileSync(file, 'utf8'));
  if (!keep) rmSync(file);
  return { clientId: String(clientId), apiKey: String(apiKey) };
}

/**
 * @param {import('./environment.mjs').Environment} environment
 * @param {{ signal: AbortSignal, profile?: boolean, trace?: boolean, keys?: ReturnType<typeof newKeys>,
 *   settings?: Record<string, string>, dist?: string, label?: string,
 *   running: import('../scripts/setup/program.mjs').Running[] }} options
 *   `dist`: the compiled folder to start from, by default this checkout's; `label`: prefix of the names of processes and logs
 *   `settings`: further settings; every process is added to `running` as soon as it is started;
 *   with `trace` the API and the worker write {@link traceFile};
 *   `keys`: those of an earlier run, when its data is used again
 * @returns {Promise<Gateway>}
 */
export async function startGateway(
  environment,
  { signal, profile = false, trace = false, keys, settings = {}, dist = 'dist', label = '', running },
) {
  const { folders } = environment;
  const env = { ...(await gatewayEnvironment(environment, keys)), ...settings };
  const client = await seed(env, signal, keys !== undefined, dist);
  const start = (/** @type {string} */ name, /** @type {string[]} */ args) => {
    const flags = profile
      ? ['--cpu-prof', '--cpu-prof-dir', folders.logs, '--cpu-prof-name', `${label}${name}.cpuprofile`]
      : [];
    const traced = trace && (name === 'api' || name === 'worker');
    // From source, because a built program has its own copy of the packages, which the hooks would not change.
    if (traced) flags.push('--import', 'tsx', '--import', new URL('./trace/hooks.mjs', import.meta.url).href);
    const place = (/** @type {string} */ arg) =>
      traced ? arg.replace(/^dist\/(.+)\.js$/, '$1.ts') : arg.replace(/^dist(?=\/)/, dist);
    const program = {
      name: `${label}${name}`,
      command: process.execPath,
      args: [...flags, ...args.map(place)],
      env: traced ? { ...env, TRACE_FILE: traceFile, TRACE_PROCESS: name } : env,
      stopWithinMs: STOP_MS,
    };
    const started = launch(program, folders);
    running.push(started);
    return started;
  };
  // Started like in the Procfile: the flags for Node decide how much memory a process uses.
  const procfile = new Map(readProcfile(root).map(({ name, args }) => [name, args]));
  const simulator = start('simulator', ['dist/scripts/sandbox/simulator/main.js']);
  await simulator.ready;
  const api = start('api', procfile.get('web') ?? []);
  const worker = start('worker', procfile.get('processor') ?? []);
  // Nothing is announced as long as every caller gets its answer. This process is started to prove that.
  const callback = start('callback', procfile.get('callback') ?? []);
  await Promise.all([api.ready, worker.ready, callback.ready]);
  return {
    env,
    port: Number(env.PORT),
    simulatorUrl: String(env.SANDBOX_PROCESSOR_URL),
    client,
    authorization: `Basic ${Buffer.from(`${client.clientId}:${client.apiKey}`).toString('base64')}`,
    pids: { api: api.pid, worker: worker.pid, simulator: simulator.pid, callback: callback.pid },
  };
}

/** Makes every operation of the test processor take this long from now on. @param {Gateway} gateway @param {number} ms */
export async function slowDown({ simulatorUrl }, ms) {
  const response = await fetch(`${simulatorUrl}/slow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ms }),
  });
  if (!response.ok) throw new Problem(`The test processor refused to slow down (${response.status}).`);
}
