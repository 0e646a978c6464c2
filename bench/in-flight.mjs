/**
 * Runs `npm run in-flight`: measures the memory of a processor worker while many messages wait for an ISO 8583 acquirer that does
 * not answer. Everything is real (API, MongoDB, Redis, worker, line). The acquirer is a separate process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root } from '../scripts/setup/paths.mjs';
import { freePort } from '../scripts/setup/ports.mjs';
import { Problem } from '../scripts/setup/problem.mjs';
import { runCommand } from '../scripts/setup/run-command.mjs';
import { runCommandWithCleanup, takeLock } from './cleanup.mjs';
import { clearFolders, folders, prepareEnvironment } from './environment.mjs';
import { startGateway } from './gateway.mjs';
import { paymentRequest } from './load/payment-request.mjs';
import { residentMb } from './measure/processor-time.mjs';
import { readPositive } from './options.mjs';

/** More than one connection keeps in flight, and the maximum of calls that wait at the API. */
const MESSAGES_MAX = 1_000;
/** Number of answered payments before the measurement: by then code is compiled and buffers have grown. */
const WARM_UP = 1_000;
const WARM_UP_AT_ONCE = 64;
/** How long the worker may take to have all messages in flight. */
const PATIENCE_MS = 120_000;
/** If a garbage collection happens at all, it happens within this time. */
const SETTLE_MS = 3_000;
const ACQUIRER_TIMEOUT_MS = 120_000;
const usage = 'npm run in-flight -- [--messages 1000] [--json]';

/** @param {readonly string[]} args */
function readOptions(args) {
  try {
    const options = /** @type {const} */ ({
      messages: { type: 'string', default: '1000' },
      json: { type: 'boolean', default: false },
    });
    const { values } = parseArgs({ args: [...args], options, strict: true });
    return { messages: readPositive('messages', values.messages, MESSAGES_MAX, usage), json: values.json };
  } catch (error) {
    throw error instanceof Problem ? error : new Problem(`${/** @type {Error} */ (error).message}: ${usage}`);
  }
}

/** Starts an acquirer that approves everything until it gets the order to hold back. */
async function startAcquirer() {
  const acquirer = fork('bench/run-iso8583.ts', ['acquirer'], { cwd: root, execArgv: ['--import', 'tsx'] });
  const [port] = /** @type {[number]} */ (await once(acquirer, 'message'));
  return { port, holdBack: () => acquirer.send('hold'), end: () => void acquirer.kill() };
}

/** @param {number} port of the acquirer */
async function settingsFor(port) {
  return {
    ISO8583_HOST: '127.0.0.1',
    ISO8583_PORT: String(port),
    ISO8583_TERMINAL: 'TERM0001',
    ISO8583_ACQUIRER_ID: '400100',
    ISO8583_TLS: 'false',
    PROCESSOR_TIMEOUT_MS: String(ACQUIRER_TIMEOUT_MS),
    WORKER_CONCURRENCY: '2048',
    WORKER_OPERATOR_PORT: String(await freePort()),
  };
}

/** @param {import('./gateway.mjs').Gateway} gateway @param {AbortSignal} signal */
async function chargeByIso8583({ env }, signal) {
  const words = ['methods', 'set', '1001', 'visa', '--payment-processor-id', 'iso8583'];
  const more = ['--payment-processor-acquirer', 'iso8583', '--merchant-identification-number', 'SHOP1'];
  const args = ['dist/scripts/gateway/main.js', ...words, ...more];
  const { code, stderr } = await runCommand(process.execPath, args, { cwd: root, env, signal });
  if (code !== 0) throw new Problem(`The merchant could not be configured:\n${stderr}`);
}

/** @param {import('./gateway.mjs').Gateway} gateway @param {string} reference */
async function pay({ port, authorization }, reference) {
  const body = JSON.stringify(paymentRequest({ reference }));
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/payments`, { method: 'POST', headers, body });
  const { status } = /** @type {{ status?: string }} */ (await answer.json());
  if (!answer.ok) throw new Problem(`A payment was answered ${answer.status}.`);
  return status;
}

/** @param {import('./gateway.mjs').Gateway} gateway */
async function warmUp(gateway) {
  let next = 0;
  const loop = async () => {
    while (next < WARM_UP) {
      next += 1;
      const status = await pay(gateway, `warm-${next}`);
      if (status !== 'approved') throw new Problem(`The acquirer approves, and a payment is ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: WARM_UP_AT_ONCE }, loop));
}

/** @param {import('./gateway.mjs').Gateway} gateway @returns {Promise<number>} messages in flight, according to the worker's metrics */
async function inFlight({ env }) {
  const password = `operator:${env.OPERATOR_PASSWORD}`;
  const headers = { authorization: `Basic ${Buffer.from(password).toString('base64')}` };
  // Two workers have the same setting: the first takes this port, the second the next one.
  const read = async (/** @type {number} */ port) =>
    (await fetch(`http://127.0.0.1:${port}/metrics`, { headers }).catch(() => undefined))?.text();
  const port = Number(env.WORKER_OPERATOR_PORT);
  const texts = await Promise.all([read(port), read(port + 1)]);
  const counts = texts.map((text) => /^gateway_line_in_flight\{[^}]*\} (\d+)$/m.exec(text ?? '')?.[1]);
  return Number(counts.find((count) => count !== undefined) ?? 0);
}

/** @param {import('./gateway.mjs').Gateway} gateway @param {number} messages */
async function fillInFlight(gateway, messages) {
  // The answers arrive after the end of the benchmark, if ever.
  const calls = Array.from({ length: messages }, (_, number) => pay(gateway, `held-${number}`));
  const refused = Promise.all(calls).then(() => new Promise(() => {}));
  const filled = async () => {
    const endMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const count = await inFlight(gateway);
      if (count === messages) return;
      if (performance.now() > endMs) throw new Problem(`Only ${count} of ${messages} messages are in flight.`);
      await sleep(100);
    }
  };
  await Promise.race([filled(), refused]);
  refused.catch(() => {});
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runInFlight = (args) =>
  runCommandWithCleanup(async ({ progress, cleanup, signal }) => {
    const { messages, json } = readOptions(args);
    takeLock('npm run in-flight');
    await clearFolders(folders);
    const environment = await prepareEnvironment(progress, signal, cleanup.servers);
    cleanup.environment = environment;
    const acquirer = await startAcquirer();
    try {
      const settings = await settingsFor(acquirer.port);
      const gateway = await progress.step('Starting the gateway', () =>
        startGateway(environment, { signal, settings, running: cleanup.gateway }),
      );
      await chargeByIso8583(gateway, signal);
      const worker = gateway.pids.worker ?? 0;
      await progress.step(`Warming up by ${WARM_UP} payments`, () => warmUp(gateway));
      await sleep(SETTLE_MS);
      const idleMb = residentMb(worker);
      acquirer.holdBack();
      await progress.step(`Bringing ${messages} messages in flight`, () => fillInFlight(gateway, messages));
      await sleep(SETTLE_MS);
      const result = { messages, idleMb: Math.round(idleMb), inFlightMb: Math.round(residentMb(worker)) };
      if (json) console.log(JSON.stringify(result));
      else
        console.log(`\nprocessor worker: ${result.idleMb} MB warm, ${result.inFlightMb} MB with ${messages} in flight`);
      return 0;
    } finally {
      acquirer.end();
    }
  });
