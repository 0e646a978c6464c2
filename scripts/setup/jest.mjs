/** Runs jest as a process of its own and counts what it reports. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './paths.mjs';
import { endMarkedProcesses, killGroup } from './process-tree.mjs';
import { recordProcess } from './program.mjs';
import { countResult, readReport } from './test-result.mjs';
import { compileTypeScript } from './typescript-ahead.mjs';

const WORKERS_MIN = 2;
/** Memory for a worker, the browser and the processes of the gateway that it starts. */
const WORKER_BYTES = 1.5 * 2 ** 30;
/** Memory of a thread for its young generation, of which there are up to three: the simulation makes and drops many objects (MB). */
const YOUNG_MB = 64;
const POLL_MS = 500;
/** Limit for a jest that has written its report and still runs because something that a test left open keeps it alive. */
const LINGER_MS = 120_000;

/**
 * Runs jest. However it ends, no process that it started goes on: workers, processes of the gateway, browsers.
 * @param {{ args: readonly string[], env: NodeJS.ProcessEnv, report: string, run: string, signal?: AbortSignal | undefined }} options
 *   `report`: file for jest's JSON report; `run`: folder where processes are remembered; `env` carries TEST_RUN_ID
 * @returns {Promise<{ passed: number, failed: number, skipped: number, exitCode: number }>}
 */
export async function runJest({ args, env, report, run, signal }) {
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const child = spawn(process.execPath, jestArguments(['--json', `--outputFile=${report}`, ...args]), {
    cwd: root,
    env: { ...env, TYPESCRIPT_AHEAD: await compileTypeScript() },
    stdio: 'inherit',
    // A separate process group, so that the children end with jest.
    detached: true,
  });
  const removeRecord = recordProcess(run, 'jest', child.pid ?? 0);
  const kill = () => killGroup(child.pid);
  signal?.addEventListener('abort', kill);
  process.once('exit', kill);
  const ended = new AbortController();
  /** @type {Promise<number | null>} */
  const exit = new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', resolve);
  });
  killLingering(report, ended.signal, kill);
  const code = await exit;
  ended.abort();
  signal?.removeEventListener('abort', kill);
  process.removeListener('exit', kill);
  kill();
  await endMarkedProcesses('TEST_RUN_ID', String(env.TEST_RUN_ID));
  removeRecord();
  const { passed, failed, skipped } = countResult(readReport(report), code);
  return { passed, failed, skipped, exitCode: failed > 0 ? code || 1 : 0 };
}

/** Returns the arguments of node for running jest. @param {readonly string[]} args for jest @returns {string[]} */
export function jestArguments(args) {
  const hasWorkerOption = args.some((arg) => /^(-i|-w|--runInBand|--maxWorkers)/.test(arg));
  const memory = Math.min(totalmem(), process.constrainedMemory?.() || Number.POSITIVE_INFINITY);
  const parallel = hasWorkerOption ? [] : [`--maxWorkers=${workersFor(availableParallelism(), memory)}`];
  return [`--max-semi-space-size=${YOUNG_MB}`, 'node_modules/jest/bin/jest.js', ...parallel, ...args];
}

/**
 * Returns the number of workers: two more than there are processors, because a suite waits for two thirds of its time. The order of the
 * suites (suite-order.mjs) keeps runs of chaos apart: with many at once, MongoDB takes no durable write for longer than they allow.
 * @param {number} processors
 * @param {number} memoryBytes
 */
export const workersFor = (processors, memoryBytes) =>
  Math.max(WORKERS_MIN, Math.min(processors + 2, Math.floor(memoryBytes / WORKER_BYTES)));

/** @param {string} report @param {AbortSignal} signal @param {() => void} kill */
async function killLingering(report, signal, kill) {
  while (!signal.aborted && !existsSync(report)) await sleep(POLL_MS);
  await sleep(LINGER_MS, undefined, { signal, ref: false }).catch(() => {});
  if (signal.aborted) return;
  console.error(
    `jest has reported and still runs after ${LINGER_MS / 1000} s: a test leaves something open. It is ended.`,
  );
  kill();
}
