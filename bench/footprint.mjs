/**
 * Runs `npm run footprint`: starts every process of the Procfile alone, several times. Processor time until a process is
 * ready depends less on other load of the machine than elapsed time, which is shown beside it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root } from '../scripts/setup/paths.mjs';
import { Problem } from '../scripts/setup/problem.mjs';
import { readProcfile } from '../scripts/setup/procfile.mjs';
import { launch } from '../scripts/setup/program.mjs';
import { runCommandWithCleanup, takeLock } from './cleanup.mjs';
import { clearFolders, folders, prepareEnvironment } from './environment.mjs';
import { gatewayEnvironment, STOP_MS, seed } from './gateway.mjs';
import { readProcessorTime, residentMb } from './measure/processor-time.mjs';
import { median } from './measure/statistics.mjs';
import { readPositive } from './options.mjs';

const TIMES_MAX = 100;
/** After this time a process has finished what it does once it is ready (a first sweep, compilation of code). */
const SETTLE_MS = 3_000;
const usage = 'npm run footprint -- [--times 5]';

/** @typedef {{ readyMs: number, cpuMs: number, idleMb: number }} Footprint */

/** @param {readonly string[]} args @returns {number} */
function readTimes(args) {
  try {
    const options = /** @type {const} */ ({ times: { type: 'string', default: '5' } });
    const { values } = parseArgs({ args: [...args], options, strict: true });
    return readPositive('times', values.times, TIMES_MAX, usage);
  } catch (error) {
    throw error instanceof Problem ? error : new Problem(`${/** @type {Error} */ (error).message}: ${usage}`);
  }
}

/**
 * @param {{ name: string, args: readonly string[] }} line of the Procfile
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./cleanup.mjs').Running[]} running
 * @returns {Promise<Footprint>}
 */
async function measure({ name, args }, env, running) {
  const startedAt = performance.now();
  const program = { name, command: process.execPath, args, env, stopWithinMs: STOP_MS };
  const started = launch(program, folders);
  running.push(started);
  await started.ready;
  const readyMs = performance.now() - startedAt;
  const cpuMs = readProcessorTime({ [name]: started.pid }).processMs[name] ?? 0;
  await sleep(SETTLE_MS);
  const idleMb = residentMb(started.pid);
  await started.stop();
  running.splice(running.indexOf(started), 1);
  return { readyMs, cpuMs, idleMb };
}

/** @param {string} name @param {readonly Footprint[]} taken */
export function renderFootprint(name, taken) {
  const medianOf = (/** @type {keyof Footprint} */ key) => median(taken.map((one) => one[key]));
  const columns = [
    `${medianOf('cpuMs').toFixed(0)} ms`,
    `${medianOf('readyMs').toFixed(0)} ms`,
    `${medianOf('idleMb').toFixed(0)} MB`,
  ];
  return `${name.padEnd(12)}${columns.map((text) => text.padStart(14)).join('')}`;
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runFootprint = (args) =>
  runCommandWithCleanup(async ({ progress, cleanup, signal }) => {
    const times = readTimes(args);
    takeLock('npm run footprint');
    await clearFolders(folders);
    const environment = await prepareEnvironment(progress, signal, cleanup.servers);
    cleanup.environment = environment;
    const env = await gatewayEnvironment(environment);
    await progress.step('Seeding', () => seed(env, signal));
    console.log(['\nprocess     ', 'processor time', '   ready after', '          idle'].join(''));
    for (const line of readProcfile(root)) {
      const taken = [];
      for (let time = 0; time < times; time += 1) taken.push(await measure(line, env, cleanup.gateway));
      console.log(renderFootprint(line.name, taken));
    }
    return 0;
  });
