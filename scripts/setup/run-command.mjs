/** Runs a command to its end and keeps its output. */
import { spawn } from 'node:child_process';
import { Stopped } from './problem.mjs';

const OUTPUT_CHARS_MAX = 200_000;
const TIMEOUT_MS = 15 * 60_000;
const STOP_WITHIN_MS = 2_000;

/**
 * @typedef {object} Result
 * @property {number | null} code exit code; null when it was killed or could not be started
 * @property {string} stdout
 * @property {string} stderr
 * @property {string} [problem] why it could not be started or was killed
 */

/**
 * Runs `command` and resolves with any exit code.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, signal?: AbortSignal | undefined }} [options]
 * @returns {Promise<Result>}
 * @throws {Stopped} when `signal` was aborted
 */
export async function runCommand(command, args, { cwd, env, timeoutMs = TIMEOUT_MS, signal } = {}) {
  if (signal?.aborted) throw new Stopped();
  const child = spawn(command, args, {
    ...(cwd && { cwd }),
    env: env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const result = { stdout: '', stderr: '' };
  for (const stream of /** @type {const} */ (['stdout', 'stderr'])) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      // The end of an output says what went wrong, so the beginning is cut off.
      result[stream] = (result[stream] + text).slice(-OUTPUT_CHARS_MAX);
    });
  }
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const stop = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS).unref();
  };
  signal?.addEventListener('abort', stop);
  try {
    /** @type {{ code: number | null, problem?: string }} */
    const ended = await new Promise((resolve) => {
      child.on('error', (error) => resolve({ code: null, problem: describeSpawnError(command, error) }));
      child.on('close', (code, killedBy) =>
        resolve({ code, ...(killedBy ? { problem: `ended by ${killedBy}` } : {}) }),
      );
    });
    if (signal?.aborted) throw new Stopped();
    return { ...result, ...ended, ...(timedOut ? { problem: `took longer than ${timeoutMs / 1000} s` } : {}) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** @param {string} command @param {NodeJS.ErrnoException} error */
function describeSpawnError(command, error) {
  return error.code === 'ENOENT' ? `${command} is not installed` : error.message;
}

/**
 * Returns the last lines that a failed command printed, without lines that only point to a log.
 * @param {Result} result
 * @param {number} [lines]
 */
export function lastOutputLines(result, lines = 1) {
  if (result.problem) return result.problem;
  const text = (result.stderr.trim() || result.stdout.trim()).split('\n');
  const informative = text.filter((line) => line.trim() && !/complete log of this run|\[notice\]/i.test(line));
  return informative.slice(-lines).join('\n').trim() || `exit code ${result.code}`;
}
