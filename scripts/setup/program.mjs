/** Starts one process, knows when it is ready, ends it, and notes it on disk in case this process is killed first. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines, logFile, openLog, sizeOf } from './log-files.mjs';
import { root } from './paths.mjs';
import { Problem } from './problem.mjs';
import { cpuMsOf, identityOf, isRunning } from './process-identity.mjs';

/** A process that is not ready yet is given up when it is idle for this long. As long as it works, it may take any time. */
const IDLE_MS = 60_000;
/** Share of one processor that counts as working: timers alone use less, and even a busy machine grants at least this much. */
const IDLE_CPU_SHARE = 1 / 120;
const POLL_MS = 50;
const LAST_LINES = 12;

/**
 * A process to start.
 * @typedef {object} Program
 * @property {string} name also the name of its log
 * @property {string} command
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {number} stopWithinMs how long it may take to end after SIGTERM before it is killed
 * @property {(signal: AbortSignal) => Promise<void>} [awaitReady] resolves once the process serves; without it the process reports
 *   by itself, with the message `{ ready: true }` over IPC
 * @property {(message: any) => void} [onReady] gets the message of readiness, when there is one
 * @property {() => Promise<Program | undefined>} [nextProgram] returns what to start instead when the process ended before it was ever
 *   ready, for example on another port; undefined: the same program again
 * @property {number} [idleMs] how long the process may be idle before it is ready
 * @property {(exit: Exit) => string | undefined} [explainExit] a sentence about an exit that another start would not repair
 */

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, livedMs: number, problem?: string }} Exit */

/**
 * @typedef {object} Running
 * @property {string} name
 * @property {number} pid
 * @property {Promise<void>} ready rejects with a {@link Problem} when the process ended first, or was idle for too long
 * @property {Promise<Exit>} exited never rejects
 * @property {(signal: NodeJS.Signals) => void} kill
 * @property {() => Promise<void>} stop SIGTERM, then SIGKILL after `stopWithinMs`; resolves when the process has ended
 */

/** @param {Exit} exit */
export function describeExit({ code, signal, problem }) {
  return problem ?? (signal ? `signal ${signal}` : `exit code ${code}`);
}

/**
 * @param {Program} program
 * @param {import('./paths.mjs').Folders} folders
 * @returns {Running}
 */
export function launch(program, folders) {
  const log = openLog(folders.logs, program.name);
  const startedAt = performance.now();
  // A separate process group: Ctrl-C reaches only this process, which ends the others in the right order.
  const child = spawn(program.command, program.args, {
    cwd: root,
    env: program.env,
    detached: true,
    stdio: ['ignore', log, log, ...(program.awaitReady ? [] : /** @type {const} */ (['ipc']))],
  });
  closeSync(log);
  const pid = child.pid ?? 0;
  const removeRecord = recordProcess(folders.run, program.name, pid);
  /** @type {Promise<Exit>} */
  const exited = new Promise((resolve) => {
    const settle = (/** @type {Omit<Exit, 'livedMs'>} */ exit) => {
      removeRecord();
      resolve({ ...exit, livedMs: performance.now() - startedAt });
    };
    child.once('error', (error) => settle({ code: null, signal: null, problem: error.message }));
    child.once('exit', (code, signal) => settle({ code, signal }));
  });
  const ready = awaitReady(program, child, exited, folders);
  // A caller that does not wait for readiness learns of the end through `exited`.
  ready.catch(() => {});
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  };
  const stop = async () => {
    kill('SIGTERM');
    const timer = setTimeout(() => kill('SIGKILL'), program.stopWithinMs);
    await exited;
    clearTimeout(timer);
  };
  return { name: program.name, pid, ready, exited, kill, stop };
}

/**
 * Resolves when the process has neither written to its log nor used notable processor time for `idleMs`.
 * @param {number} pid
 * @param {string} log
 * @param {number} idleMs
 * @param {AbortSignal} signal
 * @returns {Promise<'idle'>}
 */
async function awaitIdle(pid, log, idleMs, signal) {
  const sample = () => ({ bytes: sizeOf(log), cpuMs: cpuMsOf(pid) ?? 0, at: performance.now() });
  for (let last = sample(); ; ) {
    await sleep(Math.min(POLL_MS, idleMs), undefined, { signal });
    const now = sample();
    if (now.bytes !== last.bytes || now.cpuMs - last.cpuMs >= idleMs * IDLE_CPU_SHARE) last = now;
    else if (now.at - last.at >= idleMs) return 'idle';
  }
}

/**
 * @param {Program} program
 * @param {import('node:child_process').ChildProcess} child
 * @param {Promise<Exit>} exited
 * @param {import('./paths.mjs').Folders} folders
 */
async function awaitReady(program, child, exited, folders) {
  const waiting = new AbortController();
  const reported = program.awaitReady?.(waiting.signal) ?? readyMessage(child, program.onReady);
  reported.catch(() => {});
  try {
    const { idleMs = IDLE_MS } = program;
    const idling = awaitIdle(child.pid ?? 0, logFile(folders.logs, program.name), idleMs, waiting.signal);
    idling.catch(() => {});
    const first = await Promise.race([reported, idling, exited]);
    if (first === undefined) return;
    const how =
      first === 'idle' ? `is not ready and did nothing for ${idleMs / 1000} s` : `ended: ${describeExit(first)}`;
    throw new Problem(withLog(`${program.name} ${how}.`, folders.logs, program.name));
  } finally {
    waiting.abort();
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {Program['onReady']} onReady
 * @returns {Promise<void>}
 */
function readyMessage(child, onReady) {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (/** @type {{ ready?: unknown } | null} */ (message)?.ready !== true) return;
      onReady?.(message);
      resolve();
    });
  });
}

/**
 * Returns a sentence followed by the last lines of a log, if there are any.
 * @param {string} sentence
 * @param {string} folder
 * @param {string} name
 */
export function withLog(sentence, folder, name) {
  const lines = lastLines(folder, name, LAST_LINES);
  return lines ? `${sentence} Its last lines (${join(folder, `${name}.log`)}):\n${lines}` : sentence;
}

/**
 * Records a process for {@link endLeftovers}.
 * @param {string} folder
 * @param {string} name
 * @param {number} pid
 * @returns {() => void} removes the record; to be called when the process has ended
 */
export function recordProcess(folder, name, pid) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.${pid}.pid`);
  writeFileSync(file, JSON.stringify({ pid, identity: identityOf(pid) }));
  return () => rmSync(file, { force: true });
}

/**
 * Ends the processes that an earlier run left behind because it was killed itself.
 * @param {string} folder where {@link launch} records processes
 * @param {number} withinMs how long they may take before they are killed
 * @returns {Promise<string[]>} names of the processes that were still running
 */
export async function endLeftovers(folder, withinMs) {
  mkdirSync(folder, { recursive: true });
  const left = readdirSync(folder).flatMap((name) => {
    const known = parsePid(join(folder, name));
    return known && isRunning(known) ? [{ ...known, name: name.replace(/\.\d+\.pid$/, '') }] : [];
  });
  for (const { pid } of left) signalQuietly(pid, 'SIGTERM');
  const killAt = performance.now() + withinMs;
  while (left.some(isRunning)) {
    if (performance.now() > killAt) for (const known of left.filter(isRunning)) signalQuietly(known.pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
  return left.map(({ name }) => name);
}

/** @param {string} file @returns {import('./process-identity.mjs').KnownProcess | undefined} */
function parsePid(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function signalQuietly(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended by itself in between.
  }
}
