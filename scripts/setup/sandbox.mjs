/** Runs `npm start`: everything that a payment needs, on this machine, until Ctrl-C. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_HOST, gatewayEnvironment, givenSettings, readAddress } from './environment.mjs';
import { tryLock } from './lock.mjs';
import { local, root, startFolders } from './paths.mjs';
import { freePort, preferPort, requirePort, withPortFallback } from './ports.mjs';
import { prepare } from './prepare.mjs';
import { explain, Problem, Stopped } from './problem.mjs';
import { readProcfile } from './procfile.mjs';
import { endLeftovers } from './program.mjs';
import { createProgress } from './progress.mjs';
import { readyMessage } from './ready-message.mjs';
import { lastOutputLines, runCommand } from './run-command.mjs';
import { loadSecrets } from './secrets.mjs';
import { mongodbUri, redisUrl, serverPrograms } from './servers.mjs';
import { aborted, stopSignals } from './stop-signals.mjs';
import { createSupervisor } from './supervisor.mjs';

const PREFERRED_PORTS = { mongodb: 27217, redis: 6479, operator: 9080, processor: 9180 };
const DATABASE = 'payment_gateway';
/** A process of the gateway ends by itself within 12 s of SIGTERM (config/limits.ts `shutdownMs`). */
const GATEWAY_STOP_MS = 13_000;
const SEED_LAST_LINES = 12;
const SETTLE_MS = 5_000;
const SANDBOX_FILE = join(local, 'sandbox.json');
/** File in which `./gateway --sandbox` finds the addresses of MongoDB, Redis, the API and the test processor, and the person's settings. */
const SERVERS_FILE = join(local, 'servers.json');

/** @typedef {import('./progress.mjs').Progress} Progress */
/** @typedef {import('./supervisor.mjs').Supervisor} Supervisor */

/** @param {Record<string, unknown>} servers addresses and settings, which may contain passwords */
function rememberServers(servers) {
  writeFileSync(SERVERS_FILE, `${JSON.stringify(servers, null, 2)}\n`, { mode: 0o600 });
  // The mode applies only to a new file.
  chmodSync(SERVERS_FILE, 0o600);
}

/** @throws {Problem} naming the process that runs already */
function lockStart() {
  const lock = tryLock(join(local, 'start.lock'));
  if (lock.held) return;
  throw new Problem(
    `\`npm start\` runs here already as process ${lock.by.pid}: stop it with Ctrl-C in its terminal, or with \`kill ${lock.by.pid}\`.`,
  );
}

/**
 * Starts MongoDB and Redis, except those that the environment names.
 * @param {Supervisor} supervisor
 * @param {Awaited<ReturnType<typeof prepare>>} binaries
 * @param {Progress} progress
 */
async function startServers(supervisor, binaries, progress) {
  const ports = { mongodb: await preferPort(PREFERRED_PORTS.mongodb), redis: await preferPort(PREFERRED_PORTS.redis) };
  const programs = serverPrograms(binaries, startFolders.data, ports);
  const starting = Object.values(programs).map((program) =>
    progress.step(`Starting ${program.name}`, () => supervisor.start(program)),
  );
  await Promise.all(starting);
  return {
    mongodbUri: programs.mongodb ? mongodbUri(ports.mongodb, DATABASE) : String(process.env.MONGODB_URI),
    redisUrl: programs.redis ? redisUrl(ports.redis) : String(process.env.REDIS_URL),
  };
}

/** @param {string} name @param {readonly string[]} args @param {NodeJS.ProcessEnv} env */
const nodeProgram = (name, args, env) => ({
  name,
  command: process.execPath,
  args,
  env,
  stopWithinMs: GATEWAY_STOP_MS,
});

/**
 * Gives each worker process a separate operator port, any free one. The worker's log names it.
 * @param {string} name @param {NodeJS.ProcessEnv} env
 */
async function withOperatorPort(name, env) {
  return name === 'web' ? env : { ...env, WORKER_OPERATOR_PORT: String(await freePort()) };
}

/**
 * @param {Supervisor} supervisor
 * @param {Progress} progress
 * @param {{ processorPort: number }} address is updated when the test processor had to use another port
 * @param {() => NodeJS.ProcessEnv} environment reads the address
 */
function startTestProcessor(supervisor, progress, address, environment) {
  const script = 'dist/scripts/sandbox/simulator/main.js';
  const program = withPortFallback(
    address.processorPort,
    () => nodeProgram('test-processor', [script], environment()),
    (other) => {
      address.processorPort = other;
    },
  );
  return progress.step('Starting test-processor', () => supervisor.start(program));
}

/**
 * Corrects the sandbox's file: the API takes another operator port when its own was taken meanwhile.
 * @param {{ operatorPort?: number }} message
 */
function rememberOperatorPort({ operatorPort }) {
  const sandbox = JSON.parse(readFileSync(SANDBOX_FILE, 'utf8'));
  sandbox.operator.baseUrl = `http://${DEFAULT_HOST}:${operatorPort}`;
  writeFileSync(SANDBOX_FILE, `${JSON.stringify(sandbox, null, 2)}\n`);
}

/** @param {Progress} progress @param {NodeJS.ProcessEnv} env @param {AbortSignal} signal */
function seed(progress, env, signal) {
  return progress.step('Seeding the sandbox', async () => {
    const result = await runCommand(process.execPath, ['dist/scripts/seed-sandbox.js'], {
      cwd: root,
      env,
      signal,
    });
    if (result.code !== 0)
      throw new Problem(`Seeding the sandbox failed:\n${lastOutputLines(result, SEED_LAST_LINES)}`);
  });
}

/**
 * Starts everything, and resolves when all of it is ready.
 * @param {Supervisor} supervisor
 * @param {Progress} progress
 * @param {AbortSignal} signal
 */
async function start(supervisor, progress, signal) {
  const { host, port } = readAddress(process.env);
  lockStart();
  const left = await endLeftovers(startFolders.run, GATEWAY_STOP_MS);
  if (left.length > 0) progress.print(`Ended what an earlier run that was killed left behind: ${left.join(', ')}`);
  await requirePort(port, host);

  const needs = { mongodb: !process.env.MONGODB_URI, redis: !process.env.REDIS_URL };
  const servers = await startServers(supervisor, await prepare({ progress, signal, needs }), progress);
  const operatorPort = await preferPort(Number(process.env.OPERATOR_PORT) || PREFERRED_PORTS.operator);
  const address = { host, port, operatorPort, processorPort: await preferPort(PREFERRED_PORTS.processor) };
  const secrets = loadSecrets(join(local, 'secrets.json'));
  /** @returns {NodeJS.ProcessEnv} */
  const environment = () => ({
    ...gatewayEnvironment({ env: process.env, secrets, address, servers, data: startFolders.data }),
    SANDBOX_FILE,
  });

  supervisor.nextGroup();
  await startTestProcessor(supervisor, progress, address, environment);
  const env = environment();
  rememberServers({
    ...servers,
    publicBaseUrl: env.PUBLIC_BASE_URL,
    processorUrl: env.SANDBOX_PROCESSOR_URL,
    settings: givenSettings(process.env, readFileSync(join(root, '.env.example'), 'utf8')),
  });

  supervisor.nextGroup();
  const lines = readProcfile(root);
  // No process needs the seeded data before its first request. The seeding writes the file of the sandbox.
  const seeded = seed(progress, env, signal);
  const onReady = (/** @type {{ operatorPort?: number }} */ message) =>
    seeded.then(
      () => rememberOperatorPort(message),
      () => {},
    );
  const starting = progress.step(`Starting ${lines.map(({ name }) => name).join(', ')}`, () =>
    Promise.all(
      lines.map(async ({ name, args }) => {
        const program = nodeProgram(name, args, await withOperatorPort(name, env));
        await supervisor.start(name === 'web' ? { ...program, onReady } : program);
      }),
    ),
  );
  await Promise.all([seeded, starting]);
}

/** Runs the sandbox until it is stopped or fails. @returns {Promise<number>} exit code */
export async function runSandbox() {
  const progress = createProgress();
  const supervisor = createSupervisor(startFolders, progress.print);
  const signal = stopSignals(() => supervisor.kill());
  // However this process ends, none of its children keeps running.
  process.once('exit', () => supervisor.kill());
  const stopped = aborted(signal);
  let exitCode = 0;
  console.log('Payment gateway: starting a sandbox on this machine');
  const starting = start(supervisor, progress, signal);
  try {
    await Promise.race([starting, stopped, supervisor.failed]);
    if (!signal.aborted) {
      const sandbox = JSON.parse(readFileSync(SANDBOX_FILE, 'utf8'));
      console.log(readyMessage(sandbox, { logs: startFolders.logs, sandboxFile: SANDBOX_FILE }));
      await Promise.race([stopped, supervisor.failed]);
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof Stopped)) {
      console.error(`\n${explain(error, root)}`);
      exitCode = 1;
    }
  }
  if (signal.aborted) console.log('\nStopping ... (once more ends everything at once)');
  await supervisor.stop();
  // An installation or download that is under way ends before this process does.
  await Promise.race([starting.catch(() => {}), sleep(SETTLE_MS)]);
  if (signal.aborted) console.log('Stopped. The data is kept in .local/data.');
  return exitCode;
}
