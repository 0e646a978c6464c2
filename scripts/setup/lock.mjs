/** A lock between processes: a file with the holder's process id. The lock of a process that has ended is taken over. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isRunning } from './process-identity.mjs';

const POLL_MS = 200;

/** @typedef {import('./process-identity.mjs').KnownProcess} KnownProcess */
/** @typedef {{ held: true, release: () => void } | { held: false, by: KnownProcess }} Attempt */

/** @param {string} file @returns {string | undefined} */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @param {string} text @returns {KnownProcess | undefined} */
function parseHolder(text) {
  try {
    const { pid, identity } = JSON.parse(text);
    return { pid, identity };
  } catch {
    return undefined;
  }
}

/** @param {string} draft @param {string} file */
function linkUnlessTaken(draft, file) {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead holder. When several processes see it at once, only one of them can rename it away. A lock that another
 * process took in between is put back.
 * @param {string} file
 * @param {string} staleText
 */
function removeStale(file, staleText) {
  const grave = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, grave);
  } catch {
    return;
  }
  if (readText(grave) !== staleText) linkUnlessTaken(grave, file);
  rmSync(grave, { force: true });
}

/**
 * Tries once to take the lock. It is released by `release`, or by the end of this process.
 * @param {string} file
 * @returns {Attempt}
 */
export function tryLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const text = JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) });
  const draft = `${file}.${process.pid}.draft`;
  try {
    // A hard link appears with its content in one step: a reader never sees half a lock.
    writeFileSync(draft, text);
    for (;;) {
      if (linkUnlessTaken(draft, file)) break;
      const currentText = readText(file);
      if (currentText === undefined) continue;
      const holder = parseHolder(currentText);
      if (holder && isRunning(holder)) return { held: false, by: holder };
      removeStale(file, currentText);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const release = () => {
    process.removeListener('exit', release);
    if (readText(file) === text) rmSync(file, { force: true });
  };
  process.once('exit', release);
  return { held: true, release };
}

/**
 * Waits for the holder of the lock, then runs `work` while holding it.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {{ onWait?: (pid: number) => void, signal?: AbortSignal | undefined }} [options] `onWait` is called once with the holder
 * @returns {Promise<T>}
 */
export async function withLock(file, work, { onWait, signal } = {}) {
  let attempt = tryLock(file);
  if (!attempt.held) onWait?.(attempt.by.pid);
  while (!attempt.held) {
    await sleep(POLL_MS, undefined, signal ? { signal } : {});
    attempt = tryLock(file);
  }
  try {
    return await work();
  } finally {
    attempt.release();
  }
}
